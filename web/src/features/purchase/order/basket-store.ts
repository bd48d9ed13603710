import { create } from 'zustand'

import { type OrderItem } from './order.ts'

/** A lot in the buyer's basket. */
export interface BasketLot extends OrderItem {
  /** Why it cannot be bought with the others, in the server's words; undefined if nothing is known against it. */
  gone?: string
}

/** The lots in the signed-in wallet's basket; none for a visitor. */
export const useBasket = create<{ lots: readonly BasketLot[] }>()(() => ({ lots: [] }))

/** Removes lots from the basket, whatever their amount. */
export function takeOut(items: readonly Pick<OrderItem, 'listingId'>[]): void {
  useBasket.setState(({ lots }) => ({ lots: lots.filter((lot) => items.every(({ listingId }) => listingId !== lot.listingId)) }))
}

/** Marks a lot that the server has refused. */
export function markGone(listingId: string, gone: string): void {
  useBasket.setState(({ lots }) => ({ lots: lots.map((lot) => (lot.listingId === listingId ? { ...lot, gone } : lot)) }))
}
