import { type FastifyInstance } from 'fastify'

import { type FirstPages } from './page-cache.ts'

/** Whoever was answered that something changed on the market sees it in this node's next answer: before each such reply pages are forgotten. */
export function forgetAfterOwnChanges(fastify: FastifyInstance, firstPages: FirstPages): void {
  fastify.addHook('onSend', ({ method, routeOptions }, _reply, _payload, done) => {
    if (method !== 'GET' && method !== 'HEAD' && routeOptions.url?.startsWith('/api/marketplace/')) firstPages.forget()
    done()
  })
}
