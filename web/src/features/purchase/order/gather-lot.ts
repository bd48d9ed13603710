import { type Listing } from '@juicebar/contract/schemas'

import { refusalToGather } from './basket.ts'
import { takeOut, useBasket } from './basket-store.ts'
import { lotOf } from './lot.ts'

/**
 * Adds a listing, or a part of it, to the basket. Without an amount, adds all of it, or removes it if it is already there.
 *
 * @returns why it does not fit; undefined if it does
 */
export function gatherLot(listing: Listing, amount?: number): string | undefined {
  const before = useBasket.getState().lots
  const others = before.filter(({ listingId }) => listingId !== listing._id)
  if (amount === undefined && others.length < before.length) {
    takeOut([{ listingId: listing._id }])
    return undefined
  }
  const lot = lotOf(listing, amount ?? listing.amount)
  const refusal = refusalToGather(others, lot)
  if (refusal === undefined) useBasket.setState({ lots: [...others, lot] })
  return refusal
}
