import { lamportsToSol } from '@juicebar/contract/money'
import { type EndReason, type PublicConfig, type Purchase } from '@juicebar/contract/schemas'

import { formatAmount, formatSol, formatTime, shortSeller } from '../../ui/format.ts'
import { ChevronIcon } from '../../ui/icons.tsx'
import { drinksIn, type Receipt, receiptOf } from './csv.ts'
import { SignatureLink } from './signature-link.tsx'

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

/** Longer lists start collapsed. */
const MOST_OPEN = 3

/** The items of a purchase, one below the other, so that they and the fee add up to its total. */
function ReceiptItems({ receipt: { items, fee }, showsSellers }: { receipt: Receipt; showsSellers: boolean }) {
  return (
    <details open={items.length <= MOST_OPEN} className="group text-tiny max-sm:order-2 max-sm:mt-1 sm:mt-0.5 col-span-full">
      <summary className="inline-flex min-h-6 cursor-pointer list-none items-center gap-1 rounded-tag font-semibold text-dim hover:text-text">
        <span className="-ml-1 -rotate-90 transition-transform group-open:rotate-0">
          <ChevronIcon />
        </span>
        {items.length} listings
      </summary>
      <ul className="mt-1 grid grid-cols-[minmax(0,1fr)_auto] gap-x-3 gap-y-1 sm:grid-cols-[auto_minmax(0,1fr)_auto] rounded-field bg-well px-3 py-2">
        {items.map(({ listingId, tokenType, tokenName, amount, seller, price }) => (
          <li key={listingId} className="col-span-full grid grid-cols-subgrid" data-token={tokenType}>
            <span className="flex items-center gap-2">
              <span className="dot size-2" />
              {formatAmount(amount)} {tokenName}
            </span>
            {showsSellers && (
              <span className="text-dim max-sm:row-start-2 max-sm:pl-4" title={seller}>
                from {shortSeller(seller)}
              </span>
            )}
            <span className="text-right whitespace-nowrap sm:col-start-3">{formatSol(price)} SOL</span>
          </li>
        ))}
        {fee > 0n && (
          <li className="col-span-full grid grid-cols-subgrid">
            <span className="text-dim sm:col-span-2">Studio’s fee</span>
            <span className="text-right whitespace-nowrap">{formatSol(lamportsToSol(fee))} SOL</span>
          </li>
        )}
      </ul>
    </details>
  )
}

const endLabels: Record<EndReason, string> = {
  cancelled: 'Cancelled, nothing paid',
  lapsed: 'Time ran out, nothing paid',
  expired: 'Payment never landed, nothing paid',
  failed: 'Payment failed, nothing paid',
  chain_gone: 'Ended with the earlier local chain',
  released: 'Released by the studio',
}

/** The outcome of a purchase, or what it is waiting for. */
export function outcome({ status, endReason, coSigned, waitsForStudio, releaseReason, earlierChain, finalized }: Purchase): string {
  const chain = earlierChain ? ', on an earlier local chain' : ''
  if (status === 'settled') return `Delivered${finalized ? '' : ', not final yet'}${chain}`
  if (status === 'held' && waitsForStudio) return 'Waiting for the studio'
  if (status === 'held') return coSigned ? 'Payment under way' : 'Waiting for the payment'
  if (endReason === 'released') return `${endLabels.released}: ${releaseReason ?? ''}${chain}`
  return (endReason ? endLabels[endReason] : 'Ended without delivery') + chain
}
