import { type Signature } from '@juicebar/contract/addresses'
import { type Selectable } from 'kysely'
import { type HistoryPart, type SignatureEntry } from '../../chain/chain.ts'
import { type HistorySearches } from '../../database/schema.ts'
import { type PurchaseRow } from '../purchase/purchase-store.ts'
import { LISTING_LAG_SLOTS } from './history-walk.ts'

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

/** How far the transactions that name a purchase's reference have been searched for payments, the oldest first. */
export interface ReferenceSearch {
  /** It and everything older is decided. Null if nothing is, or if the list is short. */
  decidedTo: Signature | null
  /** The list, which begins with the newest, has been followed down to this one and goes on. Null to begin with the newest. */
  listedTo: Signature | null
}

/** A shorter list is searched whole each time, since another endpoint may know what this one has missed. */
const SHORT = 100

/** Whether a list, from the last decided transaction on, is searched whole each time. */
export function isShort({ decidedTo, listedTo }: ReferenceSearch, list: readonly SignatureEntry[]): boolean {
  return decidedTo === null && listedTo === null && list.length <= SHORT
}

/** What has been searched once the oldest entries of a list are decided, up to the first that is not. */
export function afterDeciding(
  search: ReferenceSearch,
  oldestFirst: readonly SignatureEntry[],
  highestSlot: bigint,
  isDecided: (entry: SignatureEntry) => boolean,
): ReferenceSearch {
  const open = oldestFirst.findIndex((entry) => entry.slot + LISTING_LAG_SLOTS > highestSlot || !isDecided(entry))
  if (open < 0) return { decidedTo: oldestFirst.at(-1)?.signature ?? search.decidedTo, listedTo: null }
  return { ...search, decidedTo: oldestFirst[open - 1]?.signature ?? search.decidedTo }
}

/** The part of the chain's budget that may go into reading transactions that anybody can make. */
const SHARE = 0.2
/** An endpoint that allows this many requests a second is on this machine, and is not spared. */
const UNLIMITED_PER_SECOND = 1_000
/** Read of one purchase or refund at once; from then on, one a second. */
const AT_ONCE = 16
const PAUSE_MILLIS = 1_000
/** How long a read may wait for its turn: the first of a purchase longer than the others, so that no flood keeps it out. */
const PATIENCE_MILLIS = { first: 4_000, others: 2_000 }

/** Gives turns to read transactions that may be payments or refunds. It takes no time itself: callers wait, and tell it the time. */
export class CandidateBudget {
  /** When the next read may start. */
  #nextAt = Number.NEGATIVE_INFINITY
  /** For each purchase or refund: when it has all its reads again. */
  readonly #restedAt = new Map<string, number>()

  /**
   * Takes a turn to read a transaction.
   *
   * @param subject the purchase or the case
   * @param perSecond what the chain's endpoints allow
   * @param now monotonic milliseconds
   * @returns the milliseconds until that turn; undefined if there is none soon: try again later
   */
  take(subject: string, perSecond: number, now: number): number | undefined {
    if (perSecond >= UNLIMITED_PER_SECOND) return 0
    const restedAt = Math.max(this.#restedAt.get(subject) ?? now, now)
    const isFirst = restedAt === now
    const startsAt = Math.max(this.#nextAt, now)
    if (startsAt - now > (isFirst ? PATIENCE_MILLIS.first : PATIENCE_MILLIS.others)) return undefined
    if (restedAt - now > (AT_ONCE - 1) * PAUSE_MILLIS) return undefined
    this.#forgetRested(now)
    this.#restedAt.set(subject, restedAt + PAUSE_MILLIS)
    this.#nextAt = startsAt + 1_000 / (SHARE * perSecond)
    return startsAt - now
  }

  #forgetRested(now: number): void {
    for (const [subject, restedAt] of this.#restedAt) if (restedAt <= now) this.#restedAt.delete(subject)
  }
}
