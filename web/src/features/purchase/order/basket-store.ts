import { create } from 'zustand'

import { type OrderItem } from './order.ts'

/** A listing in the buyer's basket. */
export interface BasketListing extends OrderItem {
  /** Why it cannot be bought with the others, in the server's words; undefined if nothing is known against it. */
  gone?: string
}

/** The listings in the signed-in wallet's basket; none for a visitor. */
export const useBasket = create<{ listings: readonly BasketListing[] }>()(() => ({ listings: [] }))
