import { type Listing } from '@juicebar/contract/schemas'
import { useQuery } from '@tanstack/react-query'

import { listingQuery } from '../../api/listing-query.ts'
import { DrinkPlate } from '../../catalogue/drink-image.tsx'
import { Button } from '../../ui/button.tsx'
import { formatAmount, formatSol, formatUnitPrice } from '../../ui/format.ts'
import { CloseIcon } from '../../ui/icons.tsx'
import { useConnect } from '../../wallet/use-connect.ts'

/** What the dialog of a listing shows, and where, until the dialog is there. Without a script it stays. */
export function FirstViewOfListing({ listingId }: { listingId: string }) {
  const { data: listing } = useQuery({ ...listingQuery(listingId), enabled: false })
  const { connectChosen } = useConnect()
  if (!listing) return null
  return (
    <>
      <div className="veil fixed inset-0 z-50" />
      <div className="below-banner fixed inset-0 z-50 grid place-items-end overflow-y-auto sm:place-items-center sm:p-6">
        <section
          aria-labelledby="listing-title"
          className="popup relative w-full max-w-lg rounded-b-none p-5 pb-[max(1.25rem,env(safe-area-inset-bottom))] sm:rounded-b-card sm:p-7"
        >
          <h2 id="listing-title" className="min-h-8 pr-12 text-title">
            {formatAmount(listing.amount)} {listing.tokenName}
          </h2>
          <ListingPrice listing={listing} />
          <ListingSeller listing={listing} />
          <Button kind="primary" className="needs-script mt-6 w-full" onClick={connectChosen}>
            Choose a wallet to buy
          </Button>
          <a
            href="/"
            aria-label="Close"
            className="absolute top-3.5 right-3.5 grid size-11 place-items-center rounded-field text-dim hover:text-text sm:top-5.5 sm:right-5.5"
          >
            <CloseIcon />
          </a>
        </section>
      </div>
    </>
  )
}

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
