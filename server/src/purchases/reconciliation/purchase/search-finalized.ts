import { type Signature } from '@juicebar/contract/addresses'

import { type FinalizedView, type SignatureEntry } from '../../../chain/chain.ts'
import { type PaymentRow } from '../../payment/payment-store.ts'
import { type PurchaseDeps } from '../../purchase-deps.ts'
import { type PurchaseRow } from '../../purchase-store.ts'
import { type VerifiedCandidate } from '../../settlement/candidate.ts'
import { beginSearch, continueSearch, decidedTo, type HistorySearch, PAGES_PER_ROUND, searchedAddresses } from './history-search.ts'
import { isPermanent, isUndecided } from './purchase-decision.ts'
import { isRuledOut } from '../rule-out-candidates.ts'
import { listEverywhere, readCandidates, READS_PER_ROUND } from './search-candidates.ts'

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
  const isNew = (signature: Signature) => !known.some((candidate) => candidate.signature === signature)
  const unread = [landed, elsewhere, ...looks.map(signaturesOf)].map((signatures) => {
    return signatures.filter((signature) => isNew(signature) && !isRuledOut(deps.chain, purchase.id, signature))
  })
  const { candidates } = await readCandidates(deps, purchase, newestOf(unread))
  const verified = new Map([...known, ...candidates].map((candidate) => [candidate.signature, candidate]))
  const satisfies = (signature: Signature, test: (candidate: VerifiedCandidate) => boolean) => {
    const candidate = verified.get(signature)
    return candidate ? test(candidate) : isRuledOut(deps.chain, purchase.id, signature)
  }
  const isClear = (signature: Signature) => satisfies(signature, (candidate) => !isUndecided(candidate))
  const isDecided = ({ signature, failed }: SignatureEntry) => failed || satisfies(signature, isPermanent)
  return {
    candidates,
    complete: isWhole && [...landed, ...elsewhere, ...looks.flatMap(signaturesOf)].every(isClear),
    searches: looks.map(({ search, entries, whole }) => ({
      ...search,
      decidedTo: decidedTo(entries, view.slot, isDecided) ?? search.decidedTo,
      decided: search.decided || (whole && entries.every(isDecided)),
    })),
  }
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

/** Those that may have paid. */
function signaturesOf({ entries }: HistoryLook): Signature[] {
  return entries.filter((entry) => !entry.failed).map((entry) => entry.signature)
}

/** As many as one round reads, the newest of each list; of those, the oldest first, because an earlier payment takes precedence. */
function newestOf(lists: readonly (readonly Signature[])[]): Signature[] {
  const chosen = new Set<Signature>()
  for (const list of lists) for (const signature of list.slice(0, READS_PER_ROUND - chosen.size).toReversed()) chosen.add(signature)
  return [...chosen]
}
