import { create } from 'zustand'

import { type OrderItem } from './order.ts'

/** A lot that the buyer has gathered. */
export interface BasketLot extends OrderItem {
  /** Why it cannot be bought with the others, in the server's words; undefined if nothing is known against it. */
  gone?: string
}

/** The lots that the signed-in wallet has gathered; none for a visitor. */
export const useBasket = create<{ lots: readonly BasketLot[] }>()(() => ({ lots: [] }))

/** Takes lots out of the basket, whatever amount of them it has. */
export function takeOut(items: readonly Pick<OrderItem, 'listingId'>[]): void {
  useBasket.setState(({ lots }) => ({ lots: lots.filter((lot) => items.every(({ listingId }) => listingId !== lot.listingId)) }))
}

/** Marks a lot that the server has refused. */
export function markGone(listingId: string, gone: string): void {
  useBasket.setState(({ lots }) => ({ lots: lots.map((lot) => (lot.listingId === listingId ? { ...lot, gone } : lot)) }))
}
