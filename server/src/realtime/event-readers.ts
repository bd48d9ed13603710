import { type WalletAddress } from '@juicebar/contract/addresses'
import { type ServerResponse } from 'node:http'

import { type EventFeed, type FeedEvent } from './event-feed.ts'
import { heartbeat } from './event-frame.ts'

/** A reader this far behind is let go; it comes back with `Last-Event-ID` and catches up. */
const MAX_BUFFERED_BYTES = 256 * 1024
const HEARTBEAT_MILLIS = 15_000
export const MAX_READERS = 20_000

export interface Reader {
  stream: ServerResponse
  /** Whose private events it carries; undefined for a visitor. */
  wallet: WalletAddress | undefined
  /** Checks that the session behind it still lives. */
  stillSignedIn(): Promise<boolean>
  /** While the reader is still being told what it missed, newer events wait here. */
  waiting: Buffer[] | undefined
}

export interface EventReaders {
  count(): number
  /** From now on the reader gets every event, at first into `waiting`. */
  add(reader: Reader): void
  /** Tells the reader what it missed and then what has waited meanwhile; from now on events go straight out. */
  release(reader: Reader, missed: readonly Buffer[]): void
  stop(): void
}

/** Writes the feed's events to every open stream; a slow reader never holds up the others. */
export function createEventReaders(feed: EventFeed): EventReaders {
  const readers = new Set<Reader>()
  const unsubscribe = feed.subscribe((events) => {
    for (const event of events) broadcast(readers, event)
  })
  const beating = setInterval(() => {
    for (const reader of readers) void beat(reader)
  }, HEARTBEAT_MILLIS)
  beating.unref()

  return {
    count: () => readers.size,
    add: (reader) => {
      readers.add(reader)
      reader.stream.once('close', () => readers.delete(reader))
    },
    release: (reader, missed) => {
      const frames = [...missed, ...(reader.waiting ?? [])]
      reader.waiting = undefined
      for (const frame of frames) write(reader, frame)
    },
    stop: () => {
      unsubscribe()
      clearInterval(beating)
      for (const { stream } of readers) stream.end()
    },
  }
}

function broadcast(readers: Iterable<Reader>, event: FeedEvent): void {
  for (const reader of readers) {
    if (mayRead(reader, event)) write(reader, event.frame)
  }
}

/** Whether a stream carries an event: everybody's, or its own wallet's. */
export function mayRead({ wallet }: Pick<Reader, 'wallet'>, { audience }: Pick<FeedEvent, 'audience'>): boolean {
  return audience === null || (wallet !== undefined && audience.includes(wallet))
}

function write({ stream, waiting }: Reader, bytes: Buffer): void {
  if (waiting) {
    waiting.push(bytes)
    return
  }
  stream.write(bytes)
  if (stream.writableLength > MAX_BUFFERED_BYTES) stream.destroy()
}

async function beat(reader: Reader): Promise<void> {
  if (await reader.stillSignedIn()) write(reader, heartbeat)
  else reader.stream.end()
}
