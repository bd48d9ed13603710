import { lamportsToSol } from '@juicebar/contract/money'
import { type OwnListing } from '@juicebar/contract/schemas'

/**
 * One row for each listing. Parts that were bought or came back are added up; beside an active listing they are left out, because that row
 * itself says how many were sold. Parts still on the market keep their own rows, because each of them is removed separately.
 */
export function listingRows(listings: readonly OwnListing[]): OwnListing[] {
  const active = new Set(listings.filter(({ status }) => status === 'active').map(({ _id }) => _id))
  const rows = new Map<string, OwnListing>()
  for (const listing of listings) {
    const { _id, partOf, status } = listing
    if (status === 'sold' && partOf !== undefined && active.has(partOf)) continue
    const key = status === 'active' ? _id : `${partOf ?? _id} ${status}`
    const row = rows.get(key)
    rows.set(key, row ? added(row, listing) : listing)
  }
  return [...rows.values()]
}

function added(row: OwnListing, listing: OwnListing): OwnListing {
  const whole = listing.partOf === undefined ? listing : row
  const amount = row.amount + listing.amount
  const lamports = BigInt(row.lamports) + BigInt(listing.lamports)
  const price = lamportsToSol(lamports)
  return { ...whole, amount, price, lamports: lamports.toString(), unitPrice: price / amount }
}

/** How far an active listing has been sold. */
export interface Progress {
  sold: number
  beingBought: number
  /** For sale now. */
  left: number
}

/** How far a listing has been sold; undefined if nothing is sold and nobody is buying a part. */
export function progressOf({ status, amount, beingBought, sold }: OwnListing): Progress | undefined {
  const left = amount - beingBought
  if (status !== 'active' || (sold === 0 && (beingBought === 0 || left === 0))) return undefined
  return { sold, beingBought, left }
}

/** What removing a listing does while a part of it is held; undefined while none is. */
export function removalNote({ amount, beingBought }: OwnListing, format: (amount: number) => string): string | undefined {
  if (beingBought === 0) return undefined
  const left = format(amount - beingBought)
  const held = format(beingBought)
  return `If you remove it now, ${left} come back at once. The ${held} that are being bought come back only if nobody pays for them.`
}
