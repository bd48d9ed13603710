import { type MarketEvent } from '@juicebar/contract/events'

import { openEvents } from '../api/client.ts'
import { createSseParser, type SseMessage } from './sse-parser.ts'

/** A stream that stays silent this long is dead: the server sends a comment at least every 20 s. */
const SILENCE_MS = 50_000

interface Reading {
  lastEventId: string | undefined
  signal: AbortSignal
  onOpen: () => void
  onEvent: (event: MarketEvent, id: string | undefined) => void
}

/** Reads the events of the market until the stream ends, falls silent or is given up. Throws `ApiError` where it does not open. */
export async function readEvents({ lastEventId, signal, onOpen, onEvent }: Reading): Promise<void> {
  const silence = new AbortController()
  const response = await openEvents(lastEventId, AbortSignal.any([signal, silence.signal]))
  if (!response.body) return
  onOpen()
  const parse = createSseParser()
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader()
  let timer: ReturnType<typeof setTimeout> | undefined
  try {
    for (;;) {
      clearTimeout(timer)
      timer = setTimeout(() => silence.abort(), SILENCE_MS)
      const { done, value } = await reader.read()
      if (done) return
      for (const message of parse(value)) {
        const event = readEvent(message)
        if (event) onEvent(event, message.id)
      }
    }
  } finally {
    clearTimeout(timer)
  }
}

const known: Record<MarketEvent['type'], true> = {
  'listing.created': true,
  'listing.held': true,
  'listing.released': true,
  'listing.sold': true,
  'listing.removed': true,
  'purchase.changed': true,
  'case.changed': true,
  'balance.changed': true,
  ready: true,
  reset: true,
}

/** The event that a message carries; undefined for one that this page does not know yet. */
export function readEvent(message: SseMessage): MarketEvent | undefined {
  if (!Object.hasOwn(known, message.event)) return undefined
  const data: unknown = JSON.parse(message.data)
  return typeof data === 'object' && data !== null ? ({ ...data, type: message.event } as MarketEvent) : undefined
}
