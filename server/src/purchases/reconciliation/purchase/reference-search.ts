import { type Signature } from '@juicebar/contract/addresses'

import { type SignatureEntry } from '../../../chain/chain.ts'

/** How far the transactions that name a purchase's reference have been searched for payments, the oldest first. */
export interface ReferenceSearch {
  /** It and everything older is decided. Null if nothing is, or if the list is short. */
  decidedTo: Signature | null
  /** The list, which begins with the newest, has been followed down to this one and goes on. Null to begin with the newest. */
  listedTo: Signature | null
}

/** A shorter list is searched whole each time, since another endpoint may know what this one has missed. */
const SHORT = 100
/** RPC nodes list a transaction some time after its slot. */
const LISTING_LAG_SLOTS = 64n

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
