import { normalizeIP } from '@fastify/rate-limit'
import { Failure } from '@juicebar/contract/errors'
import { type FastifyReply, type FastifyRequest } from 'fastify'
import { randomInt } from 'node:crypto'

import { type Database } from '../database/connect.ts'
import { type Session } from '../http/credentials.ts'
import { requireConnected } from '../http/rate-limits.ts'
import { answered, type Api } from '../http/route.ts'
import { type FailureLog } from '../runtime/outage.ts'
import { type EventReaders, mayRead, type Reader } from './broadcast-events.ts'
import { formatPosition, isAfter, isSame, nowhere, parsePosition, renderFrame, renderNotice, renderRetry } from './event-frame.ts'
import { holdsEvent, type Position, readEvents } from './outbox-store.ts'
import { type EventFeed, type FeedEvent } from './poll-outbox.ts'

export type Authenticate = (request: FastifyRequest) => Promise<Session>

/** The event stream: server-sent events for everyone and, with a session, also for the player's own purchases, cases and balance. */
export function realtimeRoutes(api: Api, given: StreamParts, authenticate: Authenticate): void {
  const streams = { ...given, readMissed: shareReadings((last, position) => readMissed(given.database, last, position)) }
  api.open('events', 'read', async ({ request, reply }) => {
    const session = request.headers.authorization === undefined ? undefined : await authenticate(request)
    // Gone while its session was looked up, it would stay a reader: it is never closed again.
    requireConnected(request)
    const network = normalizeIP(request.ip)
    const position = requireRoom(streams, network)
    const { socket } = reply.raw
    if (!socket) throw new Failure('BAD_REQUEST', { detail: 'The event stream needs an HTTP/1.1 connection of its own.' })
    const reader = { stream: startStream(reply), socket, session, network, ahead: undefined, waiting: [] }
    await openEventStream(streams, reader, position, readLastId(request))
    return answered
  })
}

/** Starts a body that is not chunked and ends with the connection, so that frames can be written to the socket directly. */
function startStream(reply: FastifyReply): FastifyReply['raw'] {
  reply.hijack()
  const headers = Object.entries(reply.getHeaders()).filter(([, value]) => value !== undefined)
  reply.raw.removeHeader('transfer-encoding')
  reply.raw.writeHead(200, {
    ...Object.fromEntries(headers),
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-store',
    'x-accel-buffering': 'no',
  })
  reply.raw.flushHeaders()
  return reply.raw
}

function readLastId({ headers }: FastifyRequest) {
  const last = headers['last-event-id']
  return last === undefined ? undefined : (parsePosition(String(last)) ?? nowhere)
}

/** A reader that missed more is told to reset. The bytes are well below what a reader may be behind. */
const MAX_REPLAY = 1_000
const MAX_REPLAY_BYTES = 512 * 1024

/** When a server stops, its readers reconnect at random between these times: even 20,000 readers at no more than 2,500 a second. */
const SOONEST_RETRY_MILLIS = 1_000
const LATEST_RETRY_MILLIS = 9_000

export interface StreamParts {
  database: Database
  feed: EventFeed
  readers: EventReaders
  failures: FailureLog
}

interface Streams extends StreamParts {
  readMissed: ReadMissed
}

/** The events between two positions; undefined if there are too many or the outbox no longer holds them all. */
type ReadMissed = (last: Position, position: Position) => Promise<MissedEvent[] | undefined>

type MissedEvent = Pick<FeedEvent, 'audience' | 'frame'>

/** Readers who come back together, as after a restart, mostly missed the same events: they share one reading while it is under way. */
export function shareReadings(read: ReadMissed): ReadMissed {
  const underWay = new Map<string, ReturnType<ReadMissed>>()
  return (last, position) => {
    const key = `${formatPosition(last)} ${formatPosition(position)}`
    const reading = underWay.get(key) ?? read(last, position).finally(() => underWay.delete(key))
    underWay.set(key, reading)
    return reading
  }
}

/**
 * The feed's position, where a new stream starts.
 * @throws TOO_MANY_REQUESTS if this server or the caller's network has too many streams; DATABASE_DOWN before the outbox was first read
 */
function requireRoom({ feed, readers }: Streams, network: string): Position {
  if (readers.isFull(network)) throw new Failure('TOO_MANY_REQUESTS', { detail: 'a minute', retryAfter: 60 })
  const position = feed.position()
  if (!position) throw new Failure('DATABASE_DOWN')
  return position
}

/**
 * Starts a stream at the feed's `position`. It carries when to reconnect, the events since `last` or, if the outbox no longer holds
 * them, `reset`, then `ready`, then every new event. If the outbox cannot be read, the connection is closed and the client reconnects.
 */
async function openEventStream(streams: Streams, reader: Reader, position: Position, last: Position | undefined): Promise<void> {
  reader.ahead = last && isAfter(last, position) ? last : undefined
  streams.readers.add(reader)
  try {
    const missed = last ? await streams.readMissed(last, position) : []
    const retry = renderRetry(randomInt(SOONEST_RETRY_MILLIS, LATEST_RETRY_MILLIS))
    const frames = missed?.filter((event) => mayRead(reader, event)).map(({ frame }) => frame)
    if (frames && totalLength(frames) <= MAX_REPLAY_BYTES) {
      const reached = last && isAfter(last, position) ? last : position
      streams.readers.release(reader, [retry, ...frames, renderNotice('ready', reached)])
    } else {
      reader.ahead = undefined
      streams.readers.release(reader, [retry, renderNotice('reset', position), renderNotice('ready', position)])
    }
  } catch (error) {
    reader.socket.destroy()
    streams.failures.failed(error, {}, 'an event stream could not be opened; its reader comes back')
  }
}

function totalLength(frames: readonly Buffer[]): number {
  return frames.reduce((total, { length }) => total + length, 0)
}

async function readMissed(database: Database, last: Position, position: Position): Promise<MissedEvent[] | undefined> {
  if (isSame(last, position)) return []
  if (!(await holdsEvent(database, last))) return undefined
  const events = await readEvents(database, last, MAX_REPLAY + 1)
  if (events.length > MAX_REPLAY) return undefined
  return events.filter((event) => !isAfter(event, position)).map((event) => ({ audience: event.audience, frame: renderFrame(event) }))
}
