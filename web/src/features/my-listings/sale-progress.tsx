import { formatAmount } from '../../ui/format.ts'
import { type Progress } from './listing-rows.ts'

/** How much of a listing is sold, being bought and left, as a bar with its words below. */
export function SaleProgress({ progress: { sold, beingBought, left } }: { progress: Progress }) {
  return (
    <div className="mt-2 grid gap-1.5">
      <div className="sale-bar" aria-hidden="true">
        <span className="sale-bar-sold" style={{ flexGrow: sold }} />
        <span className="sale-bar-held" style={{ flexGrow: beingBought }} />
        <span style={{ flexGrow: left }} />
      </div>
      <p className="figures text-tiny text-dim">
        {sold > 0 && `${formatAmount(sold)} sold so far, `}
        {formatAmount(left)} left
      </p>
    </div>
  )
}
