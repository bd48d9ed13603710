import { useEffect } from 'react'

import { useStore } from '../ui/store.ts'
import { applyEvent } from './apply-event.ts'
import { liveState } from './live-state.ts'
import { queryClient } from '../api/query-client.ts'

/** How often everything on the screen is asked for anew while no events arrive, in milliseconds. */
const POLL_MS = 5_000

/** Keeps what the screen shows in step with the market. `reader`: whose own events to hear too; undefined until that is known. */
export function useLive(reader: string | undefined): void {
  useEffect(() => {
    if (reader === undefined) return undefined
    const left = new AbortController()
    import('./subscribe-to-events.ts')
      .then(({ followMarket }) => followMarket((event) => applyEvent(queryClient, event), left.signal))
      .catch(() => liveState.set('reconnecting'))
    return () => left.abort()
  }, [reader])

  const reconnecting = useStore(liveState) === 'reconnecting'
  useEffect(() => {
    if (!reconnecting) return undefined
    const timer = setInterval(() => applyEvent(queryClient, { type: 'reset' }), POLL_MS)
    return () => clearInterval(timer)
  }, [reconnecting])
}
