import { useInfiniteQuery } from '@tanstack/react-query'

import { purchasesQuery } from '../api/desk-queries.ts'
import { Pages } from '../parts/pages.tsx'
import { Part } from '../parts/section.tsx'
import { PurchaseRows } from './purchase-rows.tsx'

/** Purchases that are held now; those that only the studio can end are marked. */
export function StuckHolds() {
  const query = useInfiniteQuery(purchasesQuery({ status: 'held' }))
  return (
    <Part title="Held right now" about="Purchases that wait for their payment, or for what the chain says about it.">
      <Pages query={query} what="What is held" nothing="Nobody is buying anything at this moment.">
        {(purchases) => <PurchaseRows purchases={purchases} showWaiting />}
      </Pages>
    </Part>
  )
}
