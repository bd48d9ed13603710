import { useEffect, useState } from 'react'

import { queryClient } from '../api/query-client.ts'
import { applyEvent } from './apply-event.ts'
import { type LiveState } from './live-state.ts'

/** How often everything on the screen is reloaded while no events arrive, in milliseconds. */
const POLL_MS = 5_000

/**
 * Keeps what is on the screen in step with the market.
 *
 * @param reader whose own events to receive too; undefined while that is not known yet
 */
export function useLiveUpdates(reader: string | undefined): LiveState {
  const [state, setState] = useState<LiveState>('connecting')
  useEffect(() => {
    if (reader === undefined) return undefined
    const subscription = new AbortController()
    const onEvent = (event: Parameters<typeof applyEvent>[1]) => applyEvent(queryClient, event)
    import('./subscribe-to-events.ts')
      .then(({ subscribeToEvents }) => subscribeToEvents({ onEvent, onState: setState, signal: subscription.signal }))
      .catch(() => setState('reconnecting'))
    return () => subscription.abort()
  }, [reader])

  const polling = state === 'reconnecting'
  useEffect(() => {
    if (!polling) return undefined
    const timer = setInterval(() => applyEvent(queryClient, { type: 'reset' }), POLL_MS)
    return () => clearInterval(timer)
  }, [polling])
  return state
}
