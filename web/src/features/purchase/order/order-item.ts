import { partPrice } from '@juicebar/contract/money'
import { type Listing } from '@juicebar/contract/schemas'

import { type OrderItem } from './order.ts'

/** Decimals of a SOL number that are lamports. */
const SOL_DIGITS = 9

/**
 * The price of a listing in lamports. A price from the server has at most nine decimals, which `toFixed` reproduces exactly; the rest of a
 * divided listing may be so cheap that JavaScript writes its price with an exponent.
 */
export function listingLamports({ price }: Pick<Listing, 'price'>): bigint {
  return BigInt(price.toFixed(SOL_DIGITS).replace('.', ''))
}

/** What a part of a listing costs, in lamports. */
export function partLamports(listing: Pick<Listing, 'price' | 'amount'>, amount: number): bigint {
  return partPrice({ amount: listing.amount, lamports: listingLamports(listing) }, amount)
}

/** A listing, or a part of it, as an item of an order. */
export function orderItemOf(listing: Listing, amount: number): OrderItem {
  const { _id: listingId, seller, tokenType, tokenName } = listing
  return { listingId, seller, tokenType, tokenName, amount, lamports: partLamports(listing, amount) }
}
