import { type OwnListing } from '@juicebar/contract/schemas'

import { Button } from '../../ui/button.tsx'
import { DrinkPlate } from '../../catalogue/drink-image.tsx'
import { formatAmount, formatSol, formatTime, formatUnitPrice } from '../../ui/format.ts'
import { ChangePrice } from './change-price.tsx'
import { progressOf, removalNote } from './listing-rows.ts'
import { SaleProgress } from './sale-progress.tsx'
import { useRemoveListing } from './use-remove-listing.ts'

/** One of the seller's own listings. */
export function MyListingRow({ listing }: { listing: OwnListing }) {
  const { _id, tokenType, tokenName, amount, price, unitPrice, status } = listing
  const { mutate: removeListing } = useRemoveListing()
  const progress = progressOf(listing)
  return (
    <li className="card flex items-center gap-3 p-3 pr-4 sm:gap-4" data-token={tokenType}>
      <DrinkPlate tokenType={tokenType} className="h-26 w-22 flex-none rounded-field max-[23rem]:w-17 sm:w-26" />
      <div className="grid min-w-0 flex-1 grid-cols-[1fr_auto] items-center gap-x-3 gap-y-1">
        <h3 className="flex items-center gap-2 text-small max-[23rem]:col-span-full">
          <span className="dot" />
          <span className="min-w-0 wrap-anywhere">{tokenName}</span>
        </h3>
        <p className="figures col-start-1 text-tiny text-dim">
          Amount <span className="font-semibold text-text">{formatAmount(amount)}</span>
          {progress && progress.beingBought > 0 && `, of which ${formatAmount(progress.beingBought)} are being bought`}
        </p>
        <RowAction listing={listing} onRemove={() => removeListing(_id)} />
        <div className="col-start-1 min-w-0 max-sm:col-span-full">
          <p className="figures flex flex-wrap items-baseline gap-x-2 text-lead font-bold">
            <span className="whitespace-nowrap">
              {formatSol(price)} <span className="text-small font-semibold text-dim">SOL</span>
            </span>
            <span className="text-tiny font-normal text-dim">{formatUnitPrice(unitPrice)} each</span>
          </p>
          {progress && <SaleProgress progress={progress} />}
          <p className="mt-1 text-tiny text-dim">{sinceWhen(listing)}</p>
        </div>
        {progress && !listing.heldUntil && <RemovalNote listing={listing} />}
        {status === 'active' && <ChangePrice listing={listing} />}
      </div>
    </li>
  )
}

/** A part is split off when someone begins to buy it, so that is its time. */
function sinceWhen({ status, partOf, createdAt }: OwnListing): string {
  const time = formatTime(createdAt)
  if (partOf === undefined) return `Listed ${time}`
  return status === 'sold' ? `Sold in parts, the last one bought ${time}` : `Part of a listing, split off ${time}`
}

function RemovalNote({ listing }: { listing: OwnListing }) {
  const note = removalNote(listing, formatAmount)
  return note && <p className="col-span-full mt-1 text-tiny text-dim">{note}</p>
}

/** Its position: beside all the text, on a phone beside the name, on a narrow phone below it. */
const beside = 'col-start-2 row-start-1 row-span-2 max-[23rem]:row-start-2 max-[23rem]:row-span-1 sm:row-span-3'

function RowAction({ listing, onRemove }: { listing: OwnListing; onRemove: () => void }) {
  if (listing.status === 'sold') return <span className={`text-small font-semibold text-good ${beside}`}>Sold</span>
  if (listing.status === 'removed') return <span className={`text-small font-semibold text-dim ${beside}`}>Removed</span>
  if (listing.heldUntil) {
    return (
      <span className="text-tiny text-dim max-sm:order-last max-sm:col-span-full sm:col-start-2 sm:row-span-3 sm:row-start-1 sm:max-w-36 sm:text-right">
        {heldText(listing, listing.heldUntil)}
      </span>
    )
  }
  return (
    <Button small className={beside} onClick={onRemove}>
      Remove
    </Button>
  )
}

function heldText({ waitsForStudio, partOf }: OwnListing, heldUntil: string): string {
  if (waitsForStudio)
    return 'The network can no longer show whether a buyer paid. The studio decides; until then it can’t be changed or removed.'
  const until = `A buyer has until ${formatTime(heldUntil)} to pay.`
  return partOf === undefined ? `${until} It can’t be changed or removed now.` : `${until} Unless they do, it is yours again.`
}
