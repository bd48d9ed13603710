import { Failure } from '@juicebar/contract/errors'
import { type BaseLogger } from 'pino'
import { type Database } from '../database/connect.ts'
import {
  purgeEvents,
  countLost,
  holdsEvent,
  origin,
  type OutboxEvent,
  type PolledEvent,
  pollEvents,
  type Position,
  readHead,
  readTimeline,
} from './outbox-store.ts'
import { type FailureLog } from '../runtime/outage.ts'
import { startRepeating } from '../runtime/repeat.ts'
import { formatPosition, isSame, renderFrame } from './event-frame.ts'

/** How long an interrupted stream can still resume where it stopped. */
const KEEP_MINUTES = 60
/** A batch takes about as long as a player's call. */
const PURGE_BATCH = 10_000
/** Per round; the rest is left for the next one. */
const MOST_BATCHES = 200

/**
 * Deletes the events that are too old for any stream, as fast as they arrive: in short transactions, until none are left.
 * @returns how many it deleted
 */
export async function purgeOutbox(database: Database, signal: AbortSignal, batch = PURGE_BATCH): Promise<number> {
  let purged = 0
  for (let batches = 0; batches < MOST_BATCHES && !signal.aborted; batches++) {
    const deleted = await purgeEvents(database, { olderThanMinutes: KEEP_MINUTES, limit: batch })
    purged += deleted
    if (deleted < batch) break
  }
  return purged
}

/** Unlike LISTEN, polling works through any connection pooler and keeps commits free of the database-wide notify lock. */
const POLL_MILLIS = 150
const BATCH = 1_000
const PURGE_EVERY_MILLIS = 60_000
/** How many of the latest events are checked after a fail-over: more than a fail-over loses and streams can still show. */
const REMEMBERED = 1_000

export interface FeedEvent extends OutboxEvent {
  frame: Buffer
}

export interface FeedListener {
  /** Called with every batch of new events, in order. */
  onEvents(events: readonly FeedEvent[]): void
  /** The database has lost events that were sent: anything learned from it may never have happened. The feed continues from `position`. */
  onReset(position: Position): void
}

export interface EventFeed {
  /** Every listener has received the events up to here; undefined until the first read succeeds. */
  position(): Position | undefined
  /**
   * Whether the database lacks an event that this feed has read.
   * @throws DATABASE_DOWN if it has read nothing yet
   */
  hasLost(): Promise<boolean>
  /** Seconds since the outbox was last read to its end; until it was, since the feed was created. */
  age(): number
  /** @returns the function that unsubscribes the listener */
  subscribe(listener: FeedListener): () => void
  /**
   * Starts polling.
   * @returns the function that stops it; resolves when the last read is done
   */
  start(): () => Promise<void>
}

interface FeedOptions {
  log: Pick<BaseLogger, 'info' | 'warn'>
  failures: FailureLog
  /** Called before the feed continues if events are missing that cannot have been purged, with the time of the latest, in microseconds. */
  onLoss?: (lostAt: bigint) => Promise<void>
}

/**
 * Polls the outbox for this server and passes every event to its listeners, in order and without loss. If the database goes back to an
 * earlier state, by a restore or a fail-over that loses commits, the feed goes back with it and tells them.
 */
export function createEventFeed(database: Database, { log, failures, onLoss }: FeedOptions): EventFeed {
  const listeners = new Set<FeedListener>()
  let position: Position | undefined
  let readAt = performance.now()
  let timeline: string | null = null
  let sent: Position[] = []

  const poll = async () => {
    position ??= await readHead(database)
    for (let more = true; more;) {
      const polled: PolledEvent[] = await pollEvents(database, position, BATCH)
      const events: PolledEvent[] | undefined = isSame(position, origin) ? polled : eventsAfter(position, polled)
      if (!events || (await hasFailedOverWithLoss(polled))) return reset(position)
      const last = events.at(-1)
      if (!last) break
      const rendered = events.map((event) => ({ ...event, frame: renderFrame(event) }))
      sent = [...sent, ...events.map(({ xid, id, at }) => ({ xid, id, at }))].slice(-REMEMBERED)
      position = { xid: last.xid, id: last.id, at: last.at }
      for (const listener of listeners) listener.onEvents(rendered)
      more = events.length >= BATCH
    }
    readAt = performance.now()
  }

  /** The newest event may have survived a fail-over that has lost others, whose transactions began before and ended after it. */
  const hasFailedOverWithLoss = async ([event]: readonly PolledEvent[]): Promise<boolean> => {
    const former = timeline
    const current = event?.timeline ?? former
    if (former === null || current === former) {
      timeline = current
      return false
    }
    const lost = await countLost(database, sent, KEEP_MINUTES / 2)
    if (lost > 0) return true
    timeline = current
    log.info({ timeline, former }, 'the database has failed over, without losing an event')
    return false
  }

  const reset = async (former: Position) => {
    const current = await readTimeline(database)
    if (current === null) throw new Failure('DATABASE_DOWN', { cause: new Error('a stand-by answered that is behind') })
    const [head, lost] = await Promise.all([readHead(database), countLost(database, sent, KEEP_MINUTES / 2)])
    const fields = { lost, from: formatPosition(former), to: formatPosition(head), timeline: current, formerTimeline: timeline }
    // A feed that was interrupted for long misses events that were purged.
    if (lost > 0 || performance.now() - readAt < (KEEP_MINUTES / 2) * 60_000) await onLoss?.(former.at)
    log.warn(fields, 'the database no longer has events that this server has sent: all streams start again')
    position = head
    timeline = current
    sent = []
    for (const listener of listeners) listener.onReset(head)
  }

  return {
    position: () => position,
    hasLost: async () => {
      if (!position) throw new Failure('DATABASE_DOWN')
      if (isSame(position, origin)) return false
      return !(await holdsEvent(database, position)) || (await countLost(database, sent, KEEP_MINUTES / 2)) > 0
    },
    age: () => (performance.now() - readAt) / 1_000,
    subscribe: (listener) => {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    start: () => {
      const options = { failures, failure: 'the event outbox cannot be read or purged; trying again' }
      const stopReading = startRepeating(poll, { ...options, everyMillis: POLL_MILLIS })
      const stopPurging = startRepeating((signal) => purgeOutbox(database, signal), { ...options, everyMillis: PURGE_EVERY_MILLIS })
      return async () => void (await Promise.all([stopReading(), stopPurging()]))
    },
  }
}

/** @returns undefined if the outbox does not hold the event at the position */
function eventsAfter(position: Position, [first, ...events]: readonly PolledEvent[]): PolledEvent[] | undefined {
  return first && isSame(first, position) ? events : undefined
}
