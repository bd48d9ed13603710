import { type Listing } from '@juicebar/contract/schemas'

import { Button } from '../ui/button.tsx'
import { DrinkPlate } from '../ui/drink-image.tsx'
import { formatAmount, formatSol, formatTime, formatUnitPrice } from '../ui/format.ts'
import { removeListing } from './remove-listing.ts'

/** One of the seller's lots. */
export function MyListingRow({ listing }: { listing: Listing }) {
  const { _id, tokenType, tokenName, amount, price, unitPrice, createdAt } = listing
  return (
    <li className="card flex items-center gap-4 p-3 pr-4" data-token={tokenType}>
      <DrinkPlate tokenType={tokenType} className="h-28 w-22 flex-none self-stretch rounded-field sm:w-26" />
      <div className="grid min-w-0 flex-1 gap-x-4 gap-y-2 sm:grid-cols-[1fr_auto] sm:items-center">
        <div className="min-w-0">
          <h3 className="flex items-center gap-2 text-small">
            <span className="dot" />
            {tokenName}
          </h3>
          <p className="figures mt-1 text-tiny text-dim">
            Amount <span className="font-semibold text-text">{formatAmount(amount)}</span>
          </p>
          <p className="figures mt-1 truncate text-lead font-bold">
            {formatSol(price)} <span className="text-small font-semibold text-dim">SOL</span>
            <span className="ml-2 text-tiny font-normal text-dim">{formatUnitPrice(unitPrice)} each</span>
          </p>
          <p className="mt-1 text-tiny text-dim">Listed {formatTime(createdAt)}</p>
        </div>
        <RowAction listing={listing} onRemove={() => void removeListing(_id)} />
      </div>
    </li>
  )
}

function RowAction({ listing, onRemove }: { listing: Listing; onRemove: () => void }) {
  if (listing.status === 'sold') return <span className="text-small font-semibold text-good">Sold</span>
  if (listing.status === 'removed') return <span className="text-small font-semibold text-dim">Removed</span>
  if (listing.heldUntil) {
    return (
      <span className="text-tiny text-dim sm:max-w-36 sm:text-right">
        A buyer is paying until {formatTime(listing.heldUntil)}. It cannot be removed now.
      </span>
    )
  }
  return (
    <Button small className="justify-self-start" onClick={onRemove}>
      Remove
    </Button>
  )
}
