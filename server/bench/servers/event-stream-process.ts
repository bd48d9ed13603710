import { once } from 'node:events'
import { createServer as createRawServer, type Socket } from 'node:net'
import { pino } from 'pino'
import { catalogue } from '../databases/catalogue.ts'
import { connectDatabase } from '../../src/database/connect.ts'
import { createRateLimits } from '../../src/http/rate-limits.ts'
import { createApi } from '../../src/http/route.ts'
import { createServer } from '../../src/http/server.ts'
import { createFailureLog } from '../../src/runtime/outage.ts'
import { type EventFeed, type FeedEvent, type FeedListener } from '../../src/realtime/poll-outbox.ts'
import { renderFrame } from '../../src/realtime/event-frame.ts'
import { createEventReaders } from '../../src/realtime/broadcast-events.ts'
import { realtimeRoutes } from '../../src/realtime/routes.ts'

/** What the parent process can ask for. Every answer is a number. */
export type Question = 'product port' | 'raw port' | 'product millis' | 'raw millis' | 'memory' | 'readers'

process.once('disconnect', () => process.exit())
process.setMaxListeners(0)

const json = JSON.stringify({ type: 'listing.sold', listing: { _id: 'x'.repeat(36), seller: 'y'.repeat(44), rest: 'z'.repeat(250) } })
const position = { xid: '1000000', id: 1_000_000n, at: 1_000_000_000_000_000n }
const event: FeedEvent = { ...position, type: 'listing.sold', audience: null, json, frame: Buffer.alloc(0) }
event.frame = renderFrame(event)

let broadcast: FeedListener['onEvents'] | undefined
const feed: EventFeed = {
  position: () => position,
  hasLost: async () => false,
  age: () => 0,
  subscribe: (listener) => {
    broadcast = listener.onEvents
    return () => undefined
  },
  start: () => async () => undefined,
}

/** The product's event stream without the rest of the server. Its feed carries the event above whenever the parent asks for it. */
const log = pino({ level: 'error' })
const failures = createFailureLog(log)
const fastify = await createServer({
  log,
  failures,
  publicOrigin: 'http://localhost:3000',
  productName: 'Juicebar',
  version: 'bench',
  items: catalogue.items,
  trustProxy: ['loopback'],
})
const refuse = () => Promise.reject(new Error('this server has no sessions'))
const { database } = connectDatabase('postgresql://127.0.0.1:1/none', () => undefined)
const readers = createEventReaders(feed, async () => new Set(), failures)
const api = createApi(fastify, { limits: await createRateLimits(fastify), studioApiKey: 'bench-studio-key', authenticate: refuse })
realtimeRoutes(api, { database, feed, readers, failures }, refuse)
await fastify.listen({ port: 0, host: '127.0.0.1', backlog: 4096 })

const rawSockets = new Set<Socket>()
const rawServer = createRawServer({ noDelay: true }, (socket) => {
  rawSockets.add(socket)
  socket.on('error', () => undefined).on('close', () => rawSockets.delete(socket))
})
rawServer.listen({ port: 0, host: '127.0.0.1', backlog: 4096 })
await once(rawServer, 'listening')

function timed(work: () => void): number {
  const started = performance.now()
  work()
  return performance.now() - started
}

function answer(question: Question): number {
  switch (question) {
    case 'product port':
      return Number(new URL(fastify.listeningOrigin).port)
    case 'raw port': {
      const address = rawServer.address()
      return typeof address === 'object' ? (address?.port ?? 0) : 0
    }
    case 'product millis':
      return timed(() => broadcast?.([event]))
    case 'raw millis':
      return timed(() => {
        for (const socket of rawSockets) socket.write(event.frame)
      })
    case 'memory':
      globalThis.gc?.()
      return process.memoryUsage().rss
    case 'readers':
      return readers.count()
  }
}

process.on('message', (question: Question) => process.send?.(answer(question)))
process.send?.(0)
