import { createHash } from 'node:crypto'

import { type FastifyInstance } from 'fastify'

/** A style sheet that the page loads in addition to the web app's own. */
export interface StyleSheet {
  /** Its path on this server, with a hash of its content, so that the content at a path never changes. */
  path: string
  css: string
}

const HASH_LENGTH = 12

/** Names a style sheet by its content. */
export function styleSheetOf(name: string, css: string): StyleSheet {
  const hash = createHash('sha256').update(css).digest('hex').slice(0, HASH_LENGTH)
  return { path: `/files/${name}.${hash}.css`, css }
}

/** Serves a style sheet at its path, cacheable forever. */
export function serveStyleSheet(fastify: FastifyInstance, { path, css }: StyleSheet): void {
  fastify.get(path, { schema: { hide: true } }, async (_request, reply) =>
    reply.type('text/css; charset=utf-8').header('cache-control', 'public, max-age=31536000, immutable').send(css),
  )
}
