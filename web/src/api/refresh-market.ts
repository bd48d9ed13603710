import { type MarketEvent } from '@juicebar/contract/events'
import { type QueryKey } from '@tanstack/react-query'

import { queryClient } from './query-client.ts'
import { keys } from './queries.ts'

/** Hears an event of the market, and says what it has made stale. */
export type EventListener = (event: MarketEvent, reloads: { add(queryKey: QueryKey): void }) => void

/** Parts of the web app that are downloaded later, and keep in step with the market by themselves. */
export const eventListeners = new Set<EventListener>()

/** Reloads what an action may have changed: the market and everything of the wallet's own. */
export function refreshMarket(): void {
  for (const queryKey of [keys.listings, keys.cheapest, keys.quotes, keys.mine]) reload(queryKey)
}

/** Marks data as stale and reloads it if it is on the screen. Never rejects: a failure shows where the data would be. */
export function reload(queryKey: readonly unknown[]): void {
  void queryClient.invalidateQueries({ queryKey })
}
