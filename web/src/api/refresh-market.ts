import { type MarketEvent } from '@juicebar/contract/events'
import { type QueryKey } from '@tanstack/react-query'

import { queryClient } from './query-client.ts'
import { keys } from './queries.ts'

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
