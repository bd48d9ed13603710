import { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http'
import { type Socket } from 'node:net'

import { type ErrorCode, errors, Failure } from '@juicebar/contract/errors'
import { type FastifyReply, type FastifyRequest } from 'fastify'

import { isDatabaseOutage } from './database-outage.ts'

export const pathTooLong = new Failure('BAD_REQUEST', { detail: 'This address is too long.' })

/** The framework's own errors as the contract's; their messages never reach a caller. */
const frameworkFailures: Record<string, Failure> = {
  FST_ERR_CTP_BODY_TOO_LARGE: new Failure('BODY_TOO_LARGE'),
  FST_ERR_CTP_INVALID_MEDIA_TYPE: new Failure('UNSUPPORTED_MEDIA_TYPE'),
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: new Failure('BAD_REQUEST', { detail: 'The request is shorter or longer than it said.' }),
  FST_ERR_CTP_INVALID_JSON_BODY: new Failure('BAD_REQUEST', { detail: 'The request is not valid JSON.' }),
  FST_ERR_BAD_URL: new Failure('BAD_REQUEST', { detail: 'This address is not written correctly.' }),
  FST_ERR_MAX_PARAM_LENGTH: pathTooLong,
  FST_ERR_NOT_FOUND: new Failure('NOT_FOUND'),
}

/** Answers any error with its status and `{ error, code }`. An unexpected one is logged, and answered as INTERNAL without its message. */
export function replyWithFailure(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  if (error instanceof Error && error === request.raw.errored) return abandon(request, reply)
  const failure = toFailure(error)
  logFailure(error, failure, request)
  if (failure.retryAfter !== undefined) reply.header('retry-after', failure.retryAfter)
  return reply
    .code(errors[failure.code].status)
    .header('cache-control', 'no-store')
    .type('application/json; charset=utf-8')
    .serializer(JSON.stringify)
    .send({ error: failure.message, code: failure.code })
}

/** The caller aborted the request, so nobody waits for a reply. The error looks like that of a lost database connection. */
function abandon(request: FastifyRequest, reply: FastifyReply): FastifyReply {
  request.log.debug({ call: callOf(request) }, 'the caller aborted its request')
  return reply.hijack()
}

/** Refuses a request without a host, which HTTP/1.1 forbids (RFC 9112, section 3.2), and tells whether it did. */
export function refuseWithoutHost({ httpVersion, headers }: IncomingMessage, reply: ServerResponse): boolean {
  if (httpVersion !== '1.1' || headers.host !== undefined) return false
  replyBeforeFramework(new Failure('BAD_REQUEST', { detail: 'The request does not say which host it is for.' }), reply)
  return true
}

/** Refuses a request whose `Expect` is not 100-continue. */
export function refuseExpectation(_request: IncomingMessage, reply: ServerResponse): void {
  replyBeforeFramework(new Failure('EXPECTATION_FAILED'), reply)
}

function replyBeforeFramework(failure: Failure, reply: ServerResponse): void {
  reply.writeHead(errors[failure.code].status, { 'content-type': 'application/json; charset=utf-8', connection: 'close' })
  reply.end(JSON.stringify({ error: failure.message, code: failure.code }))
}

/** Answers what is not a valid HTTP request, so that the framework never sees it, and closes the connection. */
export function replyToBrokenRequest(error: Error & { code?: string }, socket: Socket): void {
  if (error.code === 'ECONNRESET' || socket.destroyed) return
  const failure = brokenRequest(error.code)
  const body = JSON.stringify({ error: failure.message, code: failure.code })
  const { status } = errors[failure.code]
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    'content-type: application/json; charset=utf-8',
    `content-length: ${Buffer.byteLength(body)}`,
    'connection: close',
  ]
  if (socket.writable) socket.write(`${head.join('\r\n')}\r\n\r\n${body}`)
  socket.destroySoon()
}

function brokenRequest(code: string | undefined): Failure {
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return new Failure('REQUEST_TIMEOUT')
  if (code === 'HPE_HEADER_OVERFLOW') return new Failure('BODY_TOO_LARGE')
  return new Failure('BAD_REQUEST', { detail: 'This is not a valid HTTP request.' })
}

function toFailure(error: unknown): Failure {
  if (error instanceof Failure) return error
  if (isDatabaseOutage(error)) return new Failure('DATABASE_DOWN', { cause: error })
  const known = error instanceof Error && 'code' in error ? frameworkFailures[String(error.code)] : undefined
  if (known) return known
  return isClientError(error)
    ? new Failure('BAD_REQUEST', { detail: 'The request is not valid.' })
    : new Failure('INTERNAL', { cause: error })
}

/** The framework gives the caller's mistakes, such as malformed JSON, a status from 400 to 499. */
function isClientError(error: unknown): boolean {
  return (
    error instanceof Error &&
    'statusCode' in error &&
    typeof error.statusCode === 'number' &&
    error.statusCode >= 400 &&
    error.statusCode < 500
  )
}

const outages: ReadonlySet<ErrorCode> = new Set(['DATABASE_DOWN', 'CHAIN_DOWN'])

function logFailure(error: unknown, failure: Failure, request: FastifyRequest): void {
  const call = callOf(request)
  if (failure.code === 'INTERNAL') request.log.error({ call, err: error }, 'a call failed')
  else if (outages.has(failure.code)) request.log.warn({ call, code: failure.code, err: error }, 'a call could not be answered')
  else request.log.debug({ call, code: failure.code }, 'a call was refused')
}

function callOf(request: FastifyRequest): string {
  return `${request.method} ${request.routeOptions?.url ?? 'unmatched path'}`
}
