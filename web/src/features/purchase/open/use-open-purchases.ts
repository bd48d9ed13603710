import { type Purchase } from '@juicebar/contract/schemas'
import { useQuery } from '@tanstack/react-query'
import { useEffect } from 'react'

import { openPurchasesQuery } from '../../../api/queries.ts'
import { useStore } from '../../../ui/store.ts'
import { running } from '../purchase-store.ts'
import { resumePurchase } from '../flow/run-purchase.ts'

/** How often a purchase that waits is asked about, beside the events, in milliseconds. */
const WAITING_MS = 4_000

/** The buyer's open purchases but the one this tab is carrying out, and when they were loaded. Paid ones are followed to their end. */
export function useOpenPurchases(): { purchases: readonly Purchase[]; loadedAt: number } {
  const { data = [], dataUpdatedAt } = useQuery({
    ...openPurchasesQuery,
    refetchInterval: ({ state }) => (state.data?.length ? WAITING_MS : false),
  })
  const current = useStore(running)
  const purchases = data.filter((purchase) => !current || current.inBackground || purchase.listingId !== current.lot._id)

  useEffect(() => {
    for (const purchase of purchases) {
      if (purchase.signature && purchase.listingId !== current?.lot._id) resumePurchase(purchase).catch(() => undefined)
    }
  }, [purchases, current])
  return { purchases, loadedAt: dataUpdatedAt }
}
