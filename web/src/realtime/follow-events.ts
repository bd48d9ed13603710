import { playerEndpoints } from '@juicebar/contract/endpoints/player'
import { type MarketEvent } from '@juicebar/contract/events'
import { createParser, type EventSourceMessage } from 'eventsource-parser'

import { readKnownEventId, send } from '../api/client.ts'
import { growingPause } from '../api/growing-pause.ts'
import { queryClient } from '../api/query-client.ts'
import { applyEvent, createReloadQueue } from './apply-event.ts'

/**
 * live: the market's events arrive, through this tab's stream or another tab's. reconnecting: the stream is down, and everything on
 * the screen is reloaded every few seconds until it is back.
 */
export type LiveState = 'connecting' | 'live' | 'reconnecting'

interface Reader {
  /** The last event received before any of this reader's private data was loaded; undefined if there was none. */
  heard: string | undefined
  /** Whose private events to receive, too; undefined for a visitor. */
  walletAddress: string | undefined
  onState: (state: LiveState) => void
  /** Ends it. */
  signal: AbortSignal
}

const reloads = createReloadQueue(queryClient)

/** Applies every event of the market to what is loaded. */
export function followEvents({ walletAddress, ...subscription }: Reader): void {
  subscribeToEvents({ ...subscription, onEvent: (event) => applyEvent({ client: queryClient, reloads, walletAddress }, event) })
}

/** Loads everything on the screen again, at the pace at which events do. */
export function reloadMarket(): void {
  applyEvent({ client: queryClient, reloads, walletAddress: undefined }, { type: 'reset' })
}

type TabMessage =
  | { kind: 'event'; event: MarketEvent; id: string | undefined }
  | { kind: 'state'; state: LiveState; heard: string | undefined }
  | { kind: 'ask' }

const LOCK = 'juicebar-events'
/** How long to wait before reconnecting to a server that has not given a time, in milliseconds. */
const FIRST_RETRY_MS = 1_000

interface Subscription {
  /** The last event received before any of this reader's private data was loaded; undefined if there was none. */
  heard: string | undefined
  onEvent: (event: MarketEvent) => void
  onState: (state: LiveState) => void
  /** Ends the subscription and closes the stream. */
  signal: AbortSignal
}

/** The last event of this tab's own stream or another tab's. A subscription ends with a login; the next one continues from here. */
let lastHeard: string | undefined

/** The event up to which everything that is loaded is up to date; undefined before anything is loaded. */
export function readHeardEventId(): string | undefined {
  return lastHeard ?? readKnownEventId()
}

/**
 * Subscribes to the market's events. However many tabs are open, only one of them holds a stream (Web Locks); it shares with the
 * others what it receives.
 */
function subscribeToEvents({ heard, onEvent, onState, signal }: Subscription): void {
  if (signal.aborted) return
  const channel = new BroadcastChannel(LOCK)
  const from = readHeardEventId()
  let role: 'new' | 'following' | 'leading' = 'new'
  let missed = false
  let current: LiveState = 'connecting'
  const post = (message: TabMessage) => {
    if (!signal.aborted) channel.postMessage(message)
  }
  const enter = (state: LiveState) => {
    current = state
    onState(state)
  }
  /** The leading tab may have received events after `from` before this tab began to listen. */
  const follow = (reached: string | undefined) => {
    role = 'following'
    if (missed || reached !== from) onEvent({ type: 'reset' })
    else if (heard === undefined) onEvent({ type: 'ready' })
    lastHeard = reached
  }
  channel.addEventListener('message', ({ data }: MessageEvent<TabMessage>) => {
    if (data.kind === 'event') {
      onEvent(data.event)
      if (role === 'new') missed = true
      else lastHeard = data.id ?? lastHeard
    }
    if (data.kind === 'state' && role !== 'leading') {
      if (role === 'new' && data.state === 'live') follow(data.heard)
      enter(data.state)
    }
    if (data.kind === 'ask' && role === 'leading') post({ kind: 'state', state: current, heard: readHeardEventId() })
  })
  signal.addEventListener('abort', () => channel.close())
  post({ kind: 'ask' })

  const lead = () => {
    role = 'leading'
    return keepReading({
      heard,
      signal,
      onState(state) {
        enter(state)
        post({ kind: 'state', state, heard: readHeardEventId() })
      },
      onEvent(event) {
        onEvent(event)
        post({ kind: 'event', event, id: lastHeard })
      },
    })
  }
  // The request rejects only when `signal` aborts it, which is how a subscription ends.
  navigator.locks.request(LOCK, { signal }, lead).catch(() => undefined)
}

/** Reads the stream, and reopens it whenever it breaks, from the last event on. */
async function keepReading({ heard, onEvent, onState, signal }: Subscription): Promise<void> {
  let failures = 0
  let retry = FIRST_RETRY_MS
  let complete = heard !== undefined
  while (!signal.aborted) {
    const lastEventId = readHeardEventId()
    await readEventStream({
      lastEventId,
      signal,
      onOpen() {
        failures = 0
        onState('live')
      },
      onRetry(milliseconds) {
        retry = milliseconds
      },
      onEvent(event, id) {
        lastHeard = id ?? lastHeard
        if (event.type !== 'ready') onEvent(event)
        else if (lastEventId === undefined) onEvent({ type: 'reset' })
        else if (!complete) onEvent(event)
        if (event.type === 'ready') complete = true
      },
      // Whatever broke the stream, it is reopened below.
    }).catch(() => undefined)
    if (signal.aborted) return
    onState('reconnecting')
    await pause(growingPause(failures++, retry), signal)
  }
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

/** A stream this silent is dead: the server sends at least a comment every 20 s. */
const SILENCE_MS = 50_000

interface Listeners {
  onEvent: (event: MarketEvent, id: string | undefined) => void
  /** Called with the time that the server wants its readers to wait before they reconnect, in milliseconds. */
  onRetry: (milliseconds: number) => void
}

interface EventStream extends Listeners {
  lastEventId: string | undefined
  signal: AbortSignal
  onOpen: () => void
}

/**
 * Opens the event stream and reads it until it ends or falls silent, the browser goes offline, or `signal` aborts.
 *
 * @throws ApiError if the stream does not open
 */
async function readEventStream({ lastEventId, signal, onOpen, ...listeners }: EventStream): Promise<void> {
  const silence = new AbortController()
  const response = await openEvents(lastEventId, AbortSignal.any([signal, silence.signal]))
  if (!response.body) return
  onOpen()
  const parser = createEventParser(listeners)
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader()
  let timer: ReturnType<typeof setTimeout> | undefined
  const end = () => silence.abort()
  window.addEventListener('offline', end)
  try {
    for (;;) {
      clearTimeout(timer)
      timer = setTimeout(end, SILENCE_MS)
      const { done, value } = await reader.read()
      if (done) return
      parser.feed(value)
    }
  } finally {
    clearTimeout(timer)
    window.removeEventListener('offline', end)
  }
}

/**
 * Opens the event stream.
 *
 * @throws ApiError
 */
async function openEvents(lastEventId: string | undefined, signal: AbortSignal): Promise<Response> {
  const headers: Record<string, string> = { accept: 'text/event-stream' }
  if (lastEventId !== undefined) headers['last-event-id'] = lastEventId
  // At the default priority, the browser would treat the stream as part of a page that never finishes loading.
  return await send(playerEndpoints.events, { signal }, { headers, priority: 'low' })
}

/** Parses the text of a stream, fed in pieces of any size, into the market's events. */
export function createEventParser({ onEvent, onRetry }: Listeners): { feed(text: string): void } {
  return createParser({
    onRetry,
    onEvent(message) {
      const event = marketEventOf(message)
      if (event) onEvent(event, message.id)
    },
  })
}

/** @returns undefined if it is not an event. Events of a newer server may have types that this version ignores. */
export function marketEventOf({ event: type, data: json }: EventSourceMessage): MarketEvent | undefined {
  return type === undefined ? undefined : ({ ...(JSON.parse(json) as object), type } as MarketEvent)
}
