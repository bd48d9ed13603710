import { solText } from '@juicebar/contract/money'
import { type ReactNode } from 'react'

import { formatLamports } from '../order/order-text.ts'
import { priceOf, totalOf } from '../order/order-terms.ts'
import { type Order } from '../order/order.ts'

interface TermsProps {
  /** undefined until there is a price. */
  order: Order | undefined
  /** In lamports. */
  networkFee: bigint
}

/** What a checkout costs: the price, the studio's fee if there is one, the total, and the network's fee. */
export function Terms({ order, networkFee }: TermsProps) {
  return (
    <dl aria-busy={order === undefined} className="grid gap-2 rounded-field bg-well p-4 text-small">
      {order && order.fee > 0n && (
        <>
          <Row label="Price">{formatLamports(priceOf(order.items))} SOL</Row>
          <Row label="Studio fee">{formatLamports(order.fee)} SOL</Row>
        </>
      )}
      <div className="flex items-baseline justify-between gap-4">
        <dt className="font-semibold">Total</dt>
        <dd className="figures text-right text-lead font-bold wrap-anywhere">
          {order ? `${formatLamports(totalOf(order))} SOL` : <span className="breathe text-dim">…</span>}
        </dd>
      </div>
      <Row label="Network fee">about {solText(networkFee)} SOL</Row>
    </dl>
  )
}

function Row({ label, children }: { label: string; children: ReactNode }) {
  return (
    <div className="flex items-baseline justify-between gap-2">
      <dt className="flex-none text-dim">{label}</dt>
      <dd className="figures text-right font-semibold wrap-anywhere">{children}</dd>
    </div>
  )
}
