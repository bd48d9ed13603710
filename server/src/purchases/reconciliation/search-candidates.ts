import { type Signature } from '@juicebar/contract/addresses'
import { LRUCache } from 'lru-cache'
import { type Chain, type FinalizedView, type SignatureStatus, type ReadOptions, type SignatureEntry } from '../../chain/chain.ts'
import { type PurchaseDeps } from '../purchase/purchase-deps.ts'
import { type CurrentPayment, type DuePurchase, listCurrentPayments } from './reconciliation-store.ts'
import { proofsPerRound } from './schedule.ts'
import {
  type HistorySearch,
  obstructedEndpoints,
  afterDeciding,
  isShort,
  type ReferenceSearch,
  beginSearch,
  continueSearch,
  decidedTo,
  PAGES_PER_ROUND,
  searchedAddresses,
} from './history-search.ts'
import { type PurchaseRow } from '../purchase/purchase-store.ts'
import { purchaseFields } from '../purchase/purchase-wait.ts'
import { type VerifiedCandidate } from '../settlement/candidate.ts'
import { candidateOf, verifyCandidate } from '../settlement/settle-payment.ts'
import { ALONE_SECONDS, endWait, mayWait, paymentStatuses, SHOWN_SECONDS, waitsForSilent } from '../purchase/wait-for-endpoints.ts'
import { admitCandidate, candidatesFor, isRuledOut, ruleOut } from './prove-expired.ts'
import { type PaymentRow } from '../payment/payment-store.ts'
import { isPermanent, isUndecided } from './purchase-decision.ts'

type Statuses = ReadonlyMap<Signature, SignatureStatus>

/** The data that one round reads for all its purchases at once. Every request is sent after the purchases were leased. */
export interface Round {
  /** The payment of each purchase that has one: recorded for a hold, or settling. */
  payments: Promise<ReadonlyMap<string, CurrentPayment>>
  /** The chain's statuses of payments recorded for holds. */
  statuses: Promise<Statuses>
  /** The certain statuses of payments that settled purchases. */
  finality: Promise<Statuses>
  /** The highest block height of any endpoint. */
  blockHeight(): Promise<bigint>
  /** The finalized chain. */
  finalized(): Promise<FinalizedView>
  /** Whether the budget allows one more proof that no payment landed, or that one was dropped: each takes many requests. */
  mayProve(of: 'hold' | 'delivery'): boolean
}

/** Starts the reads of a round: one database query and two requests to the chain, however many purchases. */
export function openRound(deps: PurchaseDeps, purchases: readonly DuePurchase[]): Round {
  const { database, chain } = deps
  const payments = listCurrentPayments(database, purchases).then((rows) => new Map(rows.map((row) => [row.purchaseId, row])))
  const signaturesOf = (status: CurrentPayment['status']) =>
    payments.then((known) => [...known.values()].filter((payment) => payment.status === status).map(({ signature }) => signature))
  const statuses = signaturesOf('recorded').then((signatures) => paymentStatuses(deps, signatures))
  const finality = signaturesOf('settled').then((signatures) => chain.finality(signatures))
  // Each purchase that needs the statuses handles their failure; if none does, the rejection must not end the process.
  for (const reading of [statuses, finality]) reading.catch(() => undefined)
  let height: Promise<bigint> | undefined
  let view: Promise<FinalizedView> | undefined
  const mostProofs = proofsPerRound({ ...chain.budget(), saturated: chain.isSaturated() })
  const proofs = { hold: 0, delivery: 0 }
  return {
    payments,
    statuses,
    finality,
    blockHeight: () => (height ??= chain.highestBlockHeight()),
    finalized: () => (view ??= chain.finalized()),
    mayProve: (of) => (proofs[of] += 1) <= mostProofs,
  }
}

/**
 * The finalized chain as an endpoint shows it that may still prove that no payment landed.
 * @throws CHAIN_DOWN if none of these answers
 */
export async function openProvingView(
  { chain }: PurchaseDeps,
  anyView: FinalizedView,
  saved: readonly HistorySearch[],
): Promise<FinalizedView> {
  const except = obstructedEndpoints(saved)
  return except.has(anyView.endpoint) ? chain.finalized({ except }) : anyView
}

/** New transactions read in one round, because each costs a request. The rest are read in later rounds. */
const READS_PER_ROUND = 16
/** The newest of the buyer's own transactions, and of those that other endpoints list. Before a hold is released, all of them are searched. */
const NEWEST = 100
/** As many as one request lists. */
const PAGE = 1_000
/** Pages listed in one round. */
const PAGES = 5

/** Transactions that name the purchase's reference, from the last decided one on. */
export interface ReferenceListing {
  oldestFirst: readonly SignatureEntry[]
  /** As it was before they are decided. */
  search: ReferenceSearch
  /** The list reaches what is decided. If not, the next round goes on. */
  complete: boolean
}

/**
 * Lists the transactions that name the purchase's reference and are not decided yet.
 * @throws CHAIN_DOWN
 */
export async function listReferenced(
  { chain }: PurchaseDeps,
  { reference, decidedTo, listedTo }: Pick<DuePurchase, 'reference' | keyof ReferenceSearch>,
  options: ReadOptions = {},
): Promise<ReferenceListing> {
  const newestFirst: SignatureEntry[] = []
  let before = listedTo
  for (let page = 1; page <= PAGES; page += 1) {
    // Nothing that carries it is older than the hold, whatever slot an endpoint told then.
    const part = await chain.recentSignatures(reference, 0n, PAGE, { ...options, before: before ?? undefined })
    const end = part.findIndex(({ signature }) => signature === decidedTo)
    newestFirst.push(...(end < 0 ? part : part.slice(0, end)))
    const last = part.at(-1)
    if (end >= 0 || part.length < PAGE || !last) {
      return { oldestFirst: newestFirst.toReversed(), search: { decidedTo, listedTo }, complete: true }
    }
    // The last page is listed again in the next round, which then has something to decide even if it is the oldest.
    if (page < PAGES) before = last.signature
  }
  return { oldestFirst: [], search: { decidedTo, listedTo: before }, complete: false }
}

/** How far the search has come, once what was found earlier is decided. */
export async function progressOf(
  { chain }: PurchaseDeps,
  purchase: Pick<DuePurchase, 'id' | 'heldAtSlot' | 'signature'>,
  { oldestFirst, search, complete }: ReferenceListing,
): Promise<ReferenceSearch> {
  if (!complete || isShort(search, oldestFirst)) return search
  const isDecided = ({ signature, failed }: SignatureEntry) =>
    failed || signature === purchase.signature || isRuledOut(chain, candidatesFor(purchase), signature)
  return afterDeciding(search, oldestFirst, await chain.highestSlot(), isDecided)
}

/**
 * The buyer's newest own transactions since the hold, oldest first.
 * @throws CHAIN_DOWN
 */
export async function listOwn(
  { chain }: PurchaseDeps,
  { buyer, heldAtSlot }: PurchaseRow,
  options: ReadOptions = {},
): Promise<readonly SignatureEntry[]> {
  return (await chain.recentSignatures(buyer, heldAtSlot, NEWEST, options)).toReversed()
}

/**
 * The newest transactions that name the purchase's reference on any endpoint, newest first.
 * @throws CHAIN_DOWN
 */
async function listEverywhere({ chain }: PurchaseDeps, { reference }: PurchaseRow): Promise<readonly Signature[]> {
  return landedSignatures(await chain.recentSignatures(reference, 0n, NEWEST, { everywhere: true }))
}

/** Of each chain client: what `listOwnElsewhere` has listed for a purchase, by its id and slot. */
const ownElsewhere = new WeakMap<Chain, LRUCache<string, readonly Signature[]>>()
const MAX_LISTED = 10_000

/**
 * What other endpoints list of the buyer's own transactions, and the proving one did not. Listed once for a hold: it is beyond its release
 * height, so what comes later is not for it, and nobody can keep it open with more. What no endpoint knows the status of now is left out.
 * @returns undefined while it waits for an endpoint that does not answer
 * @throws CHAIN_DOWN
 */
async function listOwnElsewhere(
  { chain }: PurchaseDeps,
  { id, buyer, reference, heldAtSlot, needsReference }: PurchaseRow,
  view: FinalizedView,
  looks: readonly HistoryLook[],
): Promise<readonly Signature[] | undefined> {
  const key = candidatesFor({ id, heldAtSlot })
  if (needsReference) return waitsForSilent(chain, key, [reference]) ? undefined : []
  const lists = ownElsewhere.get(chain) ?? new LRUCache({ max: MAX_LISTED })
  ownElsewhere.set(chain, lists)
  const listed = lists.get(key) ?? landedSignatures(await chain.recentSignatures(buyer, heldAtSlot, PAGE, { everywhere: true }))
  if (!lists.has(key) && waitsForSilent(chain, key, [reference, buyer])) return undefined
  lists.set(key, listed)
  const shown = new Set([
    ...looks.flatMap(({ entries }) => landedSignatures(entries)),
    ...(await shownBefore(view, { buyer, heldAtSlot }, looks)),
  ])
  const others = listed.filter((signature) => !shown.has(signature) && !isRuledOut(chain, key, signature))
  if (others.length === 0) return []
  const statuses = await chain.statuses(others, { everywhere: true })
  if (waitsForSilent(chain, `${key} statuses`, others)) return undefined
  return others.filter((signature) => statuses.has(signature))
}

/** The newest of what the proving endpoint showed in an earlier round, in which all of it was decided, perhaps by another server. */
async function shownBefore(
  view: FinalizedView,
  { buyer, heldAtSlot }: Pick<PurchaseRow, 'buyer' | 'heldAtSlot'>,
  looks: readonly HistoryLook[],
): Promise<Signature[]> {
  const own = looks.find(({ search }) => search.address === buyer)
  if (!own?.search.decided || own.entries.length > 0) return []
  const part = await view.history(buyer, { sinceSlot: heldAtSlot, pages: 1 })
  return part.kind === 'part' ? landedSignatures(part.entries) : []
}

export function landedSignatures(entries: readonly SignatureEntry[]): Signature[] {
  return [...new Set(entries.filter((entry) => !entry.failed).map((entry) => entry.signature))]
}

export interface ReadCandidates {
  candidates: VerifiedCandidate[]
  /** No candidate was left for a later round or could not be read. */
  allRead: boolean
}

/**
 * Reads and verifies candidates in their order, except those ruled out earlier, unless they are to be read again. A candidate that cannot be read does not hide those after
 * it. For an open hold it stops at the first that pays. Anybody can make candidates, so they are read at their own pace.
 * @throws CHAIN_DOWN if not even their statuses can be read
 */
export async function readCandidates(
  deps: PurchaseDeps,
  purchase: PurchaseRow,
  signatures: readonly Signature[],
  { again = [], ...options }: ReadOptions & { again?: readonly Signature[] } = {},
): Promise<ReadCandidates> {
  const { chain } = deps
  const isRead = (signature: Signature) => !again.includes(signature) && isOut(chain, purchase, signature)
  const unread = inTurn(
    deps,
    purchase,
    signatures.filter((signature) => signature !== purchase.signature && !isRead(signature)),
  )
  const batch = unread.slice(0, READS_PER_ROUND)
  const statuses = batch.length > 0 ? await paymentStatuses(deps, batch) : new Map<Signature, SignatureStatus>()
  const candidates: VerifiedCandidate[] = []
  let unreadable = 0
  for (const signature of batch) {
    const status = statuses.get(signature)
    if (status && !status.failed && !(await admitCandidate(chain, purchase.id))) break
    try {
      const candidate = await verifyCandidate(deps, purchase, candidateOf(chain, signature, status, { ...options, candidate: true }))
      candidates.push(candidate)
      if (purchase.status === 'held' && candidate.verdict.kind === 'pays') break
    } catch (error) {
      unreadable += 1
      const fields = purchaseFields(purchase, { waitingFor: 'a transaction that may pay for it to be read' })
      deps.failures.failed(error, { ...fields, transaction: signature }, 'a candidate transaction could not be read; trying again')
      if (unreadable > 1) break
    }
  }
  const invented = await inventedOf(chain, purchase, candidates)
  for (const signature of invented) ruleOut(chain, inventedFor(purchase), signature)
  const real = candidates.filter(({ signature }) => !invented.has(signature))
  for (const { signature, verdict } of real) if (verdict.kind === 'pending') ruleOut(chain, `${purchase.id} pending`, signature)
  return { candidates: real, allRead: candidates.length === unread.length }
}

/**
 * Those that were left for a later round come first, and those that were still pending when they were read come last: one endpoint that
 * invents more than a round reads must not hide what is real.
 */
function inTurn({ chain }: PurchaseDeps, { id }: PurchaseRow, unread: readonly Signature[]): Signature[] {
  if (unread.length <= READS_PER_ROUND) return [...unread]
  const turnOf = (signature: Signature) => {
    if (isRuledOut(chain, `${id} pending`, signature)) return 2
    return isRuledOut(chain, `${id} left`, signature) ? 0 : 1
  }
  const inOrder = unread.toSorted((a, b) => turnOf(a) - turnOf(b))
  for (const signature of inOrder.slice(READS_PER_ROUND)) ruleOut(chain, `${id} left`, signature)
  return inOrder
}

/** What does not pay for a purchase, or what nobody shows, as long as it is held. */
function isOut(chain: Chain, purchase: PurchaseRow, signature: Signature): boolean {
  if (isRuledOut(chain, candidatesFor(purchase), signature)) return true
  return purchase.status === 'held' && isRuledOut(chain, inventedFor(purchase), signature)
}

function inventedFor({ id }: PurchaseRow): string {
  return `${id} invented`
}

/**
 * Those that no endpoint shows, a minute after everything that was signed in time for a hold has landed or never will. Once the purchase has
 * ended, they are candidates again.
 */
async function inventedOf(
  chain: Chain,
  { id, status, releaseHeight }: PurchaseRow,
  candidates: readonly VerifiedCandidate[],
): Promise<ReadonlySet<Signature>> {
  const invented = new Set<Signature>()
  const pending = candidates.filter(({ verdict }) => verdict.kind === 'pending' && !verdict.looksOlder)
  if (status !== 'held' || releaseHeight === null || pending.length === 0) return invented
  if ((await chain.highestBlockHeight()) <= releaseHeight || mayWait(chain, `${id} shown`, SHOWN_SECONDS)) return invented
  for (const { signature } of pending) {
    if (!(await admitCandidate(chain, id))) break
    // A status alone may be invented, too, and one that waits to be final was not read yet.
    const isShown = (await chain.transaction(signature, { candidate: true })) !== undefined
    const silent = `${id} ${signature} invented`
    if (isShown) endWait(chain, silent)
    else if (!waitsForSilent(chain, silent, [signature]) || !mayWait(chain, `${id} invented`, ALONE_SECONDS)) invented.add(signature)
  }
  return invented
}

export interface FinalizedSearch {
  /** The candidates that were not known before. */
  candidates: readonly VerifiedCandidate[]
  /** Everything that the finalized chain shows has been read, in this round or an earlier one, and nothing is undecided. */
  complete: boolean
  /** The progress of the search for each address. */
  searches: readonly HistorySearch[]
}

interface SearchedHold {
  purchase: PurchaseRow
  /** The recorded payment. */
  payment: PaymentRow | undefined
  /** Candidates that this round has read already. */
  known: readonly VerifiedCandidate[]
  /** The progress of earlier rounds, on any endpoint. */
  saved: readonly HistorySearch[]
}

/** The part of an address's history that this round has to decide, newest first. `whole`: nothing older is left. */
interface HistoryLook {
  search: HistorySearch
  entries: readonly SignatureEntry[]
  whole: boolean
}

/**
 * Searches the finalized chain for payments for a hold: all at once if the history is short, as it nearly always is, otherwise a part in
 * each round, from where the previous round stopped. The view must be beyond the release height.
 * @throws CHAIN_DOWN
 */
export async function searchFinalized(deps: PurchaseDeps, view: FinalizedView, hold: SearchedHold): Promise<FinalizedSearch> {
  const { purchase, payment, known, saved } = hold
  const looks = await Promise.all(
    searchedAddresses(purchase).map((address) => {
      const earlier = saved.find((search) => search.endpoint === view.endpoint && search.address === address)
      return lookAt(view, purchase.heldAtSlot, earlier ?? beginSearch(purchase.id, view.endpoint, address))
    }),
  )
  const landed = payment && (await view.statusOf(payment.signature)) ? [payment.signature] : []
  // Before the hold ends, every endpoint is asked once more: a payment counts even if only one of them knows it.
  const isWhole = looks.every(({ whole }) => whole)
  const elsewhere = isWhole ? await listEverywhere(deps, purchase) : []
  const verified = new Map(known.map((candidate) => [candidate.signature, candidate]))
  const read = async (...lists: (readonly Signature[])[]) => {
    const unread = lists.map((signatures) => {
      return signatures.filter((signature) => !verified.has(signature) && !isOut(deps.chain, purchase, signature))
    })
    const { candidates } = await readCandidates(deps, purchase, newestOf(unread))
    for (const candidate of candidates) verified.set(candidate.signature, candidate)
    return candidates
  }
  const satisfies = (signature: Signature, test: (candidate: VerifiedCandidate) => boolean) => {
    const candidate = verified.get(signature)
    return candidate ? test(candidate) : isRuledOut(deps.chain, candidatesFor(purchase), signature)
  }
  const isClear = (signature: Signature) =>
    isOut(deps.chain, purchase, signature) || satisfies(signature, (candidate) => !isUndecided(candidate))
  const isDecided = ({ signature, failed }: SignatureEntry) => failed || satisfies(signature, isCertain)
  const lists = [landed, elsewhere, ...looks.map(({ entries }) => landedSignatures(entries))]
  const candidates = await read(...lists)
  const isClearSoFar = isWhole && lists.flat().every(isClear)
  const own = isClearSoFar ? await listOwnElsewhere(deps, purchase, view, looks) : []
  const others = own ? await read(own) : []
  return {
    candidates: [...candidates, ...others],
    complete: isClearSoFar && own !== undefined && own.every(isClear),
    searches: looks.map(({ search, entries, whole }) => ({
      ...search,
      decidedTo: decidedTo(entries, view.slot, isDecided) ?? search.decidedTo,
      decided: search.decided || (whole && entries.every(isDecided)),
    })),
  }
}

/** That it failed is one endpoint's word until it is final: it may have succeeded. */
function isCertain(candidate: VerifiedCandidate): boolean {
  const { verdict, status } = candidate
  return isPermanent(candidate) && (verdict.kind !== 'failed' || status?.commitment === 'finalized')
}

async function lookAt(view: FinalizedView, sinceSlot: bigint, search: HistorySearch): Promise<HistoryLook> {
  if (search.decided) return { search, entries: [], whole: true }
  const before = (search.listed ? search.decidedTo : search.listedTo) ?? undefined
  const part = await view.history(search.address, { sinceSlot, before, pages: search.listed ? 1 : PAGES_PER_ROUND })
  const next = continueSearch(search, part)
  // A history that took several rounds to list is decided in the following rounds, starting with its newest entry.
  if (part.kind !== 'part' || !next.listed || (!search.listed && before !== undefined)) return { search: next, entries: [], whole: false }
  return { search: next, entries: part.entries, whole: part.older === undefined }
}

/** As many as one round reads, the newest of each list; of those, the oldest first, because an earlier payment takes precedence. */
function newestOf(lists: readonly (readonly Signature[])[]): Signature[] {
  const chosen = new Set<Signature>()
  for (const list of lists) for (const signature of list.slice(0, READS_PER_ROUND - chosen.size).toReversed()) chosen.add(signature)
  return [...chosen]
}
