import { type Purchase } from '@juicebar/contract/schemas'
import { useQuery } from '@tanstack/react-query'

import { openPurchasesQuery } from '../../../api/queries.ts'
import { usePurchase } from '../use-purchase.ts'
import { useResumePurchases } from './use-resume-purchases.ts'

/** How often to reload while a purchase waits, in milliseconds: events may be lost. */
const POLL_MS = 4_000

/** The buyer's open purchases to show, and when they were loaded. Those that are paid are followed to their end. */
export function useOpenPurchases(): { purchases: readonly Purchase[]; loadedAt: number } {
  const { data, dataUpdatedAt } = useQuery({
    ...openPurchasesQuery,
    refetchInterval: ({ state }) => (state.data?.length ? POLL_MS : false),
  })
  const { running } = usePurchase()
  const runningListing = running?.listing._id
  useResumePurchases(data, runningListing)
  const shown = running?.inBackground ? data : data?.filter(({ listingId }) => listingId !== runningListing)
  return { purchases: shown ?? [], loadedAt: dataUpdatedAt }
}
