import { useEffect } from 'react'
import { create } from 'zustand'

import { noteMarketAge, readKnownEventId } from '../api/client.ts'
import { growingPause } from '../api/growing-pause.ts'
import { isServerAway, queryClient } from '../api/query-client.ts'
import { keys, loadFirstPage } from '../api/queries.ts'
import { whenAlive } from '../ui/early-events.ts'
import { whenIdle } from '../ui/lazy-component.ts'
import { type LiveState } from './follow-events.ts'

/** For the few components that show it: the page as a whole is not rendered again. */
export const useLive = create<{ state: LiveState }>()(() => ({ state: 'connecting' }))

function setState(state: LiveState): void {
  useLive.setState({ state })
}

/** How often everything on the screen is reloaded while no events arrive, in milliseconds; up to twice that, so that browsers spread. */
const POLL_MS = 5_000

/** How long to wait before the code that follows the market is downloaded again, in milliseconds. */
const FIRST_RETRY_MS = 1_000

/** Downloaded when the page has loaded and is idle: what the first paint needs waits for none of it. */
async function downloadEvents() {
  const events = await import('./follow-events.ts')
  readHeardEventId = events.readHeardEventId
  return events
}

/** The event up to which everything that is loaded is up to date: until events are followed, that of the first page. */
let readHeardEventId = readKnownEventId

/**
 * Keeps the screen in step with the market.
 *
 * @param reader whose private events to receive, too; undefined until known, and empty for a visitor
 * @param load loads what people wait for, and never rejects: the events come after it
 */
export function useLiveUpdates(reader: string | undefined, load: () => Promise<unknown> = loadFirstPage): void {
  useEffect(() => {
    if (reader === undefined) return undefined
    const subscription = new AbortController()
    const { signal } = subscription
    // Read now, so that private data loaded from here on misses no event after this one.
    const heard = readHeardEventId()
    const follow = async (failures = 0) => {
      const events = await downloadEvents().catch(() => undefined)
      if (signal.aborted) return
      if (events) return events.followEvents({ heard, walletAddress: reader || undefined, onState: setState, signal })
      setState('reconnecting')
      setTimeout(() => void follow(failures + 1), growingPause(failures, FIRST_RETRY_MS))
    }
    void whenAlive()
      .then(load)
      .then(whenIdle)
      .then(() => follow())
    return () => subscription.abort()
  }, [reader, load])

  const polling = useLive(({ state }) => state === 'reconnecting')
  useEffect(() => {
    if (!polling) return undefined
    if (queryClient.getQueryState(keys.health)?.status === 'success') noteMarketAge(0)
    const reset = async () => {
      if (isServerAway()) return
      const events = await downloadEvents().catch(() => undefined)
      if (events) events.reloadMarket()
      else void queryClient.invalidateQueries({}, { cancelRefetch: false })
    }
    // One request finds out that the server is away; the page then checks whether it is back, and loads everything again.
    const poll = () => {
      if (!isServerAway()) void queryClient.refetchQueries({ queryKey: keys.health }).then(reset)
    }
    const timer = setInterval(poll, POLL_MS * (1 + Math.random()))
    return () => clearInterval(timer)
  }, [polling])
}
