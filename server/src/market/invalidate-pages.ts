import { type FastifyInstance } from 'fastify'

import { type PageCaches } from './page-cache.ts'

/**
 * Clears the caches before every reply to a write, so that a caller who changed the market sees the change in this server's next answer.
 */
export function invalidatePagesOnWrites(fastify: FastifyInstance, caches: Pick<PageCaches, 'clear'>): void {
  fastify.addHook('onSend', ({ method, routeOptions }, _reply, _payload, done) => {
    if (method !== 'GET' && method !== 'HEAD' && routeOptions.url?.startsWith('/api/marketplace/')) caches.clear()
    done()
  })
}
