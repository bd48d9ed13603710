import { type Query } from '@juicebar/contract/calls'
import { type TokenType } from '@juicebar/contract/catalogue'
import { type MarketEvent } from '@juicebar/contract/events'
import { type ListingStatus } from '@juicebar/contract/schemas'
import { infiniteQueryOptions, type QueryKey, queryOptions } from '@tanstack/react-query'

import { call } from './client.ts'
import { HEALTH, MINE, queryClient } from './query-client.ts'

export type ListingFilter = Pick<Query<'listings'>, 'search' | 'sort'> & { tokenType?: TokenType }
export type PurchaseRole = NonNullable<Query<'myPurchases'>['role']>
export type MyListingsStatus = ListingStatus | 'all'

/** Data that only the signed-in wallet may see is under `MINE`, so that a logout removes it at once. */
export const keys = {
  config: ['config'],
  health: HEALTH,
  listings: ['listings'],
  cheapest: ['cheapest'],
  /** The figures of every drink. Those of one drink are in figures/figure-queries.ts, which the first load does not need. */
  summary: ['figures', 'summary'],
  quotes: ['quotes'],
  checkouts: ['checkouts'],
  mine: [MINE],
  balances: [MINE, 'balances'],
  sol: [MINE, 'sol'],
  myListings: [MINE, 'my-listings'],
  purchases: [MINE, 'purchases'],
  openPurchases: [MINE, 'purchases', 'open'],
  cases: [MINE, 'cases'],
  offers: [MINE, 'offers'],
} as const

/** The server's public settings. */
export const configQuery = queryOptions({
  queryKey: keys.config,
  queryFn: ({ signal }) => call('config', { signal }),
  staleTime: Infinity,
})

/** Runs once, on load (specification, section 4). */
export const healthQuery = queryOptions({
  queryKey: keys.health,
  queryFn: ({ signal }) => call('health', { signal }),
  staleTime: Infinity,
  refetchOnWindowFocus: false,
  refetchOnReconnect: false,
  meta: { quiet: true },
  retry: 1,
  retryDelay: 500,
})

/** What the market shows at first. */
export const allListings: ListingFilter = { sort: 'newest' }

/** The market's listings that pass a filter, page by page. */
export function listingsQuery(filter: ListingFilter) {
  return infiniteQueryOptions({
    queryKey: [...keys.listings, filter],
    queryFn: ({ pageParam, signal }) => call('listings', { query: { ...filter, cursor: pageParam }, signal }),
    initialPageParam: '',
    getNextPageParam: (page) => page.nextCursor,
  })
}

/** How many of the cheapest listings are read to find another seller's. */
const CHEAPEST_READ = 20

/** The cheapest listing of a drink by another wallet, or the wallet's own if only those are this cheap; null if none is for sale. */
export function cheapestQuery(tokenType: TokenType, walletAddress: string | undefined) {
  return queryOptions({
    queryKey: [...keys.cheapest, tokenType, walletAddress],
    queryFn: async ({ signal }) => {
      const { listings } = await call('listings', { query: { tokenType, sort: 'unitPrice', limit: CHEAPEST_READ }, signal })
      return listings.find(({ seller }) => seller !== walletAddress) ?? listings[0] ?? null
    },
  })
}

/** How many of each drink a wallet has, by the drink's balance key. */
export function balancesQuery(walletAddress: string) {
  return queryOptions({
    queryKey: [...keys.balances, walletAddress],
    queryFn: async ({ signal }) => (await call('balance', { params: { walletAddress }, signal })).balances,
  })
}

/** The signed-in seller's own listings. */
export function myListingsQuery(status: MyListingsStatus) {
  return queryOptions({
    queryKey: [...keys.myListings, status],
    queryFn: async ({ signal }) => (await call('myListings', { query: { status }, signal })).listings,
  })
}

/** What the wallet bought or sold, newest first. */
export function purchasesQuery(role: PurchaseRole) {
  return infiniteQueryOptions({
    queryKey: [...keys.purchases, role],
    queryFn: ({ pageParam, signal }) => call('myPurchases', { query: { role, cursor: pageParam }, signal }),
    initialPageParam: '',
    getNextPageParam: (page) => page.nextCursor,
  })
}

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

/** Receives an event of the market, and returns what it has made stale. */
export type EventListener = (event: MarketEvent, reloads: { add(queryKey: QueryKey): void }) => void

/** Parts of the web app that are downloaded later and keep themselves in step with the market. */
export const eventListeners = new Set<EventListener>()

/** Reloads everything that an action may have changed: the market and all of the wallet's own data. */
export function refreshMarket(): void {
  for (const queryKey of [keys.listings, keys.cheapest, keys.quotes, keys.checkouts, keys.mine]) reload(queryKey)
}

/** Marks data as stale and reloads it if it is on the screen. Never rejects: a failure shows where the data would be. */
export function reload(queryKey: readonly unknown[]): void {
  void queryClient.invalidateQueries({ queryKey })
}
