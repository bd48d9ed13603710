import { type ReactNode } from 'react'

import { DrinkPlate } from '../../../catalogue/drink-image.tsx'
import { orderText } from '../order/order-text.ts'
import { type Order } from '../order/order.ts'

interface OpenPurchaseCardProps {
  order: Order
  /** What it is waiting for. */
  state: ReactNode
  /** What the buyer may do about it. */
  actions?: ReactNode
}

/** A purchase that is not closed yet, among what needs attention. */
export function OpenPurchaseCard({ order, state, actions }: OpenPurchaseCardProps) {
  const [first] = order.items
  return (
    <li className="card arrive flex flex-wrap items-center gap-4 p-3 pr-4">
      {first && <DrinkPlate tokenType={first.tokenType} className="h-16 w-16 flex-none rounded-field" />}
      <div className="min-w-0 flex-1 basis-52">
        <p className="font-semibold">{orderText(order)}</p>
        {state}
      </div>
      {actions && <div className="flex gap-2 max-sm:w-full max-sm:*:flex-1">{actions}</div>}
    </li>
  )
}
