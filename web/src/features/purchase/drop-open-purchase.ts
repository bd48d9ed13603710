import { type QueryClient } from '@tanstack/react-query'

import { openPurchasesQuery } from '../../api/queries.ts'

/** Takes a closed purchase off the loaded list of open ones at once, so that no reply under way brings it back and it is told twice. */
export async function dropOpenPurchase(client: QueryClient, id: string): Promise<void> {
  const { queryKey } = openPurchasesQuery
  await client.cancelQueries({ queryKey })
  client.setQueryData(queryKey, (open) => open?.filter(({ purchaseId }) => purchaseId !== id))
}
