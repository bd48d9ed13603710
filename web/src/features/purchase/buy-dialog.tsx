import { SIGNATURE_FEE_LAMPORTS } from '@juicebar/contract/limits'
import { solText } from '@juicebar/contract/money'
import { type ReactNode } from 'react'

import { Button } from '../../ui/button.tsx'
import { DrinkPlate } from '../../catalogue/drink-image.tsx'
import { formatAmount, formatSol, formatUnitPrice } from '../../ui/format.ts'
import { Modal } from '../../ui/modal.tsx'
import { useRetained } from '../../ui/use-retained.ts'
import { usePurchase } from './use-purchase.ts'

/** Asks the buyer to confirm amount, price, fee and seller before the wallet opens. */
export function BuyDialog() {
  const { confirming, dismiss, pay } = usePurchase()
  const listing = useRetained(confirming)
  return (
    <Modal open={confirming !== undefined} title="Confirm your purchase" onClose={dismiss}>
      {listing && (
        <>
          <div className="mt-5 flex items-center gap-4">
            <DrinkPlate tokenType={listing.tokenType} className="h-28 w-24 flex-none rounded-field" />
            <p className="text-title font-bold">
              <span className="figures">{formatAmount(listing.amount)}</span> {listing.tokenName}
              <span className="figures block text-small font-normal text-dim">{formatUnitPrice(listing.unitPrice)} SOL each</span>
            </p>
          </div>
          <dl className="mt-5 grid gap-2.5 rounded-field bg-well p-4 text-small">
            <Row label="Price">{formatSol(listing.price)} SOL</Row>
            <Row label="Network fee">about {solText(SIGNATURE_FEE_LAMPORTS)} SOL</Row>
            <Row label="Seller">
              <span className="text-tiny">{listing.seller}</span>
            </Row>
          </dl>
          <p className="mt-4 text-small text-dim">
            Your wallet will ask you next. The SOL goes straight to the seller, and a payment can’t be undone.
          </p>
        </>
      )}
      <div className="mt-6 grid grid-cols-[auto_1fr] gap-3">
        <Button onClick={dismiss}>Cancel</Button>
        <Button kind="primary" onClick={() => confirming && pay(confirming)}>
          Pay {listing && formatSol(listing.price)} SOL
        </Button>
      </div>
    </Modal>
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
