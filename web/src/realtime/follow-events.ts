import { queryClient } from '../api/query-client.ts'
import { applyEvent, createReloadQueue } from './apply-event.ts'
import { subscribeToEvents } from './subscribe-to-events.ts'
import { type LiveState } from './use-live-updates.ts'

interface Reader {
  /** The last event received before any of this reader's private data was loaded; undefined if there was none. */
  heard: string | undefined
  /** Whose private events to receive, too; undefined for a visitor. */
  walletAddress: string | undefined
  onState: (state: LiveState) => void
  /** Ends it. */
  signal: AbortSignal
}

export { readHeardEventId } from './subscribe-to-events.ts'

const reloads = createReloadQueue(queryClient)

/** Applies every event of the market to what is loaded. */
export function followEvents({ walletAddress, ...subscription }: Reader): void {
  subscribeToEvents({ ...subscription, onEvent: (event) => applyEvent({ client: queryClient, reloads, walletAddress }, event) })
}

/** Loads everything on the screen again, at the pace at which events do. */
export function reloadMarket(): void {
  applyEvent({ client: queryClient, reloads, walletAddress: undefined }, { type: 'reset' })
}
