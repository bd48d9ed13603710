import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import { messages } from '@juicebar/contract/messages'
import { lamportsToSol } from '@juicebar/contract/money'
import { type OwnListing } from '@juicebar/contract/schemas'

import { serverSentence } from '../../api/api-error.ts'
import { call } from '../../api/client.ts'
import { myListingsQuery, type MyListingsStatus, refreshMarket } from '../../api/queries.ts'
import { DrinkPlate } from '../../catalogue/drink-image.tsx'
import { dismissBanner, showBanner, showToast } from '../../feedback/notices.ts'
import { Button } from '../../ui/button.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { formatAmount, formatSol, formatTime, formatUnitPrice } from '../../ui/format.ts'
import { Loading } from '../../ui/loading.tsx'
import { ChangePrice } from './change-price.tsx'
import { RemoveAll } from './remove-all.tsx'

const statusLabels: Record<MyListingsStatus, string> = { active: 'Active', sold: 'Sold', removed: 'Removed', all: 'All' }
const statuses: readonly MyListingsStatus[] = ['active', 'sold', 'removed', 'all']

const emptyTitles: Record<MyListingsStatus, string> = {
  active: 'You have no active listings',
  sold: 'You have sold nothing yet',
  removed: 'You have removed no listings',
  all: 'You have no listings yet',
}

/** The seller's own listings, grouped by outcome. */
export function MyListings() {
  const [status, setStatus] = useState<MyListingsStatus>('active')
  const { data, isError, refetch } = useQuery(myListingsQuery(status))
  const heading = useRef<HTMLHeadingElement>(null)
  const rows = listingRows(data ?? [])
  return (
    <section aria-labelledby="my-listings-title" className="grid gap-5">
      <div className="flex flex-wrap items-center justify-between gap-4">
        <h2 ref={heading} id="my-listings-title" tabIndex={-1} className="text-title">
          Your Listings
        </h2>
        {status === 'active' && <RemoveAll rows={rows} heading={heading} />}
        <StatusFilter chosen={status} onChoose={setStatus} />
      </div>
      {!data && <Loading failed={isError} what="Your listings" onRetry={() => void refetch()} />}
      {data?.length === 0 && <EmptyState title={emptyTitles[status]} />}
      {data && data.length > 0 && (
        <ul className="grid gap-3 lg:grid-cols-2">
          {rows.map((listing) => (
            <MyListingRow key={listing._id} listing={listing} />
          ))}
        </ul>
      )}
    </section>
  )
}

function StatusFilter({ chosen, onChoose }: { chosen: MyListingsStatus; onChoose: (status: MyListingsStatus) => void }) {
  return (
    <fieldset className="min-w-0 max-sm:w-full sm:ml-auto">
      <legend className="sr-only">Status</legend>
      <div className="flex flex-wrap gap-1.5 sm:gap-2">
        {statuses.map((status) => (
          <label key={status} className="chip max-[23rem]:px-3">
            <input type="radio" name="status" className="sr-only" checked={chosen === status} onChange={() => onChoose(status)} />
            {statusLabels[status]}
          </label>
        ))}
      </div>
    </fieldset>
  )
}

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
        <RowStatus listing={listing} />
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
        {status === 'active' && (
          <ChangePrice listing={listing}>
            {!listing.heldUntil && (
              <Button small onClick={() => removeListing(_id)}>
                Remove
              </Button>
            )}
          </ChangePrice>
        )}
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

function RowStatus({ listing }: { listing: OwnListing }) {
  if (listing.status === 'sold') return <span className={`text-small font-semibold text-good ${beside}`}>Sold</span>
  if (listing.status === 'removed') return <span className={`text-small font-semibold text-dim ${beside}`}>Removed</span>
  if (!listing.heldUntil) return null
  return (
    <span className="text-tiny text-dim max-sm:order-last max-sm:col-span-full sm:col-start-2 sm:row-span-3 sm:row-start-1 sm:max-w-36 sm:text-right">
      {heldText(listing, listing.heldUntil)}
    </span>
  )
}

function heldText({ waitsForStudio, partOf }: OwnListing, heldUntil: string): string {
  if (waitsForStudio)
    return 'The network can no longer show whether a buyer paid. The studio decides; until then it can’t be changed or removed.'
  const until = `A buyer is paying, until ${formatTime(heldUntil)} at the latest.`
  return partOf === undefined ? `${until} It can’t be changed or removed now.` : `${until} If they don’t, it is yours again.`
}

/** How much of a listing is sold, being bought and left, as a bar with its words below. */
function SaleProgress({ progress: { sold, beingBought, left } }: { progress: Progress }) {
  return (
    <div className="mt-2 grid gap-1.5">
      <div className="sale-bar" aria-hidden="true">
        <span className="sale-bar-sold" style={{ flexGrow: sold }} />
        <span className="sale-bar-held" style={{ flexGrow: beingBought }} />
        <span style={{ flexGrow: left }} />
      </div>
      <p className="figures text-tiny text-dim">
        {sold > 0 && `${formatAmount(sold)} sold so far, `}
        {formatAmount(left)} left
      </p>
    </div>
  )
}

/** Takes one of the seller's listings off the market, by its id; a failure goes to the banner. */
function useRemoveListing() {
  const client = useQueryClient()
  return useMutation({
    meta: { processing: 'Taking your listing off the market' },
    onMutate: dismissBanner,
    mutationFn: (id: string) => call('removeListing', { params: { id } }),
    onSuccess: ({ listing: removed }) => {
      showToast(messages.listingRemoved, 'good')
      // The row disappears at once, so that the focus does not return to a button that is about to disappear.
      client.setQueryData(myListingsQuery('active').queryKey, (listings) => listings?.filter(({ _id }) => _id !== removed._id))
      client.setQueryData(myListingsQuery('all').queryKey, (listings) =>
        listings?.map((listing) => (listing._id === removed._id ? { ...listing, ...removed } : listing)),
      )
    },
    onError: (error) => showBanner(serverSentence(error, messages.removeFailed)),
    onSettled: refreshMarket,
  })
}

/**
 * One row for each listing. Parts that were bought or came back are added up; beside an active listing they are left out, because that row
 * itself says how many were sold. Parts still on the market keep their own rows, because each of them is removed separately.
 */
export function listingRows(listings: readonly OwnListing[]): OwnListing[] {
  const active = new Set(listings.filter(({ status }) => status === 'active').map(({ _id }) => _id))
  const rows = new Map<string, OwnListing>()
  for (const listing of listings) {
    const { _id, partOf, status } = listing
    if (status === 'sold' && partOf !== undefined && active.has(partOf)) continue
    const key = status === 'active' ? _id : `${partOf ?? _id} ${status}`
    const row = rows.get(key)
    rows.set(key, row ? added(row, listing) : listing)
  }
  return [...rows.values()]
}

function added(row: OwnListing, listing: OwnListing): OwnListing {
  const whole = listing.partOf === undefined ? listing : row
  const amount = row.amount + listing.amount
  const lamports = BigInt(row.lamports) + BigInt(listing.lamports)
  const price = lamportsToSol(lamports)
  return { ...whole, amount, price, lamports: lamports.toString(), unitPrice: price / amount }
}

/** How far an active listing has been sold. */
interface Progress {
  sold: number
  beingBought: number
  /** For sale now. */
  left: number
}

/** How far a listing has been sold; undefined if nothing is sold and nobody is buying a part. */
export function progressOf({ status, amount, beingBought, sold }: OwnListing): Progress | undefined {
  const left = amount - beingBought
  if (status !== 'active' || (sold === 0 && (beingBought === 0 || left === 0))) return undefined
  return { sold, beingBought, left }
}

/** What removing a listing does while a part of it is held; undefined while none is. */
export function removalNote({ amount, beingBought }: OwnListing, format: (amount: number) => string): string | undefined {
  if (beingBought === 0) return undefined
  const left = format(amount - beingBought)
  const held = format(beingBought)
  return `If you remove it now, ${left} come back at once. The ${held} that are being bought come back only if nobody pays for them.`
}
