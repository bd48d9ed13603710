import { lamportsToSol } from '@juicebar/contract/money'
import { type PublicConfig, type Purchase } from '@juicebar/contract/schemas'

import { formatAmount, formatSol, formatTime, shortSeller } from '../../ui/format.ts'
import { outcome } from './outcome.ts'
import { ReceiptItems } from './receipt-items.tsx'
import { SignatureLink } from './signature-link.tsx'
import { drinksIn, type Receipt, receiptOf } from './receipt.ts'

interface HistoryRowProps {
  purchase: Purchase
  /** The seller who is viewing it; undefined for the buyer. */
  soldBy: string | undefined
  network: PublicConfig['network'] | undefined
}

/** One purchase, or what one seller sold with it. */
export function HistoryRow({ purchase, soldBy, network }: HistoryRowProps) {
  const { createdAt, signature } = purchase
  const receipt = receiptOf(purchase, soldBy)
  const drinks = drinksIn(receipt)
  return (
    <li
      className="figures grid grid-cols-[1fr_auto] gap-x-4 gap-y-1 px-4 py-3 text-small sm:col-span-full sm:grid-cols-subgrid sm:items-center sm:px-5"
      data-token={drinks.tokenType}
    >
      <p className="flex items-center gap-2.5 font-semibold">
        <span className="dot" />
        {formatAmount(drinks.amount)} {drinks.name}
      </p>
      <div className="text-dim max-sm:order-1 max-sm:col-span-full max-sm:text-tiny sm:contents">
        <p className="max-sm:inline">
          {soldBy === undefined ? <Sellers receipt={receipt} /> : <span title={purchase.buyer}>to {shortSeller(purchase.buyer)}</span>}
          <span className="sm:hidden"> · </span>
        </p>
        <div className="max-sm:inline">
          <p className="max-sm:inline">{outcome(purchase)}</p>
          <p className="text-tiny">
            {formatTime(createdAt)}
            {signature && ' · '}
            {signature && <SignatureLink signature={signature} network={network} />}
          </p>
        </div>
      </div>
      <Total receipt={receipt} />
      {receipt.items.length > 1 && <ReceiptItems receipt={receipt} showsSellers={soldBy === undefined} />}
    </li>
  )
}

function Sellers({ receipt: { items } }: { receipt: Receipt }) {
  const [seller = '', ...others] = new Set(items.map((item) => item.seller))
  if (others.length) return <>from {others.length + 1} sellers</>
  return <span title={seller}>from {shortSeller(seller)}</span>
}

/** The total, and how much of it was the fee, if any. */
function Total({ receipt: { lamports, fee } }: { receipt: Receipt }) {
  return (
    <p className="text-right font-bold">
      {formatSol(lamportsToSol(lamports + fee))} SOL
      {fee > 0n && <span className="block text-tiny font-normal text-dim">incl. {formatSol(lamportsToSol(fee))} SOL fee</span>}
    </p>
  )
}
