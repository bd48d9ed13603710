import { type Listing } from '@juicebar/contract/schemas'

import { refusalToGather } from './basket.ts'
import { takeOut, useBasket } from './basket-store.ts'
import { orderItemOf } from './order-item.ts'

/**
 * Adds a listing, or a part of it, to the basket. Without an amount, adds all of it, or removes it if it is already there.
 *
 * @returns why it does not fit; undefined if it does
 */
export function gatherListing(listing: Listing, amount?: number): string | undefined {
  const before = useBasket.getState().listings
  const others = before.filter(({ listingId }) => listingId !== listing._id)
  if (amount === undefined && others.length < before.length) {
    takeOut([{ listingId: listing._id }])
    return undefined
  }
  const item = orderItemOf(listing, amount ?? listing.amount)
  const refusal = refusalToGather(others, item)
  if (refusal === undefined) useBasket.setState({ listings: [...others, item] })
  return refusal
}
