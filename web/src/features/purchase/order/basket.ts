import { MAX_ITEMS, MAX_SELLERS } from '@juicebar/contract/limits'
import { feeAt } from '@juicebar/contract/money'

import { type BasketListing } from './basket-store.ts'
import { parseRecord, readItems, writeItems } from './kept-items.ts'
import { priceOf } from './order-terms.ts'
import { type Order, type OrderItem } from './order.ts'

/** Why one more listing does not fit; undefined if it does. */
export function refusalToGather(listings: readonly BasketListing[], { seller }: OrderItem): string | undefined {
  if (listings.length >= MAX_ITEMS) return `A basket has room for ${MAX_ITEMS} listings. Buy these first, or take one out.`
  const sellers = new Set(listings.map((listing) => listing.seller))
  if (sellers.size >= MAX_SELLERS && !sellers.has(seller)) {
    return `One payment can go to ${MAX_SELLERS} sellers at most, and your basket has that many. Buy these first, or take one out.`
  }
  return undefined
}

/** The listings of a basket that can be bought, as one order; undefined if there are none. */
export function basketOrder(listings: readonly BasketListing[], basisPoints: number): Order | undefined {
  const items = listings.filter(({ gone }) => gone === undefined)
  if (items.length === 0) return undefined
  // An upper bound: the studio's own listings are free of the fee.
  return { items, fee: feeAt(priceOf(items), basisPoints), origin: 'chosen' }
}

/** A wallet's basket as text, to be kept over a reload. */
export function writeBasket(walletAddress: string, listings: readonly BasketListing[]): string {
  return JSON.stringify({ walletAddress, listings: writeItems(listings) })
}

/** Reads what `writeBasket` wrote. Returns an empty basket for another wallet's text or for anything else. */
export function readBasket(text: string | null, walletAddress: string): BasketListing[] {
  const kept = parseRecord(text)
  return kept?.['walletAddress'] === walletAddress ? readItems(kept['listings']) : []
}
