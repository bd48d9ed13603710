import { type FastifyBaseLogger } from 'fastify'
import { setTimeout as sleep } from 'node:timers/promises'

import { type Database } from '../database/connect.ts'
import { renderFrame } from './event-frame.ts'
import { type OutboxEvent, type Position, purgeEvents, readEvents, readHead } from './outbox-store.ts'

/** Polling the outbox needs no LISTEN, works through any pooler, and keeps commits free of the database-wide notify lock. */
const POLL_MILLIS = 150
const BATCH = 1_000
const KEEP_MINUTES = 60
const PURGE_EVERY_MILLIS = 60_000

export interface FeedEvent extends OutboxEvent {
  frame: Buffer
}

export interface EventFeed {
  /** Up to where every listener was told; undefined until the database was first reached. */
  position(): Position | undefined
  /** Calls back with each batch of new events, in order. Gives the function that ends it. */
  subscribe(listener: (events: readonly FeedEvent[]) => void): () => void
  /** Begins to read. Gives the function that ends it, fulfilled when the last read is over. */
  start(): () => Promise<void>
}

/** Reads the outbox for this node and hands every event to the node's listeners, in order, none lost. */
export function createEventFeed(database: Database, log: FastifyBaseLogger): EventFeed {
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
      const reading = repeat(poll, POLL_MILLIS, stopping.signal, log)
      const purging = repeat(() => purgeEvents(database, KEEP_MINUTES), PURGE_EVERY_MILLIS, stopping.signal, log)
      return async () => {
        stopping.abort()
        await Promise.all([reading, purging])
      }
    },
  }
}

async function repeat(work: () => Promise<void>, everyMillis: number, signal: AbortSignal, log: FastifyBaseLogger): Promise<void> {
  let failed = false
  while (!signal.aborted) {
    try {
      await work()
      failed = false
    } catch (error) {
      if (!failed) log.warn({ err: error }, 'the event outbox cannot be read; trying again')
      failed = true
    }
    await sleep(everyMillis, undefined, { signal }).catch(() => undefined)
  }
}
