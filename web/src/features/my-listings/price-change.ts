import { nearestLamports, parsePrice, solText } from '@juicebar/contract/money'
import { type OwnListing } from '@juicebar/contract/schemas'

import { listingPriceProblem } from '../../ui/amount/listing-price.ts'

/** What a new price is for: all of a listing that is neither sold nor being bought, and what that costs now, as text in SOL. */
export function pricedRest({ amount, beingBought, unitPrice }: OwnListing): { amount: number; price: string } {
  const left = amount - beingBought
  return { amount: left, price: solText(BigInt(nearestLamports(unitPrice * left))) }
}

/** The problem with a new price, as a sentence; an empty field has no problem yet. */
export function newPriceProblem(listing: OwnListing, text: string): string | undefined {
  const { amount, price } = pricedRest(listing)
  // The rest of a listing that was sold in parts may cost what no seller could ask for.
  if (text === price) return undefined
  return listingPriceProblem({ amount: String(amount), price: text, divisible: listing.divisible })
}

/** The price in SOL to save; undefined for the price that the listing has already, or for none that it may have. */
export function changedPrice(listing: OwnListing, text: string): number | undefined {
  const lamports = parsePrice(Number(text))
  if (lamports === undefined || solText(lamports) === pricedRest(listing).price || newPriceProblem(listing, text)) return undefined
  return Number(text)
}
