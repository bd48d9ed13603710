import { endpoints } from '@juicebar/contract/endpoints'
import { type FastifyInstance, type FastifyReply } from 'fastify'

/** How long calls under way may take to finish once the server is asked to stop. */
const GRACE_MILLIS = 5_000

/**
 * Closing ends what would never end by itself: event streams at once (their readers resume elsewhere), and after a grace
 * period every connection that is left. Idle keep-alive connections are closed by the framework.
 */
export function closeGracefully(fastify: FastifyInstance): void {
  const eventStreams = new Set<FastifyReply['raw']>()

  fastify.addHook('onRequest', async ({ routeOptions }, { raw }) => {
    if (endpoints.events !== `GET ${routeOptions.url}`) return
    eventStreams.add(raw)
    raw.once('close', () => eventStreams.delete(raw))
  })

  fastify.addHook('preClose', async () => {
    for (const stream of eventStreams) stream.end()
    setTimeout(() => fastify.server.closeAllConnections(), GRACE_MILLIS).unref()
  })
}
