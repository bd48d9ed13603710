import { type BaseLogger } from 'pino'

import { type Database } from '../database/connect.ts'
import { repeat } from '../repeat.ts'
import { renderFrame } from './event-frame.ts'
import { type OutboxEvent, type Position, purgeEvents, readEvents, readHead } from './outbox-store.ts'

/** Unlike LISTEN, polling works through any connection pooler and keeps commits free of the database-wide notify lock. */
const POLL_MILLIS = 150
const BATCH = 1_000
const KEEP_MINUTES = 60
const PURGE_EVERY_MILLIS = 60_000

export interface FeedEvent extends OutboxEvent {
  frame: Buffer
}

export interface EventFeed {
  /** Up to here every listener has received the events; undefined until the first read succeeds. */
  position(): Position | undefined
  /**
   * Calls the listener with every batch of new events, in order.
   * @returns the function that unsubscribes it
   */
  subscribe(listener: (events: readonly FeedEvent[]) => void): () => void
  /**
   * Starts polling.
   * @returns the function that stops it; resolves when the last read is done
   */
  start(): () => Promise<void>
}

/** Polls the outbox for this server and passes every event to its listeners, in order and without loss. */
export function createEventFeed(database: Database, log: Pick<BaseLogger, 'warn'>): EventFeed {
  const listeners = new Set<(events: readonly FeedEvent[]) => void>()
  let position: Position | undefined

  const poll = async () => {
    position ??= await readHead(database)
    for (let more = true; more;) {
      const events = await readEvents(database, position, BATCH)
      const last = events.at(-1)
      if (!last) return
      const rendered = events.map((event) => ({ ...event, frame: renderFrame(event) }))
      position = { xid: last.xid, id: last.id }
      for (const listener of listeners) listener(rendered)
      more = events.length === BATCH
    }
  }

  return {
    position: () => position,
    subscribe: (listener) => {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    start: () => {
      const stopping = new AbortController()
      const options = { signal: stopping.signal, log, failure: 'the event outbox cannot be read or purged; trying again' }
      const reading = repeat(poll, { ...options, everyMillis: POLL_MILLIS })
      const purging = repeat(() => purgeEvents(database, KEEP_MINUTES), { ...options, everyMillis: PURGE_EVERY_MILLIS })
      return async () => {
        stopping.abort()
        await Promise.all([reading, purging])
      }
    },
  }
}
