import { type Reply } from '@juicebar/contract/calls'
import { type MarketEvent } from '@juicebar/contract/events'
import { type Listing } from '@juicebar/contract/schemas'
import { hashKey, type InfiniteData, matchQuery, type Query, type QueryClient, type QueryKey } from '@tanstack/react-query'

import { noteMarketAge } from '../api/client.ts'
import { cheapestQuery, eventListeners, keys, type ListingFilter } from '../api/queries.ts'

type Pages = InfiniteData<Reply<'listings'>, string>

/** How long a sold or removed card still shows its outcome, in milliseconds. */
const FAREWELL_MS = 1_400

/** When to read a balance a second time, in milliseconds: the relay caches each for 2 s. */
const SOL_CACHE_MS = 2_500

/**
 * A list left open for hours takes up no more memory than this; beyond it, the list is loaded again, with older listings behind its cursor.
 */
const MOST_ON_TOP = 1_000

/** After an outage, browsers reload spread over this time, in milliseconds. */
const RECOVERY_MS = 2_000

interface Loaded {
  client: QueryClient
  reloads: ReloadQueue
  /** Whose own lists are loaded; undefined for a visitor. */
  walletAddress: string | undefined
}

/** Updates the loaded data with one event of the market. Data in the event itself is not requested again. */
export function applyEvent(loaded: Loaded, event: MarketEvent): void {
  const { client, reloads } = loaded
  eventListeners.forEach((hear) => hear(event, reloads))
  switch (event.type) {
    case 'listing.created':
      addListing(loaded, event.listing)
      break
    case 'listing.held':
    case 'listing.changed':
    case 'listing.released':
      replaceListing(loaded, event.listing)
      break
    case 'listing.sold':
    case 'listing.removed':
      replaceListing(loaded, event.listing)
      setTimeout(() => dropListing(client, event.listing._id), FAREWELL_MS)
      break
    case 'purchase.changed':
      reloads.add(keys.purchases)
      // Other players do not see parts of a listing as listings: what happens to them after their listing is gone has no event of its own.
      reloads.add(keys.myListings)
      reloadSol(reloads)
      break
    case 'case.changed':
      reloads.add(keys.cases)
      break
    case 'balance.changed':
      reloads.add(keys.balances)
      reloadSol(reloads)
      break
    case 'pause.changed':
      reloads.add(keys.config)
      break
    // A wallet has few alerts, and each fires once, so they need no code in what every visitor downloads.
    case 'alert.fired':
    case 'block.changed':
    case 'ready':
      reloads.add(keys.mine)
      break
    case 'reset':
      for (const queryKey of [keys.listings, keys.cheapest, keys.quotes, keys.mine, keys.health, keys.config]) reloads.add(queryKey)
      break
    case 'outage.began':
      noteMarketAge(event.age)
      reloads.add(keys.health)
      break
    case 'outage.ended':
      // Not all browsers that receive it may ask at once.
      reloads.addLater(keys.health, Math.random() * RECOVERY_MS)
      break
  }
}

function addListing(loaded: Loaded, listing: Listing): void {
  eachListingQuery(loaded.client, (filter, pages) => {
    if ((pages.pages[0]?.listings.length ?? 0) >= MOST_ON_TOP) loaded.reloads.add([...keys.listings, filter])
    return showsNewest(filter, listing) ? withFirst(pages, listing) : pages
  })
  updateAround(loaded, listing)
}

function replaceListing(loaded: Loaded, listing: Listing): void {
  eachListingQuery(loaded.client, (_, pages) => mapListings(pages, (old) => (old._id === listing._id ? listing : old)))
  updateAround(loaded, listing)
}

function dropListing(client: QueryClient, id: string): void {
  eachListingQuery(client, (_, pages) => mapPages(pages, (listings) => listings.filter((listing) => listing._id !== id)))
}

function reloadSol(reloads: ReloadQueue): void {
  reloads.add(keys.sol)
  reloads.addLater(keys.sol, SOL_CACHE_MS)
}

/** Other sellers' listings are in no list of the wallet's own. */
function updateAround({ client, reloads, walletAddress }: Loaded, listing: Listing): void {
  if (listing.seller === walletAddress) reloads.add(keys.myListings)
  reloads.add([...keys.quotes, listing.tokenType])
  const query = cheapestQuery(listing.tokenType, walletAddress)
  const cheapest = client.getQueryData(query.queryKey)
  if (cheapest === undefined) return
  const forSale = listing.status === 'active'
  if (listing._id === cheapest?._id) {
    // If it is gone, or dearer than it was, another may be the cheapest now.
    if (forSale && listing.unitPrice <= cheapest.unitPrice) client.setQueryData(query.queryKey, listing)
    else reloads.add(query.queryKey)
  } else if (forSale && listing.seller !== walletAddress && (cheapest === null || listing.unitPrice < cheapest.unitPrice)) {
    client.setQueryData(query.queryKey, listing)
  }
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

/** The pause after a reload, in milliseconds for each request of it: however fast events come, fewer than one request a second. */
const PAUSE_MS = 1_250

interface ReloadQueue {
  /** Marks data as stale. The part that is on the screen is reloaded at once, or with the next reload if the last one was just now. */
  add(queryKey: QueryKey): void
  /** The same, after a time in milliseconds. */
  addLater(queryKey: QueryKey, milliseconds: number): void
}

/** Reloads data that events have made stale, in batches and at a bounded rate. */
export function createReloadQueue(client: QueryClient): ReloadQueue {
  const waiting = new Map<string, QueryKey>()
  const delayed = new Set<string>()
  let timer: ReturnType<typeof setTimeout> | undefined

  const reload = () => {
    const queryKeys = [...waiting.values()]
    waiting.clear()
    const predicate = (query: Query) => queryKeys.some((queryKey) => matchQuery({ queryKey }, query))
    const requests = client
      .getQueryCache()
      .findAll({ type: 'active', predicate })
      .reduce((sum, query) => sum + requestsOf(query), 0)
    // Never rejects: a failure shows where the data would be.
    void client.invalidateQueries({ predicate })
    timer = requests > 0 ? setTimeout(proceed, requests * PAUSE_MS) : undefined
  }
  const proceed = () => {
    timer = undefined
    if (waiting.size > 0) reload()
  }
  const add = (queryKey: QueryKey) => {
    waiting.set(hashKey(queryKey), queryKey)
    // Not before the current batch of events has been read, so that they share one reload.
    timer ??= setTimeout(reload)
  }
  return {
    add,
    addLater(queryKey, milliseconds) {
      const hash = hashKey(queryKey)
      if (delayed.has(hash)) return
      delayed.add(hash)
      setTimeout(() => {
        delayed.delete(hash)
        add(queryKey)
      }, milliseconds)
    },
  }
}

/** A list that was loaded page by page is reloaded page by page. */
function requestsOf({ state: { data } }: Query): number {
  return typeof data === 'object' && data !== null && 'pages' in data && Array.isArray(data.pages) ? data.pages.length : 1
}
