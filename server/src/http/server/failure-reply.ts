import { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http'
import { type Socket } from 'node:net'

import { type ErrorCode, errors, Failure } from '@juicebar/contract/errors'
import { type FastifyReply, type FastifyRequest } from 'fastify'

import { isDatabaseOutage } from './database-outage.ts'

export const addressTooLong = new Failure('BAD_REQUEST', { detail: 'This address is too long.' })

/** What the framework's own refusals mean in the contract's words; their texts never reach a caller. */
const frameworkFailures: Record<string, Failure> = {
  FST_ERR_CTP_BODY_TOO_LARGE: new Failure('BODY_TOO_LARGE'),
  FST_ERR_CTP_INVALID_MEDIA_TYPE: new Failure('UNSUPPORTED_MEDIA_TYPE'),
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: new Failure('BAD_REQUEST', { detail: 'The request is shorter or longer than it said.' }),
  FST_ERR_CTP_INVALID_JSON_BODY: new Failure('BAD_REQUEST', { detail: 'The request is not valid JSON.' }),
  FST_ERR_BAD_URL: new Failure('BAD_REQUEST', { detail: 'This address is not written correctly.' }),
  FST_ERR_MAX_PARAM_LENGTH: addressTooLong,
  FST_ERR_NOT_FOUND: new Failure('NOT_FOUND'),
}

/** Answers any error with its status and `{ error, code }`. What nobody foresaw is logged and told as INTERNAL, without its text. */
export function replyWithFailure(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  if (error instanceof Error && error === request.raw.errored) return leaveUnanswered(request, reply)
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

/** The caller broke its own request off: nobody waits for an answer. Its error reads like that of a broken database connection. */
function leaveUnanswered(request: FastifyRequest, reply: FastifyReply): FastifyReply {
  request.log.debug(`${callOf(request)} was left by its caller`)
  return reply.hijack()
}

/** Answers a request that names no host, which HTTP/1.1 forbids (RFC 9112, section 3.2), and tells whether it did. */
export function refuseWithoutHost({ httpVersion, headers }: IncomingMessage, reply: ServerResponse): boolean {
  if (httpVersion !== '1.1' || headers.host !== undefined) return false
  replyBeforeFramework(new Failure('BAD_REQUEST', { detail: 'The request does not say which host it is for.' }), reply)
  return true
}

/** Answers a request whose `Expect` is anything but 100-continue. */
export function refuseExpectation(_request: IncomingMessage, reply: ServerResponse): void {
  replyBeforeFramework(new Failure('EXPECTATION_FAILED'), reply)
}

function replyBeforeFramework(failure: Failure, reply: ServerResponse): void {
  reply.writeHead(errors[failure.code].status, { 'content-type': 'application/json; charset=utf-8', connection: 'close' })
  reply.end(JSON.stringify({ error: failure.message, code: failure.code }))
}

/** Answers what is not even an HTTP request that the framework could see, and closes the connection. */
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

/** The framework marks what the caller did wrong, malformed JSON for one, with a status from 400 to 499. */
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
  if (failure.code === 'INTERNAL') request.log.error({ err: error }, `${call} failed`)
  else if (outages.has(failure.code)) request.log.warn({ err: error }, `${call} could not be answered: ${failure.code}`)
  else request.log.debug({ code: failure.code }, `${call} was refused`)
}

function callOf(request: FastifyRequest): string {
  return `${request.method} ${request.routeOptions?.url ?? 'unknown address'}`
}
