import { useQuery } from '@tanstack/react-query'

import { listingQuery } from '../../api/listing-query.ts'
import { Button } from '../../ui/button.tsx'
import { useLateReplay } from '../../ui/early-events.ts'
import { formatAmount } from '../../ui/format.ts'
import { CloseIcon } from '../../ui/icons.tsx'
import { useConnect } from '../../wallet/use-connect.ts'
import { ListingPrice, ListingSeller } from './facts-of-listing.tsx'

/** What the dialog of a listing shows, and where, until the dialog is there. Without a script it stays. */
export function FirstViewOfListing({ listingId }: { listingId: string }) {
  const { data: listing } = useQuery({ ...listingQuery(listingId), enabled: false })
  const { connectChosen } = useConnect()
  const late = useLateReplay()
  if (!listing) return null
  return (
    <div {...late}>
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
    </div>
  )
}
