import { type MarketEvent } from '@juicebar/contract/events'

import { type LiveState } from './live-state.ts'
import { readEventStream } from './read-event-stream.ts'

type TabMessage = { kind: 'event'; event: MarketEvent } | { kind: 'state'; state: LiveState } | { kind: 'ask' }

const LOCK = 'juicebar-events'
const FIRST_RETRY_MS = 500
const LONGEST_RETRY_MS = 15_000

interface Subscription {
  onEvent: (event: MarketEvent) => void
  onState: (state: LiveState) => void
  /** Ends the subscription and closes the stream. */
  signal: AbortSignal
}

/**
 * Subscribes to the market's events. However many tabs are open, only one of them holds a stream (Web Locks); it shares with the
 * others what it receives.
 */
export function subscribeToEvents({ onEvent, onState, signal }: Subscription): void {
  if (signal.aborted) return
  const channel = new BroadcastChannel(LOCK)
  let leading = false
  let current: LiveState = 'connecting'
  const post = (message: TabMessage) => {
    if (!signal.aborted) channel.postMessage(message)
  }
  const enter = (state: LiveState) => {
    current = state
    onState(state)
  }
  channel.addEventListener('message', ({ data }: MessageEvent<TabMessage>) => {
    if (data.kind === 'event') onEvent(data.event)
    if (data.kind === 'state' && !leading) enter(data.state)
    if (data.kind === 'ask' && leading) post({ kind: 'state', state: current })
  })
  signal.addEventListener('abort', () => channel.close())
  post({ kind: 'ask' })

  const lead = () => {
    leading = true
    return keepReading({
      signal,
      onState(state) {
        enter(state)
        post({ kind: 'state', state })
      },
      onEvent(event) {
        onEvent(event)
        post({ kind: 'event', event })
      },
    })
  }
  // The request rejects only when `signal` aborts it, which is how a subscription ends.
  navigator.locks.request(LOCK, { signal }, lead).catch(() => undefined)
}

/** Reads the stream, and reopens it whenever it breaks, from the last event on. */
async function keepReading({ onEvent, onState, signal }: Subscription): Promise<void> {
  let lastEventId: string | undefined
  let failures = 0
  while (!signal.aborted) {
    await readEventStream({
      lastEventId,
      signal,
      onOpen() {
        failures = 0
        onState('live')
      },
      onEvent(event, id) {
        lastEventId = id ?? lastEventId
        onEvent(event)
      },
      // Whatever broke the stream, the answer is the same: reopen it below.
    }).catch(() => undefined)
    if (signal.aborted) return
    onState('reconnecting')
    await pause(retryDelay(failures++), signal)
  }
}

/** @returns milliseconds until the next attempt: doubling, and half of it random so that browsers do not all return at once */
export function retryDelay(failures: number, random = Math.random()): number {
  const longest = Math.min(FIRST_RETRY_MS * 2 ** failures, LONGEST_RETRY_MS)
  return longest / 2 + (longest / 2) * random
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
