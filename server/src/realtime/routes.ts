import { type FastifyReply, type FastifyRequest } from 'fastify'

import { type Api, answered, type Session } from '../http/route.ts'
import { parsePosition } from './event-frame.ts'
import { openEventStream, requireRoom, type Streams } from './open-event-stream.ts'

export type Authenticate = (request: FastifyRequest) => Promise<Session>

/** GET /api/marketplace/events: server-sent events; with a session also the reader's own purchases, cases and balance. */
export function realtimeRoutes(api: Api, streams: Streams, authenticate: Authenticate): void {
  api.open('events', 'read', async ({ request, reply }) => {
    const session = request.headers.authorization === undefined ? undefined : await authenticate(request)
    const position = requireRoom(streams)
    const reader = {
      stream: startStream(reply),
      wallet: session?.player,
      stillSignedIn: async () => session === undefined || (await isAlive(authenticate, request)),
      waiting: [],
    }
    await openEventStream(streams, reader, position, readLastId(request))
    return answered
  })
}

function startStream(reply: FastifyReply): FastifyReply['raw'] {
  reply.hijack()
  const headers = Object.entries(reply.getHeaders()).filter(([, value]) => value !== undefined)
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
  return typeof last === 'string' ? parsePosition(last) : undefined
}

/** A stream outlives neither its session nor doubt about it: a reader that was wronged comes back at once. */
async function isAlive(authenticate: Authenticate, request: FastifyRequest): Promise<boolean> {
  try {
    await authenticate(request)
    return true
  } catch {
    return false
  }
}
