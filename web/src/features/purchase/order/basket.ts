import { MAX_ITEMS, MAX_SELLERS } from '@juicebar/contract/limits'
import { feeAt } from '@juicebar/contract/money'

import { type BasketLot } from './basket-store.ts'
import { parseRecord, readItems, writeItems } from './kept-items.ts'
import { priceOf } from './order-terms.ts'
import { type Order, type OrderItem } from './order.ts'

/** Why one more lot does not fit; undefined if it does. */
export function refusalToGather(lots: readonly BasketLot[], { seller }: OrderItem): string | undefined {
  if (lots.length >= MAX_ITEMS) return `A basket has room for ${MAX_ITEMS} lots. Buy these first, or take one out.`
  const sellers = new Set(lots.map((lot) => lot.seller))
  if (sellers.size >= MAX_SELLERS && !sellers.has(seller)) {
    return `One payment can go to ${MAX_SELLERS} sellers at most, and your basket has that many. Buy these first, or take one out.`
  }
  return undefined
}

/** The lots of a basket that can be bought, as one order; undefined if there are none. */
export function basketOrder(lots: readonly BasketLot[], basisPoints: number): Order | undefined {
  const items = lots.filter(({ gone }) => gone === undefined)
  if (items.length === 0) return undefined
  // An upper bound: the studio's own lots are free of the fee.
  return { items, fee: feeAt(priceOf(items), basisPoints), origin: 'chosen' }
}

/** A wallet's basket as text, to be kept over a reload. */
export function writeBasket(walletAddress: string, lots: readonly BasketLot[]): string {
  return JSON.stringify({ walletAddress, lots: writeItems(lots) })
}

/** Reads what `writeBasket` wrote. Returns an empty basket for another wallet's text or for anything else. */
export function readBasket(text: string | null, walletAddress: string): BasketLot[] {
  const kept = parseRecord(text)
  return kept?.['walletAddress'] === walletAddress ? readItems(kept['lots']) : []
}
