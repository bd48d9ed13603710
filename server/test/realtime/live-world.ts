import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { promisify } from 'node:util'
import { parseWalletAddress } from '@juicebar/contract/addresses'
import { Failure } from '@juicebar/contract/errors'
import { expect, test, vi } from 'vitest'
import { collectLog } from '../runtime/collected-log.ts'
import { defaultCatalogue } from '../support/catalogue.ts'
import { connectDatabase, type DatabaseConnection } from '../../src/database/connect.ts'
import { bearerToken, type Session } from '../../src/http/credentials.ts'
import { createRateLimits } from '../../src/http/rate-limits.ts'
import { createApi } from '../../src/http/route.ts'
import { createServer } from '../../src/http/server.ts'
import { createFailureLog } from '../../src/runtime/outage.ts'
import { createEventFeed, type EventFeed } from '../../src/realtime/poll-outbox.ts'
import { createEventReaders } from '../../src/realtime/broadcast-events.ts'
import { realtimeRoutes } from '../../src/realtime/routes.ts'
import { findLiveSessions } from '../../src/sign-in/sign-in-store.ts'
import { randomWallet } from '../market/market-world.ts'
import { FEW_CONNECTIONS } from '../support/few-connections.ts'
import { freshDatabase } from '../support/fresh-database.ts'

/** For `expect.poll`. */
export const waiting = { interval: 10 }
/** Emits an event with a name. */
export const emission = `select emit_event('listing.sold', $1::text[], json_build_object('type', 'listing.sold', 'name', $2::text))`

export type LiveServer = Awaited<ReturnType<typeof startLiveServer>>

/** The event stream of one server, without the rest of it. */
export async function startLiveServer({ database }: DatabaseConnection, given: { feed?: EventFeed; onLookup?: () => Promise<void> } = {}) {
  const { log, lines, about } = collectLog()
  const failures = createFailureLog(log)
  const { feed = createEventFeed(database, { log, failures }) } = given
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
    await given.onLookup?.()
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
  await vi.waitFor(() => expect(feed.position()).toBeDefined(), { timeout: 30_000, ...waiting })
  return {
    port: Number(new URL(fastify.listeningOrigin).port),
    readers,
    connections: () => promisify((report: (error: Error | null, count: number) => void) => fastify.server.getConnections(report))(),
    lines,
    about,
    /** How often its check of sessions has failed. */
    failedChecks: () => failedChecks,
    stop: async () => {
      readers.stop()
      await fastify.close()
      await stopFeed()
    },
  }
}

/** An empty database, whose events and sessions a test makes. */
export async function openLiveWorld() {
  const fresh = await freshDatabase()
  const connection = connectDatabase(fresh.url, () => undefined, FEW_CONNECTIONS)
  const { pool } = connection
  return {
    connection,
    url: fresh.url,
    query: async (sql: string, values?: unknown[]) => (await pool.query(sql, values)).rows,
    emit: (name: string, audience: string[] | null = null) => pool.query(emission, [audience, name]),
    /** Opens a session. Its token is understood by `startLiveServer` only. */
    signIn: async () => {
      const [id, wallet] = [randomUUID(), randomWallet()]
      await pool.query('insert into players (wallet_address) values ($1)', [wallet])
      await pool.query(`insert into sessions (id, wallet_address, expires_at) values ($1, $2, now() + interval '1 hour')`, [id, wallet])
      return { wallet, token: `${id}:${wallet}`, logOut: () => pool.query('update sessions set revoked_at = now() where id = $1', [id]) }
    },
    close: async () => {
      await connection.close()
      await fresh.drop()
    },
  }
}

/** Two servers on one database, which the tests of a file share, and streams that end with their test. */
export const it = test
  .extend('world', { scope: 'file' }, async ({}, { onCleanup }) => {
    const world = await openLiveWorld()
    onCleanup(world.close)
    return world
  })
  .extend('one', { scope: 'file' }, async ({ world }, { onCleanup }) => {
    const server = await startLiveServer(world.connection)
    onCleanup(server.stop)
    return server
  })
  .extend('other', { scope: 'file' }, async ({ world }, { onCleanup }) => {
    const server = await startLiveServer(world.connection)
    onCleanup(server.stop)
    return server
  })
  .extend('readStream', ({}, { onCleanup }) => {
    const opened: Stream[] = []
    onCleanup(() => opened.forEach((stream) => stream.close()))
    return async (server: LiveServer, asking?: Asking) => {
      const stream = await openStream(server, asking)
      opened.push(stream)
      await vi.waitFor(() => expect(stream.types()).toContain('ready'), { timeout: 30_000, ...waiting })
      return stream
    }
  })

interface Seen {
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

type Stream = Awaited<ReturnType<typeof openStream>>

/** Opens the stream with a plain socket and collects what it carries. Each frame is parsed once, however often it is asked for. */
async function openStream(server: LiveServer, asking?: Asking) {
  const socket = await openSocket(server, asking)
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
  return {
    seen: () => [...events],
    types: () => events.map(({ type }) => type),
    names: () => events.flatMap(({ name }) => name ?? []),
    /** The newest event that it has carried. */
    lastId: () => events.at(-1)!.id,
    head: () => head ?? '',
    hasEnded: () => ended,
    retry: () => Number(/^retry: (\d+)$/m.exec(frames.join('\n'))?.[1]),
    close: () => void socket.destroy(),
  }
}

/** A connection that has requested the stream; nothing is read from it yet. */
export async function openSocket(server: Pick<LiveServer, 'port'>, { token, lastEventId, address }: Asking = {}): Promise<Socket> {
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
