import { useBasket } from './basket-store.ts'
import { type OrderItem } from './order.ts'

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
