import { type ServerResponse } from 'node:http'
import { type Socket } from 'node:net'

import { type Session } from '../http/api/route.ts'
import { type EventFeed, type FeedEvent } from './poll-outbox.ts'
import { heartbeat, isAfter } from './event-frame.ts'
import { type Position } from './outbox-store.ts'

/** A reader this far behind is let go; it comes back with `Last-Event-ID`. The bytes are the same for all who wait for them. */
const MAX_BUFFERED_BYTES = 1024 * 1024
/** What may come while a reader is still being told what it missed. */
const MAX_WAITING = 1_000
const HEARTBEAT_MILLIS = 15_000
/** How long a stream may outlive its session. */
const SESSION_CHECK_MILLIS = 2_000
export const MAX_READERS = 20_000
/** Readers behind one address (IPv6: one /64): more pages than an office has open. One caller must not take all the room. */
export const MAX_READERS_PER_ADDRESS = 1_000

export interface Reader {
  stream: ServerResponse
  /** The stream's own connection: frames go straight to it, since they are rendered already. */
  socket: Socket
  /** Whose private events it carries too; undefined for a visitor. */
  session: Session | undefined
  /** Where it reads from; see `callerNetwork`. */
  network: string
  /** Set while this server has yet to read what the reader was told by another one. */
  ahead: Position | undefined
  /** While the reader is being told what it missed, newer events wait here. */
  waiting: Buffer[] | undefined
}

export interface EventReaders {
  count(): number
  countFrom(network: string): number
  /** From now on the reader gets every event, at first into `waiting`. */
  add(reader: Reader): void
  /** Tells the reader what it missed and then what has waited meanwhile; from now on events go straight out. */
  release(reader: Reader, missed: readonly Buffer[]): void
  stop(): void
}

/** Of some sessions, those that still live. */
export type FindLiveSessions = (ids: string[]) => Promise<ReadonlySet<string>>

/** Writes the feed's events to every open stream; a slow reader never holds up the others. */
export function createEventReaders(feed: EventFeed, findLiveSessions: FindLiveSessions): EventReaders {
  const readers = new Set<Reader>()
  const networks = new Map<string, number>()
  const unsubscribe = feed.subscribe((events) => broadcast(readers, events))
  const beating = setInterval(() => {
    for (const reader of readers) write(reader, heartbeat)
  }, HEARTBEAT_MILLIS).unref()
  const checking = setInterval(() => void endWithSessions(readers, findLiveSessions), SESSION_CHECK_MILLIS).unref()

  return {
    count: () => readers.size,
    countFrom: (network) => networks.get(network) ?? 0,
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
    stop: () => {
      unsubscribe()
      clearInterval(beating)
      clearInterval(checking)
      for (const { stream } of readers) stream.end()
    },
  }
}

function countReader(networks: Map<string, number>, { network }: Reader, change: 1 | -1): void {
  const count = (networks.get(network) ?? 0) + change
  if (count === 0) networks.delete(network)
  else networks.set(network, count)
}

/** What is for everybody is put together once for all; only whose own events are among it get bytes of their own. */
function broadcast(readers: Iterable<Reader>, events: readonly FeedEvent[]): void {
  const forAll = Buffer.concat(events.filter(({ audience }) => audience === null).map(({ frame }) => frame))
  const named = new Set(events.flatMap(({ audience }) => audience ?? []))
  for (const reader of readers) {
    const special = reader.ahead !== undefined || (reader.session !== undefined && named.has(reader.session.player))
    write(reader, special ? Buffer.concat(events.filter((event) => isNews(reader, event)).map(({ frame }) => frame)) : forAll)
  }
}

function isNews(reader: Reader, event: FeedEvent): boolean {
  if (reader.ahead && !isAfter(event, reader.ahead)) return false
  reader.ahead = undefined
  return mayRead(reader, event)
}

/** Whether a stream carries an event: everybody's, or its own wallet's. */
export function mayRead({ session }: Pick<Reader, 'session'>, { audience }: Pick<FeedEvent, 'audience'>): boolean {
  return audience === null || (session !== undefined && audience.includes(session.player))
}

/** A reader is slow by what it left of earlier events: the newest alone, however many came at once, are nobody's fault. */
function write({ stream, socket, waiting }: Reader, bytes: Buffer): void {
  if (bytes.length === 0 || stream.writableEnded) return
  if (socket.writableLength > MAX_BUFFERED_BYTES || (waiting?.length ?? 0) > MAX_WAITING) socket.destroy()
  else if (waiting) waiting.push(bytes)
  else socket.write(bytes)
}

/** A stream outlives neither its session nor doubt about it: a reader that was wronged comes back at once. */
async function endWithSessions(readers: Iterable<Reader>, findLiveSessions: FindLiveSessions): Promise<void> {
  const signedIn = [...readers].flatMap(({ stream, session }) => (session ? [{ stream, id: session.id }] : []))
  if (signedIn.length === 0) return
  const live = await findLiveSessions(signedIn.map(({ id }) => id)).catch(() => new Set<string>())
  for (const { stream, id } of signedIn) if (!live.has(id)) stream.end()
}
