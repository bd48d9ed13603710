import { type Listing } from '@juicebar/contract/schemas'

import { DrinkPlate } from '../../catalogue/drink-image.tsx'
import { formatSol, formatUnitPrice } from '../../ui/format.ts'

/** The picture and the price of a listing. */
export function ListingPrice({ listing, small = false }: { listing: Listing; small?: boolean }) {
  return (
    <div className="mt-5 flex items-center gap-4">
      <DrinkPlate tokenType={listing.tokenType} className={`flex-none rounded-field ${small ? 'h-18 w-16' : 'h-28 w-24'}`} />
      <p className="text-title font-bold">
        <span className="figures">{formatSol(listing.price)}</span> SOL
        <span className="figures block text-small font-normal text-dim">{formatUnitPrice(listing.unitPrice)} SOL each</span>
      </p>
    </div>
  )
}

/** Who sells a listing, and whether in parts. */
export function ListingSeller({ listing }: { listing: Listing }) {
  return (
    <p className="mt-5 rounded-field bg-well p-4 text-small">
      <span className="text-dim">Seller</span> <span className="figures font-semibold wrap-anywhere">{listing.seller}</span>
      {listing.divisible && <span className="mt-1 block text-dim">You can also buy part of it.</span>}
    </p>
  )
}
