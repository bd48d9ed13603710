import { useInfiniteQuery } from '@tanstack/react-query'

import { purchasesQuery } from '../api/desk-queries.ts'
import { Pages } from '../parts/pages.tsx'
import { Part } from '../parts/section.tsx'
import { PurchaseRows } from './purchase-rows.tsx'

/** Purchases that are held now; those that only the studio can end are marked. */
export function StuckHolds() {
  const query = useInfiniteQuery(purchasesQuery({ status: 'held' }))
  return (
    <Part title="Open right now" about="Purchases that wait for their payment, or for what the chain says about it.">
      <Pages query={query} what="The open purchases" nothing="Nobody is buying anything right now.">
        {(purchases) => <PurchaseRows purchases={purchases} showWaiting />}
      </Pages>
    </Part>
  )
}
