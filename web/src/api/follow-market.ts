import { type MarketEvent } from '@juicebar/contract/events'

import { liveState, type LiveState } from './live.ts'
import { readEvents } from './read-events.ts'

type TabMessage = { kind: 'event'; event: MarketEvent } | { kind: 'state'; state: LiveState } | { kind: 'ask' }

const LOCK = 'juicebar-events'
const FIRST_RETRY_MS = 500
const LONGEST_RETRY_MS = 15_000

/**
 * Follows the market's events. One tab holds the stream (Web Locks) and shares what it hears, so that many tabs cost one connection.
 * Gives `restart`, for when the session changed, and `stop`.
 */
export function followMarket(onEvent: (event: MarketEvent) => void): { restart: () => void; stop: () => void } {
  const stopped = new AbortController()
  const channel = new BroadcastChannel(LOCK)
  let round = new AbortController()
  let leading = false

  const setState = (state: LiveState) => {
    liveState.set(state)
    tell({ kind: 'state', state })
  }
  const tell = (message: TabMessage) => {
    if (!stopped.signal.aborted) channel.postMessage(message)
  }

  channel.addEventListener('message', ({ data }: MessageEvent<TabMessage>) => {
    if (data.kind === 'event') onEvent(data.event)
    if (data.kind === 'state' && !leading) liveState.set(data.state)
    if (data.kind === 'ask' && leading) tell({ kind: 'state', state: liveState.get() })
  })
  tell({ kind: 'ask' })

  const lead = async () => {
    leading = true
    let lastEventId: string | undefined
    let failures = 0
    while (!stopped.signal.aborted) {
      round = new AbortController()
      const signal = AbortSignal.any([stopped.signal, round.signal])
      await readEvents({
        lastEventId,
        signal,
        onOpen: () => {
          failures = 0
          setState('live')
        },
        onEvent: (event, id) => {
          lastEventId = id ?? lastEventId
          onEvent(event)
          tell({ kind: 'event', event })
        },
      }).catch(() => undefined)
      if (stopped.signal.aborted) return
      if (round.signal.aborted) continue
      setState('reconnecting')
      await pause(retryDelay(failures++), signal)
    }
  }

  navigator.locks.request(LOCK, { signal: stopped.signal }, lead).catch(() => undefined)

  return {
    restart: () => round.abort(),
    stop: () => {
      stopped.abort()
      channel.close()
    },
  }
}

/** How long to wait before the next attempt, in milliseconds: doubling, with half of it left to chance so that pages spread out. */
export function retryDelay(failures: number, chance = Math.random()): number {
  const longest = Math.min(FIRST_RETRY_MS * 2 ** failures, LONGEST_RETRY_MS)
  return longest / 2 + (longest / 2) * chance
}

function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, milliseconds)
    signal.addEventListener('abort', () => {
      clearTimeout(timer)
      resolve()
    })
    window.addEventListener('online', () => resolve(), { once: true, signal })
  })
}
