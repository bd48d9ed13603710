import { type Purchase } from '@juicebar/contract/schemas'
import { useQuery } from '@tanstack/react-query'

import { openPurchasesQuery } from '../../../api/queries.ts'
import { isPurchaseOf } from '../order/order-terms.ts'
import { usePurchase } from '../use-purchase.ts'
import { useResumePurchases } from './use-resume-purchases.ts'

/** How often to reload while a purchase is waiting, in milliseconds, because events may be lost. */
const POLL_MS = 4_000

/** The buyer's open purchases to show, and when they were loaded. Those that are paid are followed to their end. */
export function useOpenPurchases(): { purchases: readonly Purchase[]; loadedAt: number } {
  const { data, dataUpdatedAt } = useQuery({
    ...openPurchasesQuery,
    refetchInterval: ({ state }) => (state.data?.length ? POLL_MS : false),
  })
  const { running } = usePurchase()
  const order = running?.order
  useResumePurchases(data, order)
  const shown = running?.inBackground ? data : data?.filter((purchase) => !order || !isPurchaseOf(order, purchase))
  return { purchases: shown ?? [], loadedAt: dataUpdatedAt }
}
