import { type Signature, type WalletAddress } from '@juicebar/contract/addresses'
import { type LandedTransaction } from '../../chain/chain.ts'
import { type Findings, findLost, isSignedBy, type Known, type LostPayment, type LostRefund } from '../../purchases/cases/case.ts'
import { type NewestPurchase } from './recovery-store.ts'
import { limitsOf, type RecoveryState, secretProblems, withRefunds, withUnchecked } from './recovery.ts'

/** The result of a step of a recovery, and what to write for it. */
export interface RecoveryStep {
  state: RecoveryState
  /** Transactions to be read later. */
  listed: Signature[]
  /** Transactions that need not be read again. */
  read: Signature[]
  /** `coSigned`: a key of the market has signed it. `slot`: where it landed. */
  lost: { signature: Signature; slot: bigint; payment: LostPayment; coSigned: boolean }[]
  done: boolean
}

/** The state of the database and the chain when a recovery begins. */
export interface Beginning {
  genesisHash: string
  /** Above this height, nothing that is already signed can land any more. */
  expiryHeight: bigint
  /** How far the finalized chain is now. */
  finalizedSlot: bigint
  /** The newest purchases that the database has. */
  newest: readonly NewestPurchase[]
  /** Whether this server recognises the reference of a purchase as made for its buyer. */
  isOurs: (purchase: NewestPurchase) => boolean
  /** The chain's slot when it was last recorded. */
  seen: { genesisHash: string; slot: bigint } | undefined
  /** The wallet that receives fees now. */
  feeWallet: string | undefined
  /** How many wallets there are to list, with these that have received fees. */
  wallets: number
  feeWallets: readonly string[]
}

/**
 * A missing purchase was held after all those in the database, except for some that were under way at the same time: a few minutes are more
 * than enough.
 */
const MARGIN_SLOTS = 1_000n

/** A recovery begins: it examines everything that has landed since the database was last written. */
export function begin(state: RecoveryState, beginning: Beginning): RecoveryStep {
  const { genesisHash, expiryHeight, finalizedSlot, newest, isOurs, seen, feeWallet, wallets, feeWallets } = beginning
  const noted = [...newest.map((purchase) => ({ ...purchase, slot: purchase.heldAtSlot })), ...(seen ? [seen] : [])]
  // An endpoint may have told any slot: from one that is yet to come, nothing that was lost would be found.
  const reached = finalizedSlot + MARGIN_SLOTS
  const slots = noted.filter((each) => each.genesisHash === genesisHash && each.slot <= reached).map(({ slot }) => slot)
  const neededSlot = slots.reduce((highest, slot) => (slot > highest ? slot : highest), 0n)
  const unrecognised = newest.filter((purchase) => !isOurs(purchase))
  const otherSecret = unrecognised.filter(({ hasCode }) => hasCode).length
  const sample = { sampled: newest.length, otherSecret, earlierVersion: unrecognised.length - otherSecret }
  const limits = limitsOf({ ...sample, hasFee: feeWallet !== undefined })
  const sinceSlot = neededSlot > MARGIN_SLOTS ? neededSlot - MARGIN_SLOTS : 0n
  const begun = { ...state, genesisHash, expiryHeight, sinceSlot, neededSlot, limits, wallets, feeWallets: [...feeWallets] }
  return write(withUnchecked(begun, secretProblems(sample)))
}

/** The finalized chain has this height now. */
export function afterHeight(state: RecoveryState, blockHeight: bigint): RecoveryStep {
  const isOver = state.expiryHeight !== null && blockHeight > state.expiryHeight
  return write({ ...state, blockHeight, part: isOver ? 'listing' : 'waiting' })
}

/** What a wallet's history has shown, or why it cannot be listed. */
export type Listing = { signatures: readonly Signature[] } | { unchecked: string }

/** These wallets were listed, in their order; none are left if there are none. */
export function afterListing(state: RecoveryState, wallets: readonly WalletAddress[], listings: readonly Listing[]): RecoveryStep {
  const lastWallet = wallets.at(-1)
  if (lastWallet === undefined) return write({ ...state, part: 'reading' })
  const unchecked = listings.flatMap((listing) => ('unchecked' in listing ? [listing.unchecked] : []))
  const listed = listings.flatMap((listing) => ('signatures' in listing ? listing.signatures : []))
  const walletsListed = state.walletsListed + wallets.length
  return write(withUnchecked({ ...state, lastWallet, walletsListed, wallets: Math.max(state.wallets, walletsListed) }, unchecked), {
    listed,
  })
}

/** A transaction, and what is known about its accounts. Undefined if no endpoint shows it. */
export interface ReadTransaction {
  signature: Signature
  found: { transaction: LandedTransaction; known: Known } | undefined
}

/** These transactions were read; none are left if there are none. */
export function afterReading(state: RecoveryState, read: readonly ReadTransaction[]): RecoveryStep {
  if (read.length === 0) return write(state, { done: true })
  const findings = read.flatMap(
    ({ signature, found }): (Findings & Pick<RecoveryStep['lost'][number], 'signature' | 'slot' | 'coSigned'>)[] => {
      if (!found) return []
      const { transaction, known } = found
      return [{ ...findLost(transaction, known), signature, slot: transaction.slot, coSigned: isSignedBy(transaction, known.coSigners) }]
    },
  )
  const counted: RecoveryState = {
    ...state,
    transactionsRead: state.transactionsRead + read.length,
    payments: state.payments + findings.filter(({ isOurs }) => isOurs).length,
  }
  const missing = read.flatMap(({ signature, found }) => (found ? [] : [`transaction ${signature}: no endpoint shows it`]))
  const refunds = findings.flatMap((finding) => finding.refunds.map((refund) => refundText(finding.signature, refund)))
  return write(withUnchecked(withRefunds(counted, refunds), missing), {
    read: read.map(({ signature }) => signature),
    lost: findings.flatMap(({ signature, slot, coSigned, lost }) => lost.map((payment) => ({ signature, slot, coSigned, payment }))),
  })
}

function refundText(signature: Signature, { from, to, lamports }: LostRefund): string {
  return `${lamports} lamports from ${from} to ${to}, transaction ${signature}`
}

function write(state: RecoveryState, rest: Partial<Omit<RecoveryStep, 'state'>> = {}): RecoveryStep {
  return { state, listed: [], read: [], lost: [], done: false, ...rest }
}
