import { useQuery } from '@tanstack/react-query'

import { openPurchasesQuery } from '../../../api/queries.ts'
import { formatCountdown } from '../../../ui/format.ts'
import { useNow } from '../../../ui/use-now.ts'
import { isPurchaseOf } from '../order/order-terms.ts'
import { type Order } from '../order/order.ts'

/** An outage may extend the time to pay: the server then says so in the buyer's open purchases, and the countdown follows. */
export function TimeLeft({ order, payUntil }: { order: Order; payUntil: number }) {
  const { data, dataUpdatedAt } = useQuery(openPurchasesQuery)
  const purchase = data?.find((open) => isPurchaseOf(order, open))
  const until = purchase ? dataUpdatedAt + purchase.payMillisLeft : payUntil
  const now = useNow()
  return (
    <p className="mt-4 text-small text-dim">
      Reserved for you for another <span className="figures font-semibold text-text">{formatCountdown(until - now)}</span>
    </p>
  )
}
