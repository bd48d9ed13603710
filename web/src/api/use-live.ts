import { useEffect, useRef } from 'react'

import { useStore } from '../ui/store.ts'
import { applyEvent } from './apply-event.ts'
import { liveState } from './live.ts'
import { queryClient } from './query-client.ts'

/** How often everything on the screen is asked for anew while no events arrive, in milliseconds. */
const POLL_MS = 5_000

/** Keeps what the screen shows in step with the market. `wallet`: whose own events to hear, undefined for a visitor's. */
export function useLive(online: boolean, wallet: string | undefined): void {
  const restart = useRef<() => void>(undefined)
  useEffect(() => {
    if (!online) return undefined
    let stop: (() => void) | undefined
    let left = false
    import('./follow-market.ts')
      .then(({ followMarket }) => {
        if (left) return
        const following = followMarket((event) => applyEvent(queryClient, event))
        restart.current = following.restart
        stop = following.stop
      })
      .catch(() => liveState.set('reconnecting'))
    return () => {
      left = true
      stop?.()
    }
  }, [online])

  useEffect(() => restart.current?.(), [wallet])

  const reconnecting = useStore(liveState) === 'reconnecting'
  useEffect(() => {
    if (!reconnecting) return undefined
    const timer = setInterval(() => applyEvent(queryClient, { type: 'reset' }), POLL_MS)
    return () => clearInterval(timer)
  }, [reconnecting])
}
