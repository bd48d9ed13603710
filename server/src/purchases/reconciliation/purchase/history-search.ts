import { type Signature } from '@juicebar/contract/addresses'
import { type Selectable } from 'kysely'

import { type HistoryPart, type SignatureEntry } from '../../../chain/chain.ts'
import { type HistorySearches } from '../../../database/schema.ts'
import { type PurchaseRow } from '../../purchase-store.ts'

/** How far the finalized history of one address has been searched on one endpoint, for the payment of one hold. */
export type HistorySearch = Omit<Selectable<HistorySearches>, 'updatedAt'>

/**
 * Pages of one address listed in one round, 1,000 signatures and two requests each, and in all. More than that since one hold is an attack
 * or a bot's wallet: 100 pages in four minutes are 400 transactions a second.
 */
export const PAGES_PER_ROUND = 5
export const MAX_PAGES = 100

/**
 * The addresses under which the chain finds possible payments for a purchase. A transfer needs no reference, so the buyer's address is
 * searched, too.
 */
export function searchedAddresses({ reference, buyer }: PurchaseRow): string[] {
  return [reference, buyer]
}

export function beginSearch(purchaseId: string, endpoint: string, address: string): HistorySearch {
  const nothing = { listedTo: null, decidedTo: null, obstacle: null, firstSlot: null }
  return { purchaseId, endpoint, address, pages: 0, listed: false, decided: false, ...nothing }
}

/** The state of the search after a part of the history was read, to list it or to decide it. */
export function continueSearch(search: HistorySearch, part: HistoryPart): HistorySearch {
  switch (part.kind) {
    case 'pruned':
      return { ...search, obstacle: 'pruned', firstSlot: part.firstSlot }
    case 'unknownStart':
      return { ...search, pages: 0, listed: false, listedTo: null, decidedTo: null }
    case 'part': {
      if (search.listed) return search
      const pages = search.pages + part.pages
      const listed = part.older === undefined
      return { ...search, pages, listed, listedTo: part.older ?? null, obstacle: !listed && pages >= MAX_PAGES ? 'too_many_pages' : null }
    }
  }
}

/**
 * The last of the newest entries, up to the first undecided one, that every endpoint will know for as long as it keeps that block: an entry
 * above the finalized slot may still vanish. Undefined if there is none.
 */
export function decidedTo(
  newestFirst: readonly SignatureEntry[],
  finalizedSlot: bigint,
  isDecided: (entry: SignatureEntry) => boolean,
): Signature | undefined {
  const open = newestFirst.findIndex((entry) => entry.slot <= finalizedSlot && !isDecided(entry))
  const decided = open < 0 ? newestFirst : newestFirst.slice(0, open)
  return decided.findLast((entry) => entry.slot <= finalizedSlot)?.signature
}

/** The endpoints that can never prove that no payment landed. */
export function obstructedEndpoints(searches: readonly HistorySearch[]): ReadonlySet<string> {
  return new Set(searches.filter(({ obstacle }) => obstacle !== null).map(({ endpoint }) => endpoint))
}

/** Whether no endpoint can ever prove it. An endpoint that was never searched, because it does not answer, still may. */
export function isUnprovable(searches: readonly HistorySearch[], endpoints: readonly string[]): boolean {
  const obstructed = obstructedEndpoints(searches)
  return endpoints.length > 0 && endpoints.every((endpoint) => obstructed.has(endpoint))
}

/** The searches that have advanced or must start over. */
export function changedSearches(searches: readonly HistorySearch[], saved: readonly HistorySearch[]): HistorySearch[] {
  return searches.filter((search) => {
    const { purchaseId, endpoint, address } = search
    const earlier = saved.find((one) => one.endpoint === endpoint && one.address === address) ?? beginSearch(purchaseId, endpoint, address)
    const fields = ['listedTo', 'decidedTo', 'decided', 'obstacle'] as const
    return fields.some((field) => search[field] !== earlier[field]) || (!search.listed && search.pages !== earlier.pages)
  })
}
