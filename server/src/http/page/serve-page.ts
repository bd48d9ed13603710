import { createHash } from 'node:crypto'

import { type FastifyReply, type FastifyRequest } from 'fastify'

import { compress, takesGzip } from '../api/compression.ts'

/** Answers a request with a page. */
export type PageSender = (request: FastifyRequest, reply: FastifyReply) => FastifyReply

/**
 * Prepares a page that is the same for everyone. A browser asks each time whether it has changed, and gets no body if it has not.
 *
 * @param status of the reply; pages with an error status are sent in full each time
 */
export async function preparePage(html: string, status: 200 | 404 | 503 = 200): Promise<PageSender> {
  const gzipped = await compress(html)
  const etag = `"${createHash('sha256').update(html).digest('base64url').slice(0, 22)}"`
  return (request, reply) => {
    reply.code(status).headers({ 'cache-control': status === 200 ? 'no-cache' : 'no-store', vary: 'Origin, Accept-Encoding' })
    if (status === 200) {
      reply.header('etag', `W/${etag}`)
      if (request.headers['if-none-match']?.includes(etag)) return reply.code(304).send()
    }
    reply.type('text/html; charset=utf-8')
    return takesGzip(request.headers['accept-encoding']) ? reply.header('content-encoding', 'gzip').send(gzipped) : reply.send(html)
  }
}
