import { Failure } from '@juicebar/contract/errors'
import { type FastifyInstance } from 'fastify'

import { keepSentBody } from '../api/sent-body.ts'

/**
 * Accepts JSON bodies only. An empty body is null whatever its content type: clients send one, JSON or text, even with calls that have
 * no payload.
 */
export function acceptJsonBodies(fastify: FastifyInstance): void {
  const parse = fastify.getDefaultJsonParser('error', 'error')
  fastify.removeAllContentTypeParsers()

  fastify.addContentTypeParser('application/json', { parseAs: 'string' }, (request, text, done) => {
    keepSentBody(request, String(text))
    if (text.length === 0) done(null, null)
    else void parse(request, String(text), done)
  })

  fastify.addContentTypeParser('*', async (request: { headers: { 'content-length'?: string | undefined } }) => {
    if (request.headers['content-length'] === '0') return null
    throw new Failure('UNSUPPORTED_MEDIA_TYPE')
  })
}
