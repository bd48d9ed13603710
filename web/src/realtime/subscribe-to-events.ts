import { type MarketEvent } from '@juicebar/contract/events'

import { liveState, type LiveState } from './live-state.ts'
import { readEvents } from './read-event-stream.ts'

type TabMessage = { kind: 'event'; event: MarketEvent } | { kind: 'state'; state: LiveState } | { kind: 'ask' }

const LOCK = 'juicebar-events'
const FIRST_RETRY_MS = 500
const LONGEST_RETRY_MS = 15_000

/**
 * Follows the market's events until `signal` ends it. One tab holds the stream (Web Locks) and shares what it hears, so that many
 * tabs cost one connection. A stream that is given up is closed at once.
 */
export function followMarket(onEvent: (event: MarketEvent) => void, signal: AbortSignal): void {
  if (signal.aborted) return
  const channel = new BroadcastChannel(LOCK)
  let leading = false
  const tell = (message: TabMessage) => {
    if (!signal.aborted) channel.postMessage(message)
  }
  const showState = (state: LiveState) => {
    liveState.set(state)
    tell({ kind: 'state', state })
  }
  channel.addEventListener('message', ({ data }: MessageEvent<TabMessage>) => {
    if (data.kind === 'event') onEvent(data.event)
    if (data.kind === 'state' && !leading) liveState.set(data.state)
    if (data.kind === 'ask' && leading) tell({ kind: 'state', state: liveState.get() })
  })
  signal.addEventListener('abort', () => channel.close())
  tell({ kind: 'ask' })

  const lead = () => {
    leading = true
    return keepReading(signal, showState, (event) => {
      onEvent(event)
      tell({ kind: 'event', event })
    })
  }
  navigator.locks.request(LOCK, { signal }, lead).catch(() => undefined)
}

/** Reads the stream and comes back to it whenever it breaks, where it left off. */
async function keepReading(
  signal: AbortSignal,
  showState: (state: LiveState) => void,
  onEvent: (event: MarketEvent) => void,
): Promise<void> {
  let lastEventId: string | undefined
  let failures = 0
  while (!signal.aborted) {
    await readEvents({
      lastEventId,
      signal,
      onOpen: () => {
        failures = 0
        showState('live')
      },
      onEvent: (event, id) => {
        lastEventId = id ?? lastEventId
        onEvent(event)
      },
    }).catch(() => undefined)
    if (signal.aborted) return
    showState('reconnecting')
    await pause(retryDelay(failures++), signal)
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
