import { Failure } from '@juicebar/contract/errors'
import { type FastifyInstance } from 'fastify'

/**
 * Bodies are JSON and nothing else. An empty one reads as null whatever type it claims: clients send the JSON content type,
 * or a text one, along with calls that have no payload.
 */
export function readJsonBodies(fastify: FastifyInstance): void {
  const parse = fastify.getDefaultJsonParser('error', 'error')
  fastify.removeAllContentTypeParsers()

  fastify.addContentTypeParser('application/json', { parseAs: 'string' }, (request, text, done) => {
    if (text.length === 0) done(null, null)
    else void parse(request, String(text), done)
  })

  fastify.addContentTypeParser('*', async (request: { headers: { 'content-length'?: string | undefined } }) => {
    if (request.headers['content-length'] === '0') return null
    throw new Failure('UNSUPPORTED_MEDIA_TYPE')
  })
}
