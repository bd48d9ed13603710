import { type Listing } from '@juicebar/contract/schemas'

import { refusalToGather } from './basket.ts'
import { takeOut, useBasket } from './basket-store.ts'
import { lotOf } from './lot.ts'

/**
 * Puts a listing, or a part of it, into the basket; without an amount it is all of it, or takes out what is there.
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
