import { create } from 'zustand'

import { type OrderItem } from './order.ts'

/** A listing in the buyer's basket. */
export interface BasketListing extends OrderItem {
  /** Why it cannot be bought with the others, in the server's words; undefined if nothing is known against it. */
  gone?: string
}

/** The listings in the signed-in wallet's basket; none for a visitor. */
export const useBasket = create<{ listings: readonly BasketListing[] }>()(() => ({ listings: [] }))

/** Removes listings from the basket, whatever their amount. */
export function takeOut(items: readonly Pick<OrderItem, 'listingId'>[]): void {
  useBasket.setState(({ listings }) => ({
    listings: listings.filter((listing) => items.every(({ listingId }) => listingId !== listing.listingId)),
  }))
}

/** Marks a listing that the server has refused. */
export function markGone(listingId: string, gone: string): void {
  useBasket.setState(({ listings }) => ({
    listings: listings.map((listing) => (listing.listingId === listingId ? { ...listing, gone } : listing)),
  }))
}
