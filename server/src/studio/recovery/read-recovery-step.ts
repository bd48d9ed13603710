import { type Signature, type WalletAddress } from '@juicebar/contract/addresses'
import { Failure } from '@juicebar/contract/errors'
import { type Chain } from '../../chain/chain.ts'
import { paymentKeys } from '../../purchases/purchase/co-signer.ts'
import { findReferences } from '../../purchases/payment/reference-store.ts'
import { lastHeightOf } from '../../purchases/purchase/purchase.ts'
import { type PurchaseDeps } from '../../purchases/purchase/purchase-deps.ts'
import { delay } from '../../runtime/repeat.ts'
import { findSellers } from '../../purchases/cases/unmatched-store.ts'
import { namedAccounts } from '../../purchases/cases/case.ts'
import { type RecoveryRow } from './recovery.ts'
import { afterHeight, afterListing, afterReading, begin, type Listing, type ReadTransaction, type RecoveryStep } from './recovery-step.ts'
import { countWallets, readNewestPurchases, readSignatures, readWallets } from './recovery-store.ts'
import { findSeenSlot } from './rewind-store.ts'

/** Wallets listed at once, and transactions read at once. */
export interface Portions {
  wallets: number
  transactions: number
}

export const PORTIONS: Portions = { wallets: 16, transactions: 64 }

/** Of 1,000 signatures each: a wallet with more transactions since the backup is not searched. */
const MAX_PAGES = 100
/** How many of the newest purchases the secret is tested with. */
const SAMPLE = 100
const SPARE_POLL_MILLIS = 50
/** How long a step waits for spare budget before it starts over. */
const SPARE_POLLS = 40

/** The chain is another one than when the recovery began: a local chain was reset. */
export class ChainReset extends Error {}

/**
 * Reads what the next step of a recovery needs from the database and the chain, and decides its result. Writes nothing. Uses only spare
 * chain budget.
 * @throws CHAIN_DOWN or CHAIN_BUSY; ChainReset
 */
export async function readRecoveryStep(
  deps: PurchaseDeps,
  row: RecoveryRow,
  portions: Portions,
  signal: AbortSignal,
): Promise<RecoveryStep> {
  const { chain, database } = deps
  await untilSpare(chain, signal)
  if (row.genesisHash === null || row.sinceSlot === null || row.neededSlot === null) return readBeginning(deps, row)
  if (row.genesisHash !== (await chain.genesisHash())) throw new ChainReset('the local chain was reset')
  const slots = { since: row.sinceSlot, needed: row.neededSlot }
  switch (row.part) {
    case 'waiting':
      return afterHeight(row, (await chain.finalized()).height)
    case 'listing': {
      const keys = paymentKeys(deps.coSigners)
      const wallets = await readWallets(database, [...row.feeWallets, ...keys], row.lastWallet, portions.wallets)
      const list = (wallet: WalletAddress) => listHistory(chain, wallet, { ...slots, everyPage: keys.includes(wallet) }, signal)
      const listings = await Promise.all(wallets.map(list))
      return afterListing(row, wallets, listings)
    }
    case 'reading': {
      const signatures = await readSignatures(database, row.id, portions.transactions)
      return afterReading(row, await Promise.all(signatures.map((signature) => readTransaction(deps, row, signature))))
    }
  }
}

async function readBeginning({ chain, database, references, coSigners, settings }: PurchaseDeps, row: RecoveryRow): Promise<RecoveryStep> {
  const newest = await readNewestPurchases(database, row.since, SAMPLE)
  const feeWallet = settings.fee.wallet
  const feeWallets = [...new Set([feeWallet, ...newest.map((purchase) => purchase.feeWallet)])].filter(
    (wallet) => typeof wallet === 'string',
  )
  return begin(row, {
    genesisHash: await chain.genesisHash(),
    expiryHeight: lastHeightOf(await chain.highestBlockHeight()),
    finalizedSlot: (await chain.finalized()).slot,
    newest,
    seen: await findSeenSlot(database, row.since),
    isOurs: ({ reference, buyer }) => references.kindOf(reference, buyer) !== undefined,
    feeWallet,
    wallets: await countWallets(database, [...feeWallets, ...paymentKeys(coSigners)]),
    feeWallets,
  })
}

interface ListedRange {
  since: bigint
  needed: bigint
  /** However many there are: anybody can name a key of the market, and must not hide by that what it has signed. */
  everyPage: boolean
}

/** All finalized transactions of a wallet since a slot, from the first endpoint that still has them all. */
async function listHistory(
  chain: Chain,
  wallet: WalletAddress,
  { since, needed, everyPage }: ListedRange,
  signal: AbortSignal,
): Promise<Listing> {
  const without = new Set<string>()
  const signatures: Signature[] = []
  let sinceSlot = since
  let before: Signature | undefined
  for (;;) {
    await untilSpare(chain, signal)
    const view = await chain.finalized({ except: without })
    const part = await view.history(wallet, { sinceSlot, before, pages: MAX_PAGES })
    if (part.kind === 'part') {
      if (part.older !== undefined && !everyPage)
        return { unchecked: `wallet ${wallet}: it has more than ${MAX_PAGES},000 transactions since the backup` }
      signatures.push(...part.entries.filter(({ failed }) => !failed).map(({ signature }) => signature))
      if (part.older === undefined) return { signatures }
      before = part.older
      continue
    }
    if (part.kind === 'unknownStart') throw new Failure('CHAIN_DOWN')
    if (part.firstSlot <= needed && part.firstSlot > sinceSlot) {
      sinceSlot = part.firstSlot
      continue
    }
    without.add(view.endpoint)
    if (chain.endpoints().every((endpoint) => without.has(endpoint))) {
      return { unchecked: `wallet ${wallet}: no endpoint keeps what landed before slot ${part.firstSlot}; slot ${needed} is needed` }
    }
  }
}

async function readTransaction(deps: PurchaseDeps, row: RecoveryRow, signature: Signature): Promise<ReadTransaction> {
  const { chain, database, references, coSigners } = deps
  const transaction = await chain.transaction(signature, { spare: true })
  // What endpoints contradict, or one alone calls failed, is left to the studio.
  const isDoubtful = transaction?.doubt === 'disputed' || (transaction?.failed && transaction.doubt)
  if (!transaction || isDoubtful) return { signature, found: undefined }
  const inDatabase = await findReferences(database, namedAccounts(transaction))
  const recipients = [...transaction.instructions, ...transaction.innerInstructions].flatMap(({ transfer }) => transfer?.to ?? [])
  const known = {
    references: new Set(inDatabase.keys()),
    kindOf: references.kindOf,
    feeWallets: new Set(row.feeWallets),
    sellers: await findSellers(database, recipients),
    coSigners: paymentKeys(coSigners),
  }
  return { signature, found: { transaction, known } }
}

/** @throws CHAIN_DOWN if no endpoint answers, CHAIN_BUSY if others need the whole budget for long */
async function untilSpare(chain: Chain, signal: AbortSignal): Promise<void> {
  for (let polls = 0; !chain.hasSpare(); polls++) {
    if (!chain.isUp()) throw new Failure('CHAIN_DOWN')
    if (polls >= SPARE_POLLS || signal.aborted) throw new Failure('CHAIN_BUSY')
    await delay(SPARE_POLL_MILLIS, signal)
  }
}
