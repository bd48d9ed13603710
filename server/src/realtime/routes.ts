import { normalizeIP } from '@fastify/rate-limit'
import { Failure } from '@juicebar/contract/errors'
import { type FastifyReply, type FastifyRequest } from 'fastify'
import { type Session } from '../http/credentials.ts'
import { type Api, answered } from '../http/route.ts'
import { nowhere, parsePosition } from './event-frame.ts'
import { openEventStream, requireRoom, type Streams } from './open-event-stream.ts'

export type Authenticate = (request: FastifyRequest) => Promise<Session>

/** The event stream: server-sent events for everyone and, with a session, also for the player's own purchases, cases and balance. */
export function realtimeRoutes(api: Api, streams: Streams, authenticate: Authenticate): void {
  api.open('events', 'read', async ({ request, reply }) => {
    const session = request.headers.authorization === undefined ? undefined : await authenticate(request)
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
