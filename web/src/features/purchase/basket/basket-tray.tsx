import { MAX_ITEMS, MAX_SELLERS } from '@juicebar/contract/limits'
import { useQuery } from '@tanstack/react-query'
import { useId, useRef, useState } from 'react'

import { configQuery } from '../../../api/queries.ts'
import { Button } from '../../../ui/button.tsx'
import { ChevronIcon } from '../../../ui/icons.tsx'
import { basketOrder } from '../order/basket.ts'
import { type BasketListing, takeOut, useBasket } from '../order/basket-store.ts'
import { formatRate } from '../../../ui/format.ts'
import { formatLamports } from '../order/order-text.ts'
import { priceOf, totalOf } from '../order/order-terms.ts'
import { usePurchase } from '../use-purchase.ts'
import { BasketRow } from './basket-row.tsx'
import { useKeptBasket } from './use-kept-basket.ts'
import { useMarkGone } from './use-mark-gone.ts'

interface BasketTrayProps {
  walletAddress: string
  /** Nothing can be bought now. */
  paused: boolean
}

/** The listings that the buyer has collected, at the bottom edge, to be bought with one approval. It is hidden while empty. */
export function BasketTray({ walletAddress, paused }: BasketTrayProps) {
  useKeptBasket(walletAddress)
  useMarkGone()
  const listings = useBasket(({ listings }) => listings)
  const { place } = usePurchase()
  const { data: config } = useQuery(configQuery)
  const [open, setOpen] = useState(false)
  const id = useId()
  const toggle = useRef<HTMLButtonElement>(null)
  if (listings.length === 0) return null
  const basisPoints = config?.fee.basisPoints ?? 0
  const order = basketOrder(listings, basisPoints)
  const total = order && formatLamports(totalOf(order))
  const gone = listings.filter((listing) => listing.gone !== undefined).length
  const remove = (removed: readonly BasketListing[]) => {
    // The button that was pressed goes away; the focus stays in the tray, or returns to the view.
    if (removed.length < listings.length) toggle.current?.focus()
    else document.querySelector<HTMLElement>('[role=tabpanel]')?.focus({ preventScroll: true })
    takeOut(removed)
  }
  return (
    <section aria-label="Basket" className="tray popup arrive sticky z-30 mx-auto w-full max-w-2xl p-3 sm:p-4">
      <div id={id} hidden={!open} className="mb-3">
        <ul className="-my-1 max-h-[40dvh] overflow-y-auto">
          {listings.map((listing) => (
            <BasketRow key={listing.listingId} listing={listing} onRemove={() => remove([listing])} />
          ))}
        </ul>
        {order && basisPoints > 0 && (
          <dl className="figures mt-3 grid grid-cols-[1fr_auto] gap-y-1 rounded-field bg-well p-3 text-small">
            <dt className="text-dim">Price</dt>
            <dd className="text-right font-semibold">{formatLamports(priceOf(order.items))} SOL</dd>
            <dt className="text-dim">Studio fee ({formatRate(basisPoints)})</dt>
            <dd className="text-right font-semibold">{formatLamports(order.fee)} SOL</dd>
          </dl>
        )}
        <div className="mt-3 flex flex-wrap items-center justify-between gap-x-4 gap-y-1">
          <p className="flex-1 basis-52 text-tiny text-dim">
            Up to {MAX_ITEMS} listings of {MAX_SELLERS} sellers with one approval. Nothing is reserved until you buy.
          </p>
          <Button kind="bare" small onClick={() => remove(listings)}>
            Empty basket
          </Button>
        </div>
      </div>
      <div className="flex items-center gap-3">
        <button
          ref={toggle}
          type="button"
          aria-expanded={open}
          aria-controls={id}
          onClick={() => setOpen(!open)}
          className="flex min-h-11 min-w-0 flex-1 cursor-pointer items-center gap-2 rounded-field text-left text-small font-semibold"
        >
          <span className={`transition-transform ${open ? '' : 'rotate-180'}`}>
            <ChevronIcon />
          </span>
          <span className="min-w-0">
            Basket<span className="sr-only">: </span>
            <span className="block text-tiny font-normal text-dim">
              {listings.length === 1 ? '1 listing' : `${listings.length} listings`}
              {order && order.fee > 0n && ` · ${formatLamports(priceOf(order.items))} and ${formatLamports(order.fee)} SOL fee`}
              {gone > 0 && <span className="text-warn"> · {gone} left out</span>}
            </span>
          </span>
        </button>
        <Button kind="primary" className="h-auto py-2 whitespace-normal" disabled={paused || !order} onClick={() => order && place(order)}>
          {paused ? 'Paused' : total === undefined ? 'Nothing to pay' : `Pay ${total} SOL`}
        </Button>
      </div>
    </section>
  )
}
