import { type WalletAddress } from '@juicebar/contract/addresses'
import { type LandedTransaction, type SignatureEntry } from '../../chain/chain.ts'
import { inTransaction } from '../../database/transact.ts'
import { logCase } from '../cases/open-case.ts'
import { findSellers, insertLostCase, type LostCase } from '../cases/unmatched-store.ts'
import { findLost, namedAccounts, isSignedBy } from '../cases/case.ts'
import { paymentKeys } from '../purchase/co-signer.ts'
import { findReferences } from '../payment/reference-store.ts'
import { type PurchaseDeps } from '../purchase/purchase-deps.ts'
import { findPurchase } from '../purchase/purchase-store.ts'
import { candidateOf, verifyCandidate, settlePayment } from '../settlement/settle-payment.ts'
import { ALONE_SECONDS, mayWait, readFinality, waitsForSecond } from '../purchase/wait-for-endpoints.ts'
import { type Job } from '../../runtime/repeat.ts'
import { findFirstSlot, findKnown, leaseHistories, type LeasedHistory, saveHistory } from './co-signer-history-store.ts'
import { type HistoryWalk, listedSlot } from './history-walk.ts'
import { readHistory } from './read-history.ts'

/**
 * Decides a transaction that a key of the market has signed and that the database does not know: it settles the purchase whose
 * reference it carries, as every signature of its message does, or becomes a case of that purchase. If there is none, the database has lost it,
 * or somebody has the key: then it becomes a case of its buyer and those whom it paid.
 *
 * @returns false if the chain does not show enough of it yet
 * @throws CHAIN_DOWN
 */
async function settleUnknown(deps: PurchaseDeps, transaction: LandedTransaction): Promise<boolean> {
  const { signature } = transaction
  const status = await readFinality(deps.chain, signature, { isPayment: true })
  if (status?.commitment !== 'finalized') return false
  if (status.failed) return true
  const references = await findReferences(deps.database, namedAccounts(transaction))
  const named = [...references.values()].flatMap((known) => known?.id ?? [])
  const candidate = candidateOf(deps.chain, signature, status)
  let counts = false
  for (const id of named) {
    const purchase = await findPurchase(deps.database, id)
    if (!purchase) continue
    const { kind } = await settlePayment(deps, purchase, await verifyCandidate(deps, purchase, candidate))
    if (kind === 'pending') return false
    counts ||= kind === 'settled' || kind === 'case'
  }
  // It may have become a case, and been paid back, since its history was listed.
  if (!counts && (await findKnown(deps.database, [signature])).has(signature)) return true
  await openLost(deps, transaction, counts ? new Set(references.keys()) : new Set())
  return true
}

/** Opens cases for what a transaction paid that belongs to none of these references. */
async function openLost(deps: PurchaseDeps, transaction: LandedTransaction, references: ReadonlySet<string>): Promise<void> {
  const { database, settings, log } = deps
  const { signature, slot, instructions, innerInstructions } = transaction
  const landing = { signature, slot, genesisHash: await deps.chain.genesisHash(), coSigned: true }
  const recipients = [...instructions, ...innerInstructions].flatMap(({ transfer }) => transfer?.to ?? [])
  const { lost } = findLost(transaction, {
    references,
    kindOf: deps.references.kindOf,
    feeWallets: new Set(settings.fee.wallet === undefined ? [] : [settings.fee.wallet]),
    sellers: await findSellers(database, recipients),
    coSigners: paymentKeys(deps.coSigners),
  })
  const opened = await inTransaction(database, async (tx) => {
    const cases: LostCase[] = []
    for (const payment of lost) cases.push(...(await insertLostCase(tx, landing, payment)))
    return cases
  })
  const why = 'a payment that the market has signed has no purchase: the database has lost it, or somebody else has the key'
  for (const row of opened) logCase(deps, 'opened', row, { id: null, buyer: row.buyer })
  if (opened.length > 0) log.error({ transaction: signature }, why)
}

const POLL_MILLIS = 10_000
/** Until a history is searched again, by this server or another. */
const AGAIN_SECONDS = 60
/** A search stops after this time; the next one goes on where it was. */
const SEARCH_MILLIS = 40_000
/** Of unknown transactions. Whoever makes them pays for each, so this is all they can take of the budget. */
const READS = { share: 0.1, least: 10, most: 1_000, atOnce: 8 }
/** Of 1,000 transactions each, which are mostly known. */
const PAGES = 20

/** What one search may still read. */
interface Allowance {
  reads: number
  pages: number
  until: number
}

/**
 * Searches the histories of the market's keys about once a minute, on one server at a time.
 */
export function historyJob(deps: PurchaseDeps): Job {
  return {
    name: 'co-signer histories',
    everyMillis: POLL_MILLIS,
    failure: 'what the co-signers have signed cannot be read; trying again',
    run: () => searchHistories(deps),
  }
}

/**
 * Reads what is new in the histories of the market's keys, if it is due, and decides every transaction that the database does not know: what
 * a key has signed is settled or becomes a case; what merely names it counts for nothing. Uses only spare chain budget.
 */
export async function searchHistories(deps: PurchaseDeps): Promise<void> {
  const { database, chain, coSigners } = deps
  if (!chain.isUp() || !chain.hasSpare()) return
  const keys = paymentKeys(coSigners)
  for (const history of await leaseHistories(database, keys, await chain.genesisHash(), AGAIN_SECONDS)) {
    await searchHistory(deps, history, keys)
  }
}

async function searchHistory(deps: PurchaseDeps, history: LeasedHistory, keys: readonly WalletAddress[]): Promise<void> {
  const { database, chain, log } = deps
  const { perSecond } = chain.budget()
  const reads = Math.min(READS.most, Math.max(READS.least, Math.floor(READS.share * perSecond * AGAIN_SECONDS)))
  const allowance = { reads, pages: PAGES, until: performance.now() + SEARCH_MILLIS }
  await readHistory(chain, history.coSigner, await walkOf(deps, history), {
    decide: (entries) => decideEntries(deps, entries, keys, allowance),
    save: (walk) => saveHistory(database, history, walk),
    goesOn: () => allowance.pages-- > 0 && mayRead(deps, allowance),
    onPruned: (firstSlot) =>
      log.warn(
        { coSigner: history.coSigner, firstSlot: String(firstSlot) },
        'no endpoint keeps what the co-signer signed before this slot',
      ),
  })
}

/** A history that was never searched begins with the first payment that the database knows. */
async function walkOf({ database, chain }: PurchaseDeps, history: LeasedHistory): Promise<HistoryWalk> {
  const { genesisHash, doneSlot, topSlot, decidedTo } = history
  if (doneSlot !== null) return { doneSlot, topSlot, decidedTo }
  const listed = listedSlot((await chain.finalized()).slot)
  const first = await findFirstSlot(database, genesisHash)
  const walk = { doneSlot: first !== undefined && first <= listed ? first - 1n : listed, topSlot: null, decidedTo: null }
  await saveHistory(database, history, walk)
  return walk
}

function mayRead({ chain }: PurchaseDeps, { reads, until }: Allowance): boolean {
  return reads > 0 && performance.now() < until && chain.hasSpare()
}

/** @returns how many entries are decided, the newest first */
async function decideEntries(
  deps: PurchaseDeps,
  entries: readonly SignatureEntry[],
  keys: readonly WalletAddress[],
  allowance: Allowance,
): Promise<number> {
  const known = await findKnown(
    deps.database,
    entries.map(({ signature }) => signature),
  )
  const open = entries.flatMap((entry, index) => (entry.failed || known.has(entry.signature) ? [] : [{ ...entry, index }]))
  while (open.length > 0) {
    if (!mayRead(deps, allowance)) return open[0]?.index ?? entries.length
    const chunk = open.splice(0, Math.min(READS.atOnce, allowance.reads))
    allowance.reads -= chunk.length
    const decided = await Promise.all(chunk.map((entry) => decideEntry(deps, entry, keys)))
    const undecided = chunk[decided.indexOf(false)]
    if (undecided) return undecided.index
  }
  return entries.length
}

async function decideEntry(deps: PurchaseDeps, { signature }: SignatureEntry, keys: readonly WalletAddress[]): Promise<boolean> {
  const transaction = await deps.chain.transaction(signature, { spare: true })
  // One endpoint may have invented it. What is real is shown before.
  if (!transaction) return !mayWait(deps.chain, `${signature} shown`, ALONE_SECONDS)
  const isOurs = keys.some((key) => transaction.signers.includes(key))
  if (isOurs && (waitsForSecond(deps.chain, transaction) || transaction.doubt === 'disputed')) return false
  return isSignedBy(transaction, keys) ? settleUnknown(deps, transaction) : true
}
