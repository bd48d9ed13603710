import { endpoints } from '@juicebar/contract/endpoints'
import { Failure } from '@juicebar/contract/errors'
import { type FastifyReply, type FastifyRequest } from 'fastify'

import { pathTooLong, replyWithFailure } from './failure-reply.ts'

const callPaths = [...new Set(Object.values(endpoints).map((endpoint) => endpoint.split(' ')[1] ?? ''))].map((url) => ({
  url,
  pattern: new RegExp(`^${url.replaceAll(/:\w+/g, '[^/]+')}$`),
}))
const methods = ['GET', 'POST', 'PUT', 'DELETE', 'HEAD'] as const

/**
 * Answers a request that no route matches: 405 with the allowed methods if other methods match its path, else 404. If its own method is
 * among the allowed ones, the router skipped the path because one of its parameters is too long.
 */
export function replyToUnmatchedPath(request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const path = request.url.split('?')[0] ?? ''
  const { url } = callPaths.find(({ pattern }) => pattern.test(path)) ?? {}
  const allowed: string[] = url === undefined ? [] : methods.filter((method) => request.server.hasRoute({ url, method }))
  if (allowed.length === 0) return replyWithFailure(new Failure('NOT_FOUND'), request, reply)
  if (allowed.includes(request.method)) return replyWithFailure(pathTooLong, request, reply)
  reply.header('allow', [...allowed, 'OPTIONS'].join(', '))
  return replyWithFailure(new Failure('METHOD_NOT_ALLOWED'), request, reply)
}
