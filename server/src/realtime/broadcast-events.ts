import { readFileSync } from 'node:fs'
import { type ServerResponse } from 'node:http'
import { type Socket } from 'node:net'
import { type Session } from '../http/credentials.ts'
import { renderOutage, heartbeat, isAfter, renderNotice, renderRetry } from './event-frame.ts'
import { type EventFeed, type FeedEvent } from './poll-outbox.ts'
import { type FailureLog } from '../runtime/outage.ts'
import { startRepeating } from '../runtime/repeat.ts'
import { type Position } from './outbox-store.ts'

/** How long streams continue while sessions cannot be checked: only a long outage ends them. */
const UNCHECKED_MILLIS = 60_000

/** Returns those of the given session ids that are alive. */
export type FindLiveSessions = (ids: string[]) => Promise<ReadonlySet<string>>

interface SessionCheck<Reader> {
  readers: Iterable<Reader>
  findLiveSessions: FindLiveSessions
  /** Ends a stream whose session is dead. */
  end: (reader: Reader) => void
  /** Ends a stream whose session's state is unknown. */
  giveUp: (reader: Reader) => void
  /** Returns monotonic milliseconds. */
  clock?: () => number
}

/**
 * Returns a check, to be repeated, that ends the streams of dead sessions. While sessions cannot be checked it rejects, and gives up all
 * signed-in streams once that has lasted for a minute.
 */
export function createSessionCheck<Reader extends { session: Session | undefined }>({
  readers,
  findLiveSessions,
  end,
  giveUp,
  clock = () => performance.now(),
}: SessionCheck<Reader>): () => Promise<void> {
  let checkedAt = clock()
  return async () => {
    const startedAt = clock()
    const signedIn = [...readers].flatMap((reader) => (reader.session ? [{ reader, id: reader.session.id }] : []))
    try {
      const live = signedIn.length > 0 ? await findLiveSessions(signedIn.map(({ id }) => id)) : new Set()
      checkedAt = startedAt
      for (const { reader, id } of signedIn) if (!live.has(id)) end(reader)
    } catch (error) {
      if (clock() - checkedAt > UNCHECKED_MILLIS) for (const { reader } of signedIn) giveUp(reader)
      throw error
    }
  }
}

const CHECK_MILLIS = 500
/** The outbox is read several times a second. A read that takes longer than this, or fails for as long, is an outage. */
const OUTAGE_SECONDS = 3
/** For readers who connected in the meantime. */
const REPEAT_SECONDS = 15

/**
 * Tells every stream when changes no longer arrive because the database is down, and when they do again.
 * @returns a function that stops it
 */
export function startAnnouncingOutages(feed: Pick<EventFeed, 'age'>, readers: Pick<EventReaders, 'sendAll'>): () => void {
  let announcedAge: number | undefined
  const timer = setInterval(() => {
    const age = Math.floor(feed.age())
    if (age >= OUTAGE_SECONDS) {
      if (announcedAge !== undefined && age < announcedAge + REPEAT_SECONDS) return
      announcedAge = age
      readers.sendAll(renderOutage({ type: 'outage.began', age }))
    } else if (announcedAge !== undefined) {
      announcedAge = undefined
      readers.sendAll(renderOutage({ type: 'outage.ended' }))
    }
  }, CHECK_MILLIS).unref()
  return () => clearInterval(timer)
}

/** A reader further behind than this is disconnected; it reconnects with `Last-Event-ID`. Readers share the bytes they wait for. */
const MAX_BUFFERED_BYTES = 1024 * 1024
/** How many batches may arrive while a reader is still catching up. */
const MAX_WAITING = 1_000
const HEARTBEAT_MILLIS = 15_000
/** How long a stream may outlive its session. */
const SESSION_CHECK_MILLIS = 2_000
/** To write one event to all of them takes half a second of a core. */
const MAX_READERS = 20_000
/** Beside the streams, a server needs files for calls, the database and the chain. */
const OTHER_FILES = 1_000
/** Readers of one IPv4 address or IPv6 /64: more than an office needs, and far fewer than MAX_READERS. */
export const MAX_READERS_PER_ADDRESS = 1_000

/** For the few whose session ends: they are refused and told why. */
const retryAtOnce = renderRetry(500)

export interface Reader {
  stream: ServerResponse
  /** The stream's connection. Frames are rendered already, so they are written to it directly. */
  socket: Socket
  /** Whose private events the stream carries; undefined for a visitor. */
  session: Session | undefined
  /** The client's IPv4 address, or the /64 network of its IPv6 address. */
  network: string
  /** Set while this server's feed is behind what the reader has already received from another server. */
  ahead: Position | undefined
  /** While the reader is catching up, newer events wait here. */
  waiting: Buffer[] | undefined
}

/**
 * The most streams of a server. Beyond the files that it may open, every new connection would be reset, those of buyers as well.
 * @param openFiles how many files it may open
 */
export function mostReaders(openFiles: number | 'unlimited'): number {
  return openFiles === 'unlimited' ? MAX_READERS : Math.max(0, Math.min(MAX_READERS, openFiles - OTHER_FILES))
}

/** What Linux lets this process open. The report of Node.js tells it too, but first looks up the name of every peer. */
function openFilesLimit(): number | 'unlimited' {
  try {
    const soft = /^Max open files +(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1]
    return soft === undefined ? 'unlimited' : Number(soft)
  } catch {
    // Another system, or one that hides it.
    return 'unlimited'
  }
}

export interface EventReaders {
  count(): number
  /** Whether this server, or this network, has too many streams for one more. */
  isFull(network: string): boolean
  /** From now on the reader gets every event, at first into `waiting`. */
  add(reader: Reader): void
  /** Sends the events that the reader missed, then those that waited. From then on, events are sent at once. */
  release(reader: Reader, missed: readonly Buffer[]): void
  /** Writes a frame to every stream. */
  sendAll(frame: Buffer): void
  stop(): void
}

/** Writes the feed's events to every open stream. A slow reader never delays the others. */
export function createEventReaders(feed: EventFeed, findLiveSessions: FindLiveSessions, failures: FailureLog): EventReaders {
  const readers = new Set<Reader>()
  const most = mostReaders(openFilesLimit())
  const networks = new Map<string, number>()
  const unsubscribe = feed.subscribe({
    onEvents: (events) => broadcast(readers, events),
    onReset: (position) => resetAll(readers, renderNotice('reset', position)),
  })
  const sendAll = (frame: Buffer) => {
    for (const reader of readers) write(reader, frame)
  }
  // A reader with more to read than this needs none, and must not be disconnected because of it.
  const beat = () => {
    for (const reader of readers) if (reader.socket.writableLength === 0) write(reader, heartbeat)
  }
  const beating = setInterval(beat, HEARTBEAT_MILLIS).unref()
  const checkSessions = createSessionCheck({
    readers,
    findLiveSessions,
    end: (reader) => {
      write(reader, retryAtOnce)
      reader.stream.end()
    },
    giveUp: ({ stream }) => stream.end(),
  })
  const stopChecking = startRepeating(checkSessions, {
    everyMillis: SESSION_CHECK_MILLIS,
    failures,
    failure: 'the sessions of event streams cannot be checked; trying again',
  })

  return {
    count: () => readers.size,
    isFull: (network) => readers.size >= most || (networks.get(network) ?? 0) >= MAX_READERS_PER_ADDRESS,
    add: (reader) => {
      readers.add(reader)
      countReader(networks, reader, 1)
      reader.stream.once('close', () => {
        readers.delete(reader)
        countReader(networks, reader, -1)
      })
    },
    release: (reader, missed) => {
      const frames = [...missed, ...(reader.waiting ?? [])]
      reader.waiting = undefined
      write(reader, Buffer.concat(frames))
    },
    sendAll,
    stop: () => {
      unsubscribe()
      clearInterval(beating)
      void stopChecking()
      for (const { stream } of readers) stream.end()
    },
  }
}

function countReader(networks: Map<string, number>, { network }: Reader, change: 1 | -1): void {
  const count = (networks.get(network) ?? 0) + change
  if (count === 0) networks.delete(network)
  else networks.set(network, count)
}

/** The public events are concatenated once for all readers. Only readers with private events of their own get other bytes. */
function broadcast(readers: Iterable<Reader>, events: readonly FeedEvent[]): void {
  const publicBytes = Buffer.concat(events.filter(({ audience }) => audience === null).map(({ frame }) => frame))
  const audience = new Set(events.flatMap((event) => event.audience ?? []))
  for (const reader of readers) {
    const special = reader.ahead !== undefined || (reader.session !== undefined && audience.has(reader.session.player))
    write(reader, special ? Buffer.concat(events.filter((event) => isNews(reader, event)).map(({ frame }) => frame)) : publicBytes)
  }
}

function isNews(reader: Reader, event: FeedEvent): boolean {
  if (reader.ahead && !isAfter(event, reader.ahead)) return false
  reader.ahead = undefined
  return mayRead(reader, event)
}

/** Whether a stream carries an event: a public one, or one of its own wallet. */
export function mayRead({ session }: Pick<Reader, 'session'>, { audience }: Pick<FeedEvent, 'audience'>): boolean {
  return audience === null || (session !== undefined && audience.includes(session.player))
}

/** Checks the backlog before it adds to it: a large batch alone makes no reader slow. */
function write({ stream, socket, waiting }: Reader, bytes: Buffer): void {
  if (bytes.length === 0 || stream.writableEnded) return
  if (socket.writableLength > MAX_BUFFERED_BYTES || (waiting?.length ?? 0) > MAX_WAITING) socket.destroy()
  else if (waiting) waiting.push(bytes)
  else socket.write(bytes)
}

/** Everything that a reader was sent may never have happened. */
function resetAll(readers: Iterable<Reader>, notice: Buffer): void {
  for (const reader of readers) {
    reader.ahead = undefined
    write(reader, notice)
  }
}
