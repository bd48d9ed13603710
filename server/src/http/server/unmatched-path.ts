import { endpoints } from '@juicebar/contract/endpoints'
import { Failure } from '@juicebar/contract/errors'
import { type FastifyReply, type FastifyRequest } from 'fastify'

import { addressTooLong, replyWithFailure } from './failure-reply.ts'

const calls = [...new Set(Object.values(endpoints).map((endpoint) => endpoint.split(' ')[1] ?? ''))].map((url) => ({
  url,
  path: new RegExp(`^${url.replaceAll(/:\w+/g, '[^/]+')}$`),
}))
const methods = ['GET', 'POST', 'DELETE', 'HEAD'] as const

/**
 * Answers a request that no route takes: 405 with the methods that its path does take, 404 where there is no such path. Where the
 * method is among those, the router passed the path by for a part of it that is too long.
 */
export function replyToUnknownAddress(request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const path = request.url.split('?')[0] ?? ''
  const { url } = calls.find((call) => call.path.test(path)) ?? {}
  const taken: string[] = url === undefined ? [] : methods.filter((method) => request.server.hasRoute({ url, method }))
  if (taken.length === 0) return replyWithFailure(new Failure('NOT_FOUND'), request, reply)
  if (taken.includes(request.method)) return replyWithFailure(addressTooLong, request, reply)
  reply.header('allow', [...taken, 'OPTIONS'].join(', '))
  return replyWithFailure(new Failure('METHOD_NOT_ALLOWED'), request, reply)
}
