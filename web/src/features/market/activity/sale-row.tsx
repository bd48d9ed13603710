import { type PublicConfig } from '@juicebar/contract/schemas'
import { memo } from 'react'

import { catalogue } from '../../../catalogue/catalogue.ts'
import { formatAmount, formatSol, formatTime, formatUnitPrice } from '../../../ui/format.ts'
import { SignatureLink } from '../../history/signature-link.tsx'
import { type MarketSale } from './sales-query.ts'

interface SaleRowProps {
  sale: MarketSale
  /** How long ago it was. */
  age: string
  network: PublicConfig['network'] | undefined
}

/** One sale. Drawn again only when the text of its age changes. */
export const SaleRow = memo(function SaleRow({ sale, age, network }: SaleRowProps) {
  const { tokenType, amount, price, unitPrice, signature, settledAt } = sale
  return (
    <li
      className="arrive figures grid min-h-13 content-center gap-y-0.5 px-4 py-2 text-small sm:col-span-full sm:grid-cols-subgrid sm:items-center sm:px-5"
      data-token={tokenType}
    >
      <div className="flex justify-between gap-x-4 sm:contents">
        <p className="flex items-center gap-2.5 font-semibold">
          <span className="dot" />
          {formatAmount(amount)} {catalogue().nameOf(tokenType)}
        </p>
        <p className="text-right font-bold whitespace-nowrap sm:order-1">{formatSol(price)} SOL</p>
      </div>
      <div className="flex justify-between gap-x-4 text-dim max-sm:text-tiny sm:contents">
        <p className="whitespace-nowrap sm:contents">
          <span className="sm:text-right">{formatUnitPrice(unitPrice)} each</span>
          <span className="sm:hidden"> · </span>
          <time dateTime={settledAt} title={formatTime(settledAt)} className="sm:order-2 sm:text-right">
            {age}
          </time>
        </p>
        <p className="truncate text-tiny sm:order-3">
          <SignatureLink signature={signature} network={network} />
        </p>
      </div>
    </li>
  )
})
