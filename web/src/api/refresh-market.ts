import { queryClient } from './query-client.ts'
import { keys } from './queries.ts'

/** Loads anew what an action may have changed: the market and everything of the wallet's own. */
export async function refreshMarket(): Promise<void> {
  await Promise.all([keys.listings, keys.cheapest, keys.mine].map((queryKey) => queryClient.invalidateQueries({ queryKey })))
}
