import { createHash } from 'node:crypto'
import { type FastifyReply, type FastifyRequest } from 'fastify'
import { compress, takesGzip } from './compression.ts'

/** Answers a request with a text that was prepared for it. */
export type PreparedReply = (request: FastifyRequest, reply: FastifyReply) => FastifyReply

/**
 * Prepares a text that is the same for everyone. A client asks each time whether it has changed, and gets no body if it has not.
 *
 * @param status of the reply; texts with an error status are sent in full each time
 */
export async function prepareReply(type: string, text: string, status: 200 | 404 | 503 = 200): Promise<PreparedReply> {
  const gzipped = await compress(text)
  const etag = `"${createHash('sha256').update(text).digest('base64url').slice(0, 22)}"`
  return (request, reply) => {
    reply.code(status).headers({ 'cache-control': status === 200 ? 'no-cache' : 'no-store', vary: 'Origin, Accept-Encoding' })
    if (status === 200) {
      reply.header('etag', `W/${etag}`)
      if (request.headers['if-none-match']?.includes(etag)) return reply.code(304).send()
    }
    reply.type(type)
    return takesGzip(request.headers['accept-encoding']) ? reply.header('content-encoding', 'gzip').send(gzipped) : reply.send(text)
  }
}
