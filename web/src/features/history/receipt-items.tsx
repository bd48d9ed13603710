import { lamportsToSol } from '@juicebar/contract/money'

import { formatAmount, formatSol, shortSeller } from '../../ui/format.ts'
import { ChevronIcon } from '../../ui/icons.tsx'
import { type Receipt } from './receipt.ts'

/** Longer lists start collapsed. */
const MOST_OPEN = 3

/** The items of a purchase, one below the other, so that they and the fee add up to its total. */
export function ReceiptItems({ receipt: { items, fee }, showsSellers }: { receipt: Receipt; showsSellers: boolean }) {
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
