import { type FastifyInstance } from 'fastify'

import { type Picture } from '../pictures/picture.ts'

/** Opened directly, a picture runs and loads nothing; it may use its own styles. */
const pictureContentSecurityPolicy = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; frame-ancestors 'none'; sandbox"

/** Serves pictures at their paths, cacheable forever. `nosniff` is on every reply of the server. */
export function registerPictures(fastify: FastifyInstance, pictures: readonly Picture[]): void {
  for (const [path, { type, content }] of new Map(pictures.map((picture) => [picture.path, picture]))) {
    fastify.get(path, { schema: { hide: true } }, async (_request, reply) => {
      // Replaces the page's own policy, which is on the raw reply.
      reply.raw.setHeader('content-security-policy', pictureContentSecurityPolicy)
      // Wallets that are web pages show a logo beside a payment.
      reply.raw.setHeader('cross-origin-resource-policy', 'cross-origin')
      return reply.type(type).header('cache-control', 'public, max-age=31536000, immutable').send(content)
    })
  }
}
