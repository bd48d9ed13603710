import { useEffect, useState } from 'react'

import { keys, loadFirstPage } from '../api/queries.ts'
import { noteMarketAge } from '../api/client.ts'
import { isServerAway, queryClient } from '../api/query-client.ts'
import { whenIdle } from '../ui/lazy-component.ts'
import { applyEvent, createReloadQueue } from './apply-event.ts'
import { type LiveState, readHeardEventId, subscribeToEvents } from './subscribe-to-events.ts'

/** How often everything on the screen is reloaded while no events arrive, in milliseconds; up to twice that, so that browsers spread. */
const POLL_MS = 5_000

const reloads = createReloadQueue(queryClient)

/**
 * Keeps the screen in step with the market.
 *
 * @param reader whose private events to receive, too; undefined until known, and empty for a visitor
 * @param load loads what people wait for, and never rejects: the events come after it
 */
export function useLiveUpdates(reader: string | undefined, load: () => Promise<unknown> = loadFirstPage): LiveState {
  const [state, setState] = useState<LiveState>('connecting')
  useEffect(() => {
    if (reader === undefined) return undefined
    const subscription = new AbortController()
    const loaded = { client: queryClient, reloads, walletAddress: reader || undefined }
    // Read now, so that private data loaded from here on misses no event after this one.
    const heard = readHeardEventId()
    void load()
      .then(whenIdle)
      .then(() =>
        subscribeToEvents({ heard, onEvent: (event) => applyEvent(loaded, event), onState: setState, signal: subscription.signal }),
      )
    return () => subscription.abort()
  }, [reader, load])

  const polling = state === 'reconnecting'
  useEffect(() => {
    if (!polling) return undefined
    if (queryClient.getQueryState(keys.health)?.status === 'success') noteMarketAge(0)
    const reset = () => {
      if (!isServerAway()) applyEvent({ client: queryClient, reloads, walletAddress: undefined }, { type: 'reset' })
    }
    // One request finds out that the server is away; the page then checks whether it is back, and loads everything again.
    const poll = () => {
      if (!isServerAway()) void queryClient.refetchQueries({ queryKey: keys.health }).then(reset)
    }
    const timer = setInterval(poll, POLL_MS * (1 + Math.random()))
    return () => clearInterval(timer)
  }, [polling])
  return state
}
