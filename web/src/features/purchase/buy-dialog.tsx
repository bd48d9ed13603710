import { solText } from '@juicebar/contract/money'
import { type Listing } from '@juicebar/contract/schemas'
import { type ReactNode, useState } from 'react'

import { AmountField } from '../../ui/amount/amount-field.tsx'
import { Button } from '../../ui/button.tsx'
import { DrinkPlate } from '../../catalogue/drink-image.tsx'
import { formatAmount, formatRate, formatUnitPrice } from '../../ui/format.ts'
import { Modal } from '../../ui/modal.tsx'
import { readAmount } from '../../ui/amount/read-amount.ts'
import { useRetained } from '../../ui/use-retained.ts'
import { NextBest } from './best-price/next-best.tsx'
import { useBasket } from './order/basket-store.ts'
import { formatLamports } from './order/order-text.ts'
import { totalOf } from './order/order-terms.ts'
import { usePurchase } from './use-purchase.ts'
import { useTerms } from './use-terms.ts'

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
