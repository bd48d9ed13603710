import { type Signature } from '@juicebar/contract/addresses'

import { type ReadOptions, type SignatureEntry, type SignatureStatus } from '../../../chain/chain.ts'
import { type PurchaseDeps } from '../../purchase-deps.ts'
import { type PurchaseRow } from '../../purchase-store.ts'
import { purchaseFields } from '../../purchase-wait.ts'
import { type VerifiedCandidate } from '../../settlement/candidate.ts'
import { candidateOf, verifyCandidate } from '../../settlement/verify-candidate.ts'
import { type DuePurchase } from '../reconciliation-store.ts'
import { afterDeciding, isShort, type ReferenceSearch } from './reference-search.ts'
import { admitCandidate } from '../admit-candidate.ts'
import { isRuledOut } from '../rule-out-candidates.ts'

/** New transactions read in one round, because each costs a request. The rest are read in later rounds. */
export const READS_PER_ROUND = 16
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
  purchase: Pick<DuePurchase, 'id' | 'signature'>,
  { oldestFirst, search, complete }: ReferenceListing,
): Promise<ReferenceSearch> {
  if (!complete || isShort(search, oldestFirst)) return search
  const isDecided = ({ signature, failed }: SignatureEntry) =>
    failed || signature === purchase.signature || isRuledOut(chain, purchase.id, signature)
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
export async function listEverywhere({ chain }: PurchaseDeps, { reference }: PurchaseRow): Promise<readonly Signature[]> {
  return landedSignatures(await chain.recentSignatures(reference, 0n, NEWEST, { everywhere: true }))
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
 * Reads and verifies candidates in their order, except those ruled out earlier. A candidate that cannot be read does not hide those after
 * it. For an open hold it stops at the first that pays. Anybody can make candidates, so they are read at their own pace.
 * @throws CHAIN_DOWN if not even their statuses can be read
 */
export async function readCandidates(
  deps: PurchaseDeps,
  purchase: PurchaseRow,
  signatures: readonly Signature[],
  options: ReadOptions = {},
): Promise<ReadCandidates> {
  const { chain } = deps
  const unread = signatures.filter((signature) => signature !== purchase.signature && !isRuledOut(chain, purchase.id, signature))
  const batch = unread.slice(0, READS_PER_ROUND)
  const statuses = batch.length > 0 ? await chain.statuses(batch) : new Map<Signature, SignatureStatus>()
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
  return { candidates, allRead: candidates.length === unread.length }
}
