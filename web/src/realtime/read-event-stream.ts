import { type MarketEvent } from '@juicebar/contract/events'
import { createParser, type EventSourceMessage } from 'eventsource-parser'

import { openEvents } from '../api/client.ts'

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
 * Opens the event stream and reads it until it ends, falls silent or `signal` aborts.
 *
 * @throws ApiError if the stream does not open
 */
export async function readEventStream({ lastEventId, signal, onOpen, ...listeners }: EventStream): Promise<void> {
  const silence = new AbortController()
  const response = await openEvents(lastEventId, AbortSignal.any([signal, silence.signal]))
  if (!response.body) return
  onOpen()
  const parser = createEventParser(listeners)
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader()
  let timer: ReturnType<typeof setTimeout> | undefined
  try {
    for (;;) {
      clearTimeout(timer)
      timer = setTimeout(() => silence.abort(), SILENCE_MS)
      const { done, value } = await reader.read()
      if (done) return
      parser.feed(value)
    }
  } finally {
    clearTimeout(timer)
  }
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
