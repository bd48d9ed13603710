import { allListings, listingsQuery } from './queries.ts'
import { queryClient } from './query-client.ts'

let loading: Promise<void> | undefined

/**
 * Loads the market's first page, once. It is requested before anything else, because it is what people wait for.
 *
 * @returns resolves when the page has loaded or failed; never rejects
 */
export function loadFirstPage(): Promise<void> {
  loading ??= queryClient.prefetchInfiniteQuery(listingsQuery(allListings))
  return loading
}
