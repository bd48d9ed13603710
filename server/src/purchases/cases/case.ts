import { type WalletAddress, parseWalletAddress } from '@juicebar/contract/addresses'
import { Failure } from '@juicebar/contract/errors'
import { MIN_PRICE_SOL } from '@juicebar/contract/limits'
import { solText } from '@juicebar/contract/money'
import { type CaseKind, type CaseStatus } from '@juicebar/contract/schemas'
import { type PurchaseRow } from '../purchase/purchase-store.ts'
import { type LandedTransaction, type SignatureEntry } from '../../chain/chain.ts'
import { type Movement, movementsOf } from '../payment/landed-payment.ts'
import { type ReferenceKind } from '../purchase/reference.ts'
import { isId } from '@juicebar/contract/ids'

/** What a case is about: its purchase, or what is known of one that the database has lost. */
export type CaseSubject = PurchaseRow | LostPurchase

export interface LostPurchase {
  id: null
  buyer: WalletAddress
  /** The chain that shows its payment. */
  genesisHash: string
  /** It was held before its payment landed, which is known. Refunds came later. */
  heldAtSlot: bigint
}

/** After this, a payment that is neither final nor proved dropped counts as final for its case: its endpoints may have pruned it. */
export const UNSEEN_SECONDS = 24 * 60 * 60

/** Kinds in which the seller received SOL for nothing. A vanished payment left the seller unpaid. */
const refundableKinds = new Set<CaseKind>(['late', 'wrong', 'double', 'lost'])

/** Whether the seller may refund this case now. */
export function isRefundable({ kind, status, seller }: { kind: CaseKind; status: CaseStatus; seller: string | null }): boolean {
  return status === 'open' && seller !== null && refundableKinds.has(kind)
}

/** Whether a case in this status is over. */
export function isClosed(status: CaseStatus): boolean {
  return status === 'delivered' || status === 'refunded' || status === 'closed'
}

const whatHappened: Record<CaseKind, string> = {
  late: 'This payment arrived after the time to pay for the listing had run out.',
  wrong: 'This payment was not exactly what was agreed, so it did not buy the listing.',
  double: 'The listing was already paid for and delivered; this is a second payment.',
  vanished: 'The network dropped this payment after the tokens had been delivered.',
  lost: 'The market has lost its record of the purchase that this payment was for.',
}

const whatNext: Record<CaseStatus, string> = {
  open: 'The seller can send the SOL back with one click.',
  refunding: 'The seller is sending the SOL back.',
  delivered: 'The listing was still for sale, so it was delivered after all.',
  refunded: 'The seller sent the SOL back.',
  closed: 'This case is closed.',
}

interface ExplainedCase {
  kind: CaseKind
  status: CaseStatus
  deliverable: boolean
  seller: string | null
  feeLamports: bigint
  /** How many payments add up in it. */
  smallPayments?: number
  /** The chain has dropped the payment for which its purchase was delivered, and no other one counts. */
  firstDropped?: boolean
}

/** What happened and what to do, in words for buyer and seller. */
export function explainCase(subject: ExplainedCase): string {
  const { status, feeLamports, smallPayments = 0 } = subject
  const added = smallPayments > 1 ? ` It adds up ${smallPayments} payments of less than ${MIN_PRICE_SOL} SOL each.` : ''
  const explanation = `${explainPayment(subject)}${added}`
  if (feeLamports === 0n || status === 'delivered') return explanation
  return `${explanation} The fee of ${solText(feeLamports)} SOL is not returned by the seller: the studio owes it to the buyer.`
}

function explainPayment({ kind, status, deliverable, seller, firstDropped }: ExplainedCase): string {
  if (seller === null) return `${whatHappened[kind]} It paid nobody but the studio.${status === 'closed' ? ` ${whatNext.closed}` : ''}`
  if (status === 'open' && kind === 'lost') return `${whatHappened.lost} ${whatNext.open} Otherwise the studio settles it with both sides.`
  if (status === 'open' && kind === 'vanished') return `${whatHappened.vanished} The studio has been told.`
  if (status === 'open' && deliverable) {
    return `${whatHappened[kind]} It will be delivered if the listing becomes free; until then the seller can send the SOL back with one click.`
  }
  if (status === 'delivered' && kind === 'double') return `${whatHappened.double} The network dropped the first one, so this one counts.`
  if (status === 'open' && (kind === 'double' || kind === 'late') && firstDropped) {
    return `${whatHappened[kind]} The network dropped the one for which the tokens were delivered: if the seller has no other compensation, there is nothing to send back.`
  }
  return `${whatHappened[kind]} ${whatNext[status]}`
}

/** What a case is waiting for, in words for the operator; null if nothing. */
export function waitOfCase({ kind, status, deliverable, seller }: Omit<ExplainedCase, 'feeLamports'>): string | null {
  if (status === 'refunding') return 'its refund to be finalized'
  if (status !== 'open') return null
  if (kind === 'vanished' || seller === null) return 'the studio to close its case'
  if (kind === 'lost') return 'the seller to refund it, or the studio to close its case'
  return deliverable ? 'its listing to be free, or the seller to refund it' : 'the seller to refund it'
}

/** Where a page of cases ended: whether its last case needed action when it was shown, and that case's identifier. */
export interface CasePosition {
  waits: boolean
  id: string
}

export function caseCursor({ waits, id }: CasePosition): string {
  return `${waits ? 'waits' : 'closed'}.${id}`
}

/**
 * Reads what `caseCursor` wrote.
 * @throws CURSOR_INVALID
 */
export function parseCaseCursor(cursor: string): CasePosition {
  const [state, id = ''] = cursor.split('.')
  if ((state !== 'waits' && state !== 'closed') || !isId(id)) throw new Failure('CURSOR_INVALID')
  return { waits: state === 'waits', id }
}

/** What a seller, or only the fee wallet, received in a transaction for purchases that the database does not know. */
export interface LostPayment {
  buyer: WalletAddress
  /** Null if only the fee wallet received anything. */
  seller: WalletAddress | null
  lamports: bigint
  /** Of the first of the buyer's payments in the transaction: the fee that it paid as well. */
  feeLamports: bigint
}

/** SOL that was returned for a case that the database does not know. */
export interface LostRefund {
  from: string
  to: string
  lamports: bigint
}

/** What is known about the accounts of a transaction. */
export interface Known {
  /** Those that are references of purchases or refunds in the database. */
  references: ReadonlySet<string>
  /** What this market made an address for, if this wallet pays with it, whether or not it is in the database. */
  kindOf: (address: string, payer: string) => ReferenceKind | undefined
  feeWallets: ReadonlySet<string>
  /** Those of the wallets that have listed something. */
  sellers: ReadonlySet<string>
  /** The market's own keys, present and former. */
  coSigners: readonly string[]
}

export interface Findings {
  /** One for each buyer and seller. */
  lost: LostPayment[]
  refunds: LostRefund[]
  /** Whether the transaction carries a reference of this market, known to the database or not. */
  isOurs: boolean
}

/** Every account of a transaction that may be a reference. */
export function namedAccounts({ instructions, innerInstructions }: LandedTransaction): string[] {
  return [
    ...new Set([...instructions, ...innerInstructions].filter(({ transfer }) => transfer).flatMap(({ accounts }) => accounts.slice(2))),
  ]
}

/** Whether one of these keys has signed a transaction, and the chain has executed it. Whoever merely names a key proves nothing. */
export function isSignedBy({ signers, failed }: LandedTransaction, keys: readonly string[]): boolean {
  return !failed && keys.some((key) => signers.includes(key))
}

/**
 * What a transaction moved for purchases and refunds whose references this market made but the database does not know. A transfer
 * belongs to the first reference that it carries, known or not, and to that alone, so no lamport counts twice. What a key of the market
 * has signed is a payment whatever it carries, even if it paid nobody.
 */
export function findLost(transaction: LandedTransaction, known: Known): Findings {
  if (transaction.failed) return { lost: [], refunds: [], isOurs: false }
  const coSigned = isSignedBy(transaction, known.coSigners)
  const isReference = (account: string, from: string) => known.references.has(account) || known.kindOf(account, from) !== undefined
  const all = movementsOf(transaction, isReference)
  const carried = all.filter(({ reference }) => reference !== undefined)
  const unknown = all.filter(({ from, to, lamports, reference }) => !known.references.has(reference ?? '') && lamports > 0n && from !== to)
  const kindOf = ({ from, reference }: Movement) => (reference === undefined ? undefined : known.kindOf(reference, from))
  const paid = unknown.filter((movement) => kindOf(movement) === 'purchase' || (coSigned && movement.reference === undefined))
  const refunds = unknown.filter((movement) => kindOf(movement) === 'refund')
  const buyers = [...new Set(paid.map(({ from }) => from))]
  const lost = buyers.flatMap((buyer) => paymentsOf(buyer, sumByRecipient(paid.filter(({ from }) => from === buyer)), known))
  const isKnown = carried.some(({ reference = '' }) => known.references.has(reference))
  const isNothing = coSigned && lost.length === 0 && refunds.length === 0 && !isKnown
  return {
    lost: isNothing ? [nothingPaid(transaction)] : lost,
    refunds: refunds.map(({ from, to, lamports }) => ({ from, to, lamports })),
    isOurs: coSigned || carried.length > 0,
  }
}

function nothingPaid({ signers: [payer = ''] }: LandedTransaction): LostPayment {
  return { buyer: asWallet(payer), seller: null, lamports: 0n, feeLamports: 0n }
}

/** One for each seller, or one without a seller if only a fee was paid. If there are sellers, a fee wallet received the fee. */
function paymentsOf(from: string, received: ReadonlyMap<string, bigint>, { feeWallets, sellers }: Known): LostPayment[] {
  const all = [...received].map(([to, lamports]) => ({ to, lamports }))
  const others = all.filter(({ to }) => !feeWallets.has(to))
  const toSellers = others.length > 0 ? others : all.filter(({ to }) => sellers.has(to))
  const feeLamports = all.filter((each) => !toSellers.includes(each)).reduce((sum, { lamports }) => sum + lamports, 0n)
  const buyer = asWallet(from)
  if (toSellers.length === 0) return feeLamports === 0n ? [] : [{ buyer, seller: null, lamports: 0n, feeLamports }]
  return toSellers.map(({ to, lamports }, index) => ({
    buyer,
    seller: asWallet(to),
    lamports,
    feeLamports: index === 0 ? feeLamports : 0n,
  }))
}

function sumByRecipient(movements: readonly Movement[]): Map<string, bigint> {
  const sums = new Map<string, bigint>()
  for (const { to, lamports } of movements) sums.set(to, (sums.get(to) ?? 0n) + lamports)
  return sums
}

function asWallet(address: string): WalletAddress {
  const wallet = parseWalletAddress(address)
  if (!wallet) throw new Error(`${address}, from a transaction of the chain, is no address`)
  return wallet
}

/** As many of the newest transactions that name a refund's reference as one request lists. */
export const MENTIONS = 1_000
/** An honest refund has one transaction, or two if its seller was impatient, and whatever else names its reference came later. */
const REFUNDS = 5

/**
 * Whether the chain shows anything that may be a refund, among the newest `MENTIONS` transactions that name its reference: before it has
 * landed, nobody but the seller knows that reference. A list that is full may hide it.
 */
export function isMentioned(entries: readonly SignatureEntry[]): boolean {
  return entries.length >= MENTIONS || entries.some(({ failed }) => !failed)
}

/** Of such a list, newest first: those that are read, the oldest first. */
export function oldestMentions(entries: readonly SignatureEntry[]): SignatureEntry[] {
  return entries
    .filter(({ failed }) => !failed)
    .slice(-REFUNDS)
    .toReversed()
}
