import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'

import { parseWalletAddress, type WalletAddress } from '@juicebar/contract/addresses'
import { Failure } from '@juicebar/contract/errors'
import { type Logger, pino } from 'pino'
import { expect, vi } from 'vitest'

import { defaultCatalogue } from '../support/catalogue.ts'
import { connectDatabase, type DatabaseConnection } from '../../src/database/connect.ts'
import { bearerToken } from '../../src/http/api/bearer-token.ts'
import { createRateLimits } from '../../src/http/api/rate-limits.ts'
import { createApi, type Session } from '../../src/http/api/route.ts'
import { createServer } from '../../src/http/server/server.ts'
import { createFailureLog, type FailureLog } from '../../src/logging/failure-log.ts'
import { createEventFeed, type EventFeed } from '../../src/realtime/poll-outbox.ts'
import { createEventReaders, type EventReaders } from '../../src/realtime/broadcast-events.ts'
import { realtimeRoutes } from '../../src/realtime/routes.ts'
import { findLiveSessions } from '../../src/sign-in/sign-in-store.ts'
import { freshDatabase } from '../support/fresh-database.ts'

const silent = pino({ level: 'silent' })
export const waiting = { timeout: 30_000, interval: 10 }

export interface LiveServer {
  port: number
  readers: EventReaders
  /** How often its check of sessions has failed. */
  failedChecks(): number
  stop(): Promise<void>
}

interface LiveServerParts {
  log?: Logger
  failures?: FailureLog
  feed?: EventFeed
}

/** The event stream of one server, without the rest of it. */
export async function startLiveServer(
  { database }: DatabaseConnection,
  { log = silent, failures = createFailureLog(log), feed = createEventFeed(database, { log, failures }) }: LiveServerParts = {},
): Promise<LiveServer> {
  const fastify = await createServer({
    log,
    failures,
    publicOrigin: 'http://localhost',
    productName: 'Juicebar',
    items: defaultCatalogue.items,
    version: '0',
    trustProxy: ['loopback'],
  })
  const authenticate = async (request: Parameters<typeof bearerToken>[0]): Promise<Session> => {
    const [id, player] = bearerToken(request)?.split(':') ?? []
    const wallet = parseWalletAddress(player ?? '')
    if (!id || !wallet) throw new Failure('UNAUTHORIZED')
    return { id, player: wallet }
  }
  const api = createApi(fastify, { limits: await createRateLimits(fastify), studioApiKey: 'k'.repeat(32), authenticate })
  let failedChecks = 0
  const countFailure = (error: unknown) => {
    failedChecks += 1
    throw error
  }
  const readers = createEventReaders(feed, (ids) => findLiveSessions(database, ids).catch(countFailure), failures)
  realtimeRoutes(api, { database, feed, readers, failures }, authenticate)
  const stopFeed = feed.start()
  await fastify.listen({ port: 0, host: '127.0.0.1' })
  await vi.waitFor(() => expect(feed.position()).toBeDefined(), waiting)
  return {
    port: Number(new URL(fastify.listeningOrigin).port),
    readers,
    failedChecks: () => failedChecks,
    stop: async () => {
      readers.stop()
      await fastify.close()
      await stopFeed()
    },
  }
}

export async function openLiveWorld() {
  const fresh = await freshDatabase()
  const connection = connectDatabase(fresh.url, () => undefined)
  return {
    connection,
    url: fresh.url,
    emit: (name: string, audience: string[] | null = null) => connection.pool.query(emission, [audience, name]),
    /** Opens a session. Its token is understood by `startLiveServer` only. */
    signIn: async (wallet: WalletAddress) => {
      const id = randomUUID()
      await connection.pool.query('insert into players (wallet_address) values ($1) on conflict do nothing', [wallet])
      await connection.pool.query(`insert into sessions (id, wallet_address, expires_at) values ($1, $2, now() + interval '1 hour')`, [
        id,
        wallet,
      ])
      return { token: `${id}:${wallet}`, logOut: () => connection.pool.query('update sessions set revoked_at = now() where id = $1', [id]) }
    },
    close: async () => {
      await connection.close()
      await fresh.drop()
    },
  }
}

/** Emits an event with a name. */
export const emission = `select emit_event('listing.sold', $1::text[], json_build_object('type', 'listing.sold', 'name', $2::text))`

export interface Seen {
  id: string
  type: string
  name: string | undefined
}

interface Asking {
  token?: string
  lastEventId?: string
  /** The reader's address, as a proxy in front of the server would forward it. */
  address?: string
}

/** Opens the stream with a plain socket and collects what it carries. Each frame is parsed once, however often it is asked for. */
export async function readStream(server: LiveServer, options: Asking = {}) {
  const socket = await openSocket(server, options)
  const frames: string[] = []
  const events: Seen[] = []
  let head: string | undefined
  let rest = ''
  let ended = false
  socket.setEncoding('utf8').on('data', (chunk: string) => {
    rest += chunk
    if (head === undefined) {
      const end = rest.indexOf('\r\n\r\n')
      if (end < 0) return
      head = rest.slice(0, end)
      rest = rest.slice(end + 4)
    }
    const parts = rest.split('\n\n')
    rest = parts.pop() ?? ''
    frames.push(...parts)
    events.push(...parts.filter((frame) => frame.startsWith('id: ')).map(parseFrame))
  })
  socket.on('close', () => (ended = true))
  const stream = {
    seen: () => [...events],
    names: () => events.flatMap(({ name }) => name ?? []),
    head: () => head ?? '',
    hasEnded: () => ended,
    retry: () => Number(/^retry: (\d+)$/m.exec(frames.join('\n'))?.[1]),
    close: () => void socket.destroy(),
  }
  await vi.waitFor(() => expect(events.map(({ type }) => type)).toContain('ready'), waiting)
  return stream
}

/** A connection that has requested the stream; nothing is read from it yet. */
export async function openSocket(server: LiveServer, { token, lastEventId, address }: Asking = {}): Promise<Socket> {
  const socket = connect(server.port, '127.0.0.1')
  await once(socket, 'connect')
  const headers = [
    token && `authorization: Bearer ${token}`,
    lastEventId && `last-event-id: ${lastEventId}`,
    address && `x-forwarded-for: ${address}`,
  ].filter(Boolean)
  socket.write(['GET /api/marketplace/events HTTP/1.1', 'host: localhost', ...headers].join('\r\n') + '\r\n\r\n')
  return socket
}

function parseFrame(frame: string): Seen {
  const field = (name: string) =>
    frame
      .split('\n')
      .find((line) => line.startsWith(`${name}: `))
      ?.slice(name.length + 2) ?? ''
  const data: unknown = JSON.parse(field('data'))
  const name = typeof data === 'object' && data !== null && 'name' in data ? String(data.name) : undefined
  return { id: field('id'), type: field('event'), name }
}
