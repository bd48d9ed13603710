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

/** One sale. Drawn again only when its age has another text. */
export const SaleRow = memo(function SaleRow({ sale, age, network }: SaleRowProps) {
  const { tokenType, amount, price, unitPrice, signature, settledAt } = sale
  return (
    <li
      className="arrive figures grid min-h-13 grid-cols-[1fr_auto] content-center gap-x-4 px-4 py-2 text-small sm:col-span-full sm:grid-cols-subgrid sm:items-center sm:px-5"
      data-token={tokenType}
    >
      <p className="flex items-center gap-2.5 font-semibold">
        <span className="dot" />
        {formatAmount(amount)} {catalogue().nameOf(tokenType)}
      </p>
      <p className="text-right font-bold whitespace-nowrap sm:order-1">{formatSol(price)} SOL</p>
      <div className="text-dim max-sm:text-tiny sm:contents">
        <p className="max-sm:inline sm:text-right">
          {formatUnitPrice(unitPrice)} each
          <span className="sm:hidden"> · </span>
        </p>
        <p className="text-tiny max-sm:inline sm:order-3">
          <SignatureLink signature={signature} network={network} />
        </p>
      </div>
      <p className="text-right text-dim whitespace-nowrap max-sm:text-tiny sm:order-2">
        <time dateTime={settledAt} title={formatTime(settledAt)}>
          {age}
        </time>
      </p>
    </li>
  )
})
