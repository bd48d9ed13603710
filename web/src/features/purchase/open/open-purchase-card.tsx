import { type ReactNode } from 'react'

import { DrinkPlate } from '../../../catalogue/drink-image.tsx'
import { formatAmount, formatSol } from '../../../ui/format.ts'
import { type BoughtListing } from '../purchase.ts'

interface OpenPurchaseCardProps {
  purchase: Pick<BoughtListing, 'tokenType' | 'tokenName' | 'amount' | 'price'>
  /** What it waits for. */
  state: ReactNode
  /** What the buyer may do about it. */
  actions?: ReactNode
}

/** A purchase that is not closed yet, among what needs attention. */
export function OpenPurchaseCard({ purchase: { tokenType, tokenName, amount, price }, state, actions }: OpenPurchaseCardProps) {
  return (
    <li className="card arrive flex flex-wrap items-center gap-4 p-3 pr-4">
      <DrinkPlate tokenType={tokenType} className="h-16 w-16 flex-none rounded-field" />
      <div className="min-w-0 flex-1 basis-52">
        <p className="font-semibold">
          {formatAmount(amount)} {tokenName} for {formatSol(price)} SOL
        </p>
        {state}
      </div>
      {actions && <div className="flex gap-2 max-sm:w-full max-sm:*:flex-1">{actions}</div>}
    </li>
  )
}
