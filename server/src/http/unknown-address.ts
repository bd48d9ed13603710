import { endpoints } from '@juicebar/contract/endpoints'
import { Failure } from '@juicebar/contract/errors'
import { type FastifyReply, type FastifyRequest } from 'fastify'

import { replyWithFailure } from './failure-reply.ts'

const calls = Object.values(endpoints).map((endpoint) => {
  const [method = '', path = ''] = endpoint.split(' ')
  return { method, path: new RegExp(`^${path.replaceAll(/:\w+/g, '[^/]+')}$`) }
})

/** Answers a request that no route takes: 405 with the methods that its path does take, 404 where there is no such path. */
export function replyToUnknownAddress(request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const path = request.url.split('?')[0] ?? ''
  const methods = calls.filter((call) => call.path.test(path)).map((call) => call.method)
  if (methods.length === 0) return replyWithFailure(new Failure('NOT_FOUND'), request, reply)
  reply.header('allow', [...methods, ...(methods.includes('GET') ? ['HEAD'] : []), 'OPTIONS'].join(', '))
  return replyWithFailure(new Failure('METHOD_NOT_ALLOWED'), request, reply)
}
