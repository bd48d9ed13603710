import { type Reply } from '@juicebar/contract/calls'
import { MAX_ITEMS, MAX_SELLERS } from '@juicebar/contract/limits'
import { type InfiniteData, matchQuery, useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useId, useRef, useState } from 'react'

import { configQuery, keys } from '../../../api/queries.ts'
import { Button } from '../../../ui/button.tsx'
import { formatAmount, formatRate, shortSeller } from '../../../ui/format.ts'
import { ChevronIcon, CloseIcon } from '../../../ui/icons.tsx'
import { type BasketListing, useBasket } from '../order/basket-store.ts'
import { markGone, takeOut } from '../order/change-basket.ts'
import { basketOrder, readBasket, writeBasket } from '../order/basket.ts'
import { formatLamports, priceOf, totalOf } from '../order/order-terms.ts'
import { usePurchase } from '../use-purchase.ts'

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

/** One listing of the basket, and why it cannot be bought if it is gone. */
function BasketRow({ listing, onRemove }: { listing: BasketListing; onRemove: () => void }) {
  const { tokenType, tokenName, amount, seller, lamports, gone } = listing
  const what = `${formatAmount(amount)} ${tokenName}`
  return (
    <li className="flex items-center gap-3 py-1" data-token={tokenType}>
      <span className="dot" />
      <div className="min-w-0 flex-1">
        <p className={`text-small font-semibold ${gone ? 'line-through' : ''}`}>
          {what} <span className="font-normal text-dim">of {shortSeller(seller)}</span>
        </p>
        {gone && <p className="text-tiny text-warn">{gone}</p>}
      </div>
      <p className={`figures text-small font-semibold wrap-anywhere ${gone ? 'text-dim line-through' : ''}`}>
        {formatLamports(lamports)} SOL
      </p>
      <button
        type="button"
        aria-label={`Take out ${what} of ${shortSeller(seller)}`}
        onClick={onRemove}
        className="grid size-11 flex-none cursor-pointer place-items-center rounded-field text-dim hover:text-text"
      >
        <CloseIcon />
      </button>
    </li>
  )
}

const KEY = 'basket'

/** Keeps the basket of a wallet over a reload of this tab. It is empty for any other wallet, and after a logout. */
function useKeptBasket(walletAddress: string): void {
  useEffect(() => {
    const kept = readBasket(sessionStorage.getItem(KEY), walletAddress)
    const stop = useBasket.subscribe(({ listings }) => sessionStorage.setItem(KEY, writeBasket(walletAddress, listings)))
    // Some may have been collected before this part of the page was there.
    useBasket.setState(({ listings }) => {
      const isNew = ({ listingId }: BasketListing) => listings.every((listing) => listing.listingId !== listingId)
      return { listings: [...kept.filter(isNew), ...listings].slice(-MAX_ITEMS) }
    })
    return () => {
      stop()
      useBasket.setState({ listings: [] })
    }
  }, [walletAddress])
}

type Pages = InfiniteData<Reply<'listings'>, string>

/** Marks listings of the basket as soon as the market on the screen says that they are sold or removed. */
function useMarkGone(): void {
  const client = useQueryClient()
  useEffect(
    () =>
      client.getQueryCache().subscribe(({ type, query }) => {
        const { listings } = useBasket.getState()
        if (type !== 'updated' || listings.length === 0 || !matchQuery({ queryKey: keys.listings }, query)) return
        const loaded = client.getQueriesData<Pages>({ queryKey: keys.listings }).flatMap(([, data]) => data?.pages ?? [])
        for (const { _id, status } of loaded.flatMap(({ listings }) => listings)) {
          const known = status === 'active' || listings.every(({ listingId, gone }) => listingId !== _id || gone !== undefined)
          if (!known) markGone(_id, 'This listing is no longer for sale.')
        }
      }),
    [client],
  )
}
