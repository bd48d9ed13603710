import { partPrice } from '@juicebar/contract/money'
import { type Listing } from '@juicebar/contract/schemas'

import { type OrderItem } from './order.ts'

/** What a part of a listing costs, in lamports. */
export function partLamports(listing: Pick<Listing, 'lamports' | 'amount'>, amount: number): bigint {
  return partPrice({ amount: listing.amount, lamports: BigInt(listing.lamports) }, amount)
}

/** A listing, or a part of it, as an item of an order. */
export function orderItemOf(listing: Listing, amount: number): OrderItem {
  const { _id: listingId, seller, tokenType, tokenName } = listing
  return { listingId, seller, tokenType, tokenName, amount, lamports: partLamports(listing, amount) }
}
