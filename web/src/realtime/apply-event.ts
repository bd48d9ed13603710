import { type Reply } from '@juicebar/contract/calls'
import { type MarketEvent } from '@juicebar/contract/events'
import { type Listing } from '@juicebar/contract/schemas'
import { type InfiniteData, type QueryClient } from '@tanstack/react-query'

import { keys, type ListingFilter } from '../api/queries.ts'

type Pages = InfiniteData<Reply<'listings'>, string>

/** How long a sold or removed card still shows what became of it, in milliseconds. */
const FAREWELL_MS = 1_400

/** When to read a balance a second time, in milliseconds: the relay caches each for 2 s. */
const SOL_CACHE_MS = 2_500

/** Updates the loaded data with one event of the market. */
export function applyEvent(client: QueryClient, event: MarketEvent): void {
  switch (event.type) {
    case 'listing.created':
      addListing(client, event.listing)
      break
    case 'listing.held':
    case 'listing.released':
      replaceListing(client, event.listing)
      break
    case 'listing.sold':
    case 'listing.removed':
      replaceListing(client, event.listing)
      setTimeout(() => dropListing(client, event.listing._id), FAREWELL_MS)
      break
    case 'purchase.changed':
      reload(client, keys.purchases)
      refreshSol(client)
      break
    case 'case.changed':
      reload(client, keys.cases)
      break
    case 'balance.changed':
      reload(client, keys.balances)
      refreshSol(client)
      break
    case 'ready':
    case 'reset':
      reload(client, keys.listings)
      reload(client, keys.cheapest)
      reload(client, keys.mine)
      break
  }
}

function addListing(client: QueryClient, listing: Listing): void {
  eachListingQuery(client, (filter, pages) => (showsNewest(filter, listing) ? withFirst(pages, listing) : pages))
  refreshAround(client)
}

function replaceListing(client: QueryClient, listing: Listing): void {
  eachListingQuery(client, (_, pages) => mapListings(pages, (old) => (old._id === listing._id ? listing : old)))
  refreshAround(client)
}

function dropListing(client: QueryClient, id: string): void {
  eachListingQuery(client, (_, pages) => mapPages(pages, (listings) => listings.filter((listing) => listing._id !== id)))
}

function refreshSol(client: QueryClient): void {
  reload(client, keys.sol)
  setTimeout(() => reload(client, keys.sol), SOL_CACHE_MS)
}

function refreshAround(client: QueryClient): void {
  reload(client, keys.cheapest)
  reload(client, keys.myListings)
}

function reload(client: QueryClient, queryKey: readonly string[]): void {
  void client.invalidateQueries({ queryKey })
}

function eachListingQuery(client: QueryClient, change: (filter: ListingFilter, pages: Pages) => Pages): void {
  for (const query of client.getQueryCache().findAll({ queryKey: keys.listings })) {
    const filter = query.queryKey[1] as ListingFilter
    client.setQueryData<Pages>(query.queryKey, (pages) => pages && change(filter, pages), { updatedAt: query.state.dataUpdatedAt })
  }
}

/** True if a new listing belongs at the top of a list with this filter. */
export function showsNewest(filter: ListingFilter, listing: Listing): boolean {
  if (filter.sort && filter.sort !== 'newest') return false
  if (filter.tokenType && filter.tokenType !== listing.tokenType) return false
  const term = filter.search?.trim().toLowerCase() ?? ''
  return listing.tokenName.toLowerCase().includes(term) || listing.seller.toLowerCase().includes(term)
}

function withFirst(pages: Pages, listing: Listing): Pages {
  const [first, ...others] = pages.pages
  if (!first || pages.pages.some((page) => page.listings.some((old) => old._id === listing._id))) return pages
  return { ...pages, pages: [{ ...first, listings: [listing, ...first.listings] }, ...others] }
}

function mapListings(pages: Pages, change: (listing: Listing) => Listing): Pages {
  return mapPages(pages, (listings) => listings.map(change))
}

function mapPages(pages: Pages, change: (listings: Listing[]) => Listing[]): Pages {
  return { ...pages, pages: pages.pages.map((page) => ({ ...page, listings: change(page.listings) })) }
}
