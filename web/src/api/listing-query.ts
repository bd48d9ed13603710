import { queryOptions, skipToken } from '@tanstack/react-query'

import { call } from './client.ts'

/** How often the page reloads a listing that it shows, in milliseconds. */
const LISTING_MS = 5_000

/** One listing, in any state. */
export function listingQuery(id: string | undefined) {
  return queryOptions({
    queryKey: ['listing', id],
    queryFn: id === undefined ? skipToken : async ({ signal }) => (await call('listing', { params: { id }, signal })).listing,
    refetchInterval: ({ state }) => (state.data?.status === 'active' ? LISTING_MS : false),
    meta: { quiet: true },
  })
}
