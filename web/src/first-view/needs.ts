import { type Reply } from '@juicebar/contract/calls'
import { playerEndpoints } from '@juicebar/contract/endpoints/player'
import { type PageAddress } from '@juicebar/contract/first-view'
import { CHECKOUT_PATH, DRINK_PATH, LISTING_PATH } from '@juicebar/contract/market-settings'

import { allListings, configQuery, healthQuery, keys, type ListingFilter, listingsQuery } from '../api/queries.ts'
import { queryClient } from '../api/query-client.ts'
import { listingFilter, readCursor, readFilter } from '../features/market/market-filter.ts'
import { need, type Need } from './need.ts'

/** The calls whose replies the first view of a page shows; none if the page has no first view. */
export async function needsOf({ path, search }: PageAddress): Promise<readonly Need[]> {
  if (path === '/') return marketNeeds(search)
  if (path.startsWith(DRINK_PATH))
    return [health, config, summary, ...(await import('./drink-needs.ts')).drinkNeeds(path.slice(DRINK_PATH.length))]
  if (path.startsWith(LISTING_PATH)) {
    const { listingNeed } = await import('./listing-need.ts')
    return [health, config, listings(allListings), listingNeed(path.slice(LISTING_PATH.length))]
  }
  if (path.startsWith(CHECKOUT_PATH)) return [config, (await import('./checkout-need.ts')).checkoutNeed(path.slice(CHECKOUT_PATH.length))]
  return []
}

async function marketNeeds(search: string): Promise<readonly Need[]> {
  const filter = readFilter(search)
  const quotes = filter.tokenType ? (await import('./quote-needs.ts')).quoteNeeds(filter.tokenType) : []
  // Nobody should wait for the listings because the figures take their time.
  const prices = { ...summary, isOptional: true }
  return [health, config, listings(listingFilter(filter), readCursor(search)), prices, ...quotes]
}

const health = need(playerEndpoints.health, {}, (body) => queryClient.setQueryData(healthQuery.queryKey, body))
const summary = need(playerEndpoints.summary, {}, (body: Reply<'summary'> | undefined) =>
  queryClient.setQueryData(keys.summary, body?.items),
)
const config = need(playerEndpoints.config, {}, (body) => queryClient.setQueryData(configQuery.queryKey, body))

function listings(filter: ListingFilter, cursor = ''): Need {
  return need(playerEndpoints.listings, { query: { ...filter, cursor } }, (body) =>
    queryClient.setQueryData(listingsQuery(filter).queryKey, { pages: [body], pageParams: [cursor] }),
  )
}
