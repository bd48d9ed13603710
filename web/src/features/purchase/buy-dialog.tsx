import { SIGNATURE_FEE_LAMPORTS } from '@juicebar/contract/limits'
import { feeAt, solText } from '@juicebar/contract/money'
import { type Listing } from '@juicebar/contract/schemas'
import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'

import { configQuery } from '../../api/queries.ts'
import { AmountField } from '../../ui/amount/amount-field.tsx'
import { Button } from '../../ui/button.tsx'
import { DrinkPlate } from '../../catalogue/drink-image.tsx'
import { formatAmount, formatRate, formatUnitPrice } from '../../ui/format.ts'
import { Modal } from '../../ui/modal.tsx'
import { readAmount } from '../../ui/amount/read-amount.ts'
import { useRetained } from '../../ui/use-retained.ts'
import { useBasket } from './order/basket-store.ts'
import { lotOf } from './order/lot.ts'
import { formatLamports } from './order/order-text.ts'
import { totalOf } from './order/order-terms.ts'
import { type Order } from './order/order.ts'
import { usePurchase } from './use-purchase.ts'

/** Asks the buyer to confirm amount, price, fee and seller before the wallet opens. */
export function BuyDialog() {
  const { confirming, dismiss } = usePurchase()
  const listing = useRetained(confirming)
  return (
    <Modal open={confirming !== undefined} title="Confirm your purchase" onClose={dismiss}>
      {listing && <Confirmation key={listing._id} listing={listing} />}
    </Modal>
  )
}

/** How much of the listing to buy, and its cost. An indivisible listing is bought whole. */
function Confirmation({ listing }: { listing: Listing }) {
  const { dismiss, place, gather } = usePurchase()
  const { data: config } = useQuery(configQuery)
  const inBasket = useBasket(({ lots }) => lots.some(({ listingId }) => listingId === listing._id))
  const [text, setText] = useState(String(listing.amount))
  const amount = readAmount(text, listing.amount)
  const basisPoints = config?.fee.basisPoints ?? 0
  const item = lotOf(listing, amount ?? listing.amount)
  const order: Order = { items: [item], fee: feeAt(item.lamports, basisPoints), origin: 'chosen' }
  const total = formatLamports(totalOf(order))
  const toBasket = () => {
    gather(listing, item.amount)
    dismiss()
  }
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
      <dl className="mt-5 grid gap-2.5 rounded-field bg-well p-4 text-small">
        <Row label="Price">{formatLamports(item.lamports)} SOL</Row>
        {basisPoints > 0 && (
          <>
            <Row label={`Studio fee (${formatRate(basisPoints)})`}>{formatLamports(order.fee)} SOL</Row>
            <Row label="Total">{total} SOL</Row>
          </>
        )}
        <Row label="Network fee">about {solText(SIGNATURE_FEE_LAMPORTS)} SOL</Row>
        <Row label="Seller">
          <span className="text-tiny">{listing.seller}</span>
        </Row>
      </dl>
      <p className="mt-4 text-small text-dim">
        Your wallet will ask you next. The SOL goes straight to the seller, and a payment can’t be undone.
      </p>
      <div className="mt-6 grid grid-cols-2 gap-3 sm:grid-cols-[auto_auto_1fr]">
        <Button onClick={dismiss}>Cancel</Button>
        <Button disabled={amount === undefined} onClick={toBasket}>
          {inBasket ? 'Change basket' : 'Add to basket'}
        </Button>
        <Button kind="primary" className="max-sm:col-span-2" disabled={amount === undefined} onClick={() => place(order)}>
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
