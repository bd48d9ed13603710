import { CO_SIGNED_FEE_LAMPORTS, SIGNATURE_FEE_LAMPORTS } from '@juicebar/contract/limits'
import { feeAt, solText } from '@juicebar/contract/money'
import { type Listing } from '@juicebar/contract/schemas'
import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useEffect, useState } from 'react'

import { isPassing } from '../../api/api-error.ts'
import { hasCode } from '../../api/refusals.ts'
import { configQuery, keys, reload } from '../../api/queries.ts'
import { DrinkPlate } from '../../catalogue/drink-image.tsx'
import { AmountField, readAmount } from '../../ui/amount/amount-field.tsx'
import { useDebounced } from '../../ui/use-debounced.ts'
import { Button } from '../../ui/button.tsx'
import { formatAmount, formatRate, formatUnitPrice } from '../../ui/format.ts'
import { Modal } from '../../ui/modal.tsx'
import { useRetained } from '../../ui/use-retained.ts'
import { useWallet } from '../../wallet/wallet-store.ts'
import { NextBest } from './best-price/quote-summary.tsx'
import { useBasket } from './order/basket-store.ts'
import { isOvertaken, offerQuery, orderOfOffer } from './order/offer.ts'
import { formatLamports, totalOf } from './order/order-terms.ts'
import { type Order, type OrderItem, orderItemOf } from './order/order.ts'
import { usePurchase } from './use-purchase.ts'
import { wayToPay } from './way-to-pay.ts'

/** Asks the buyer to confirm amount, price, fees and seller before the wallet opens; or shows what there is instead of a listing that is gone. */
export function BuyDialog() {
  const { confirming, overtaken, dismiss } = usePurchase()
  const shown = useRetained(confirming ?? overtaken)
  return (
    <Modal open={(confirming ?? overtaken) !== undefined} title="Confirm your purchase" onClose={dismiss}>
      {shown && ('items' in shown ? <NextBest order={shown} /> : <Confirmation key={shown._id} listing={shown} />)}
    </Modal>
  )
}

/** How much of the listing to buy, and its cost. An indivisible listing is bought whole. */
function Confirmation({ listing }: { listing: Listing }) {
  const { dismiss, place, gather } = usePurchase()
  const inBasket = useBasket(({ listings }) => listings.some(({ listingId }) => listingId === listing._id))
  const [text, setText] = useState(String(listing.amount))
  const amount = readAmount(text, listing.amount)
  const { order, basisPoints, networkFee, refusal, overtaken, isOld } = useTerms(listing, amount)
  const [item] = order.items
  const total = formatLamports(totalOf(order))
  const toBasket = () => {
    gather(listing, amount)
    dismiss()
  }
  if (overtaken) return <NextBest order={order} />
  return (
    <>
      <div className="mt-5 flex items-center gap-4">
        <DrinkPlate tokenType={listing.tokenType} className="h-28 w-24 flex-none rounded-field" />
        <p className="text-title font-bold">
          <span className="figures">{formatAmount(item.amount)}</span> {listing.tokenName}
          <span className="figures block text-small font-normal text-dim">{formatUnitPrice(listing.unitPrice)} SOL each</span>
        </p>
      </div>
      {listing.divisible && listing.amount > 1 && (
        <div className="mt-5">
          <AmountField
            label="Amount"
            hint={`of ${formatAmount(listing.amount)}`}
            value={text}
            amount={amount}
            max={listing.amount}
            problem={amount === undefined ? `A whole number from 1 to ${formatAmount(listing.amount)}` : undefined}
            onChange={setText}
          />
        </div>
      )}
      <dl aria-busy={isOld} className="mt-5 grid gap-2.5 rounded-field bg-well p-4 text-small">
        <Row label="Price">{formatLamports(item.lamports)} SOL</Row>
        {basisPoints > 0 && (
          <>
            <Row label={`Studio fee (${formatRate(basisPoints)})`}>{formatLamports(order.fee)} SOL</Row>
            <Row label="Total">{total} SOL</Row>
          </>
        )}
        <Row label="Network fee">about {solText(networkFee)} SOL</Row>
        <Row label="Seller">
          <span className="text-tiny">{listing.seller}</span>
        </Row>
      </dl>
      <p role="status" className="mt-4 text-small font-semibold text-warn empty:hidden">
        {refusal}
      </p>
      <p className="mt-4 text-small text-dim">
        Your wallet will ask you next. The SOL goes straight to the seller, and a payment can’t be undone.
      </p>
      <div className="mt-6 grid grid-cols-2 gap-3 sm:grid-cols-[auto_auto_1fr]">
        <Button onClick={dismiss}>Cancel</Button>
        <Button disabled={amount === undefined} onClick={toBasket}>
          {inBasket ? 'Change basket' : 'Add to basket'}
        </Button>
        <Button
          kind="primary"
          className="max-sm:col-span-2"
          disabled={amount === undefined || isOld || refusal !== undefined}
          onClick={() => place(order)}
        >
          Pay {total} SOL
        </Button>
      </div>
    </>
  )
}

function Row({ label, children }: { label: string; children: ReactNode }) {
  return (
    <div className="flex items-baseline justify-between gap-4">
      <dt className="text-dim">{label}</dt>
      <dd className="figures text-right font-semibold wrap-anywhere">{children}</dd>
    </div>
  )
}

interface Terms {
  order: Order & { items: readonly [OrderItem] }
  /** The rate of the studio's fee. */
  basisPoints: number
  /** In lamports, for the signatures of the payment. */
  networkFee: bigint
  /** Why it cannot be bought, in the server's words; undefined if nothing is known against it. */
  refusal: string | undefined
  /** Somebody else was faster. */
  overtaken: boolean
  /** The terms are the market's on the screen: the server is being asked for its own. */
  isOld: boolean
}

/**
 * The terms on which a listing, or a part of it, can be bought: as the server offers them, if the payment is one that only the market can
 * send. If the server cannot say so now, they are those of the listing on the screen, and no more is paid than that.
 *
 * @param amount undefined for all of the listing, of which nothing is asked then
 */
function useTerms(listing: Listing, amount: number | undefined): Terms {
  const { data: config } = useQuery(configQuery)
  const wallet = useWallet(({ connected }) => connected?.wallet)
  const coSigned = config !== undefined && wallet !== undefined && wayToPay(wallet, config) === 'co-signed'
  const asked = useDebounced(amount)
  const enabled = coSigned && asked !== undefined
  const { data: offer, error, isPending } = useQuery({ ...offerQuery({ listingId: listing._id, amount: asked ?? 1 }), enabled })
  const isOff = hasCode(error, 'CO_SIGN_OFF')
  useEffect(() => {
    if (isOff) reload(keys.config)
  }, [isOff])

  const basisPoints = config?.fee.basisPoints ?? 0
  const item = orderItemOf(listing, amount ?? listing.amount)
  const shown: Terms = {
    order: { items: [item], fee: feeAt(item.lamports, basisPoints), origin: 'chosen' },
    basisPoints,
    networkFee: coSigned ? CO_SIGNED_FEE_LAMPORTS : SIGNATURE_FEE_LAMPORTS,
    refusal: undefined,
    overtaken: false,
    isOld: false,
  }
  if (!enabled || isOff) return shown
  if (asked !== amount || (isPending && !error)) return { ...shown, isOld: true }
  if (error) return { ...shown, overtaken: isOvertaken(error), refusal: isPassing(error) ? undefined : error.message }
  const { items, fee } = orderOfOffer(offer, { origin: 'chosen' })
  const [offered] = items
  return offered ? { ...shown, order: { items: [offered], fee, origin: 'chosen' }, basisPoints: offer.fee.basisPoints } : shown
}
