import { type QueryClient } from '@tanstack/react-query'

import { openPurchasesQuery } from '../../api/queries.ts'

/**
 * Removes a closed purchase from the loaded list of open ones at once, so that no reply in flight brings it back and its outcome is shown
 * twice.
 */
export async function dropOpenPurchase(client: QueryClient, id: string): Promise<void> {
  const { queryKey } = openPurchasesQuery
  await client.cancelQueries({ queryKey })
  client.setQueryData(queryKey, (open) => open?.filter(({ purchaseId }) => purchaseId !== id))
}
