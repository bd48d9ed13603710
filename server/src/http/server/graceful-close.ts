import { endpoints } from '@juicebar/contract/endpoints'
import { type FastifyInstance, type FastifyReply } from 'fastify'

/** How long calls in flight may take once the server is closing: as long as the slowest statement. */
const GRACE_MILLIS = 15_000
const eventsPath = endpoints.events.replace('GET ', '')

/**
 * Makes `fastify.close()` end connections that would never end on their own: event streams at once, because their readers resume on another
 * server; keep-alive connections after the call in flight; and everything else after 15 seconds. The framework closes idle connections.
 */
export function closeGracefully(fastify: FastifyInstance): void {
  const eventStreams = new Set<FastifyReply['raw']>()
  let closing = false

  fastify.addHook('onRequest', ({ routeOptions }, { raw }, done) => {
    if (routeOptions.url === eventsPath) {
      eventStreams.add(raw)
      raw.once('close', () => eventStreams.delete(raw))
    }
    done()
  })

  fastify.addHook('onSend', (_request, reply, _payload, done) => {
    if (closing) reply.header('connection', 'close')
    done()
  })

  fastify.addHook('preClose', async () => {
    closing = true
    for (const stream of eventStreams) stream.end(() => stream.socket?.destroySoon())
    setTimeout(() => fastify.server.closeAllConnections(), GRACE_MILLIS).unref()
  })
}
