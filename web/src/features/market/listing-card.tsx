import { LISTING_PATH } from '@juicebar/contract/market-settings'
import { type Listing } from '@juicebar/contract/schemas'
import { memo, type ReactNode } from 'react'

import { Button } from '../../ui/button.tsx'
import { DrinkImage } from '../../catalogue/drink-image.tsx'
import { AppLink } from '../../navigation/app-link.tsx'
import { formatAmount, formatClock, formatSol, formatUnitPrice, shortSeller } from '../../ui/format.ts'
import { CheckIcon, ClockIcon, PlusIcon } from '../../ui/icons.tsx'
import { whyNotForSale } from '../listing/why-not-for-sale.ts'

interface ListingCardProps {
  listing: Listing
  isOwn: boolean
  /** When this wallet may buy the listing again, by this browser's clock; undefined if it may now. */
  waitUntil: number | undefined
  /** Undefined while nothing can be bought. */
  onBuy: ((listing: Listing) => void) | undefined
  /** It is in the basket. */
  isGathered: boolean
  /** Undefined for those who have no basket. */
  onGather: ((listing: Listing) => void) | undefined
}

/** One listing on the market. */
export const ListingCard = memo(function ListingCard({ listing, isOwn, waitUntil, onBuy, ...basket }: ListingCardProps) {
  const gone = listing.status !== 'active'
  return (
    <article className={`card drink-card relative narrow-board:flex-row ${gone ? 'farewell' : ''}`} data-token={listing.tokenType}>
      <AppLink
        href={`${LISTING_PATH}${listing._id}`}
        scroll={false}
        className="plate h-44 flex-none narrow-board:h-auto narrow-board:w-[28%] narrow-board:max-w-26"
      >
        <DrinkImage tokenType={listing.tokenType} />
      </AppLink>
      <div className="flex min-w-0 flex-1 flex-col p-4 narrow-board:p-3.5">
        <h3 className="flex items-center gap-2 text-small">
          <span className="dot" />
          <span className="line-clamp-2 wrap-anywhere">{listing.tokenName}</span>
        </h3>
        <Facts listing={listing} />
        <div className="mt-auto flex items-end justify-between gap-2">
          <Price listing={listing} />
          <CardAction listing={listing} isOwn={isOwn} waitUntil={waitUntil} onBuy={onBuy} />
        </div>
      </div>
      {onBuy && !gone && !isOwn && !listing.heldUntil && waitUntil === undefined && <GatherButton listing={listing} {...basket} />}
      {gone && <Stamp text={listing.status === 'sold' ? 'Sold' : 'Removed'} />}
    </article>
  )
})

function Facts({ listing }: { listing: Listing }) {
  return (
    <dl className="mt-2.5 grid grid-cols-[1fr_auto] gap-x-3 gap-y-1 text-tiny narrow-board:mt-1 narrow-board:gap-y-0.5">
      <dt className="text-dim">Amount</dt>
      <dd className="figures text-right font-semibold">{formatAmount(listing.amount)}</dd>
      <dt className="text-dim">Seller</dt>
      <dd className="text-right font-semibold" title={listing.seller}>
        {shortSeller(listing.seller)}
      </dd>
    </dl>
  )
}

/** Prices longer than this, in characters, are set in smaller type, so that none is ever cut off. */
const SHORT_PRICE = 6

function Price({ listing }: { listing: Listing }) {
  const price = formatSol(listing.price)
  return (
    <p className="min-w-0">
      <span
        className={`figures block font-bold tracking-tight ${price.length > SHORT_PRICE ? 'text-lead' : 'text-figure narrow-board:text-lead'}`}
      >
        {price} <span className="text-small font-semibold tracking-normal text-dim">SOL</span>
      </span>
      <span className="figures mt-1 block text-tiny text-dim">{formatUnitPrice(listing.unitPrice)} each</span>
    </p>
  )
}

function CardAction({ listing, isOwn, waitUntil, onBuy }: Pick<ListingCardProps, 'listing' | 'isOwn' | 'waitUntil' | 'onBuy'>) {
  if (isOwn) return <Note>Your listing</Note>
  if (listing.heldUntil) {
    return (
      <Note title={whyNotForSale(listing, { walletAddress: undefined, closed: !onBuy })}>
        <ClockIcon />
        Held
      </Note>
    )
  }
  if (waitUntil !== undefined) {
    const end = formatClock(waitUntil)
    return (
      <Note title="Left unpaid.">
        <ClockIcon />
        Wait until {end}
      </Note>
    )
  }
  if (!onBuy) return <Note>Paused</Note>
  return (
    <Button kind="primary" disabled={listing.status !== 'active'} onClick={() => onBuy(listing)}>
      Buy
    </Button>
  )
}

function GatherButton({ listing, isGathered, onGather }: Pick<ListingCardProps, 'listing' | 'isGathered' | 'onGather'>) {
  return (
    onGather && (
      <button
        type="button"
        aria-label="Basket"
        aria-pressed={isGathered}
        title={isGathered ? 'Take out of the basket' : 'Put into the basket'}
        className="gather grid size-11 cursor-pointer place-items-center rounded-full narrow-board:right-auto narrow-board:left-1.5"
        onClick={() => onGather(listing)}
      >
        {isGathered ? <CheckIcon /> : <PlusIcon />}
      </button>
    )
  )
}

/** Why there is no Buy button. */
function Note({ title, children }: { title?: string | undefined; children: ReactNode }) {
  return (
    <span className="flex min-h-11 shrink-99 items-center gap-1.5 text-small leading-tight font-semibold text-dim" title={title}>
      {children}
    </span>
  )
}

function Stamp({ text }: { text: string }) {
  return (
    <span className="absolute inset-0 grid place-items-center rounded-card bg-veil">
      <span className="stamp -rotate-6 rounded-field border-3 border-current px-5 py-2 font-display text-lead font-bold text-on-veil">
        {text}
      </span>
    </span>
  )
}
