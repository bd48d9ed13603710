import { type OwnListing, type RemovedListings } from '@juicebar/contract/schemas'

import { formatAmount } from '../../ui/format.ts'

type Kept = RemovedListings['kept'][number]

const reasons: Record<Kept['code'], string> = {
  LISTING_HELD_BY_BUYER: 'a buyer is paying for it',
  LISTING_FROZEN: 'the studio must first look into an earlier payment to you',
  BALANCE_LIMIT: 'your inventory cannot hold more of it',
}

const count = (listings: number) => `${formatAmount(listings)} ${listings === 1 ? 'listing' : 'listings'}`

/** How many listings a removal would concern: those that nobody is buying as a whole, and the others. */
export function removable(rows: readonly OwnListing[]): { free: number; held: number } {
  const free = rows.filter(({ heldUntil }) => heldUntil === null).length
  return { free, held: rows.length - free }
}

/** What removing all would do. `more`: there may be listings that are not on the page. */
export function removalQuestion({ free, held }: { free: number; held: number }, { more }: { more: boolean }): string {
  const what = `${more ? 'At least ' : ''}${count(free)}`
  const one = free === 1 && !more
  const question = `${what} ${one ? 'leaves' : 'leave'} the market, and what ${one ? 'it holds' : 'they hold'} comes back to your inventory.`
  if (held === 0) return question
  return `${question} ${count(held)} ${held === 1 ? 'stays, because a buyer is' : 'stay, because buyers are'} paying for ${held === 1 ? 'it' : 'them'}.`
}

/** How many listings were removed, as a sentence. */
export function removedSentence(removed: number): string {
  return removed === 0 ? 'No listing was removed.' : `${count(removed)} removed.`
}

/** Why a listing stayed. It may have come to the market since the page was loaded. */
export function keptSentence({ listingId, code }: Kept, rows: readonly OwnListing[]): string {
  const row = rows.find(({ _id }) => _id === listingId)
  const what = row ? `${formatAmount(row.amount)} ${row.tokenName}` : 'Another listing'
  return `${what}: ${reasons[code]}.`
}
