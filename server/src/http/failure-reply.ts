import { randomUUID } from 'node:crypto'
import { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http'
import { type Socket } from 'node:net'
import { errors, Failure, unknownOutcome } from '@juicebar/contract/errors'
import { schemas } from '@juicebar/contract/schemas'
import { type CallSchema } from '@juicebar/contract/schemas/call'
import { type FastifyReply, type FastifyRequest } from 'fastify'
import { endpoints, methods } from '@juicebar/contract/endpoints'
import { isDatabaseOutage, isOutcomeUnknown, refusalOf } from '../runtime/database-failures.ts'
import { type FailureLog } from '../runtime/outage.ts'

export const REQUEST_ID = 'x-request-id'

/** Printable ASCII, longer than the ids of proxies and tracing systems. */
const acceptable = /^[\x20-\x7e]{1,128}$/

/**
 * The id of a request in its reply and in every log line about it: the caller's own if it is short and printable, otherwise a new one.
 * Always the same for one request.
 */
export function requestId({ headers }: Pick<IncomingMessage, 'headers'>): string {
  const given = headers[REQUEST_ID]
  const id = typeof given === 'string' && acceptable.test(given) ? given : randomUUID()
  headers[REQUEST_ID] = id
  return id
}

declare module 'fastify' {
  interface FastifyInstance {
    failures: FailureLog
  }
}

const pathTooLong = new Failure('BAD_REQUEST', { detail: 'This address is too long.' })

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

/**
 * Answers any error with its status and `{ error, code }`, and with the listing it concerns if it is one of several. An unexpected error is
 * logged, and answered as INTERNAL without its message.
 */
export function replyWithFailure(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  return replyWith(bodyOf, error, request, reply)
}

/** The same for wallets, which Solana Pay sends every error as `{ message }`. */
export function replyWithMessage(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  return replyWith(({ message }) => ({ message }), error, request, reply)
}

function replyWith(body: (failure: Failure) => object, error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  if (error instanceof Error && error === request.raw.errored) return abandon(request, reply)
  const failure = toFailure(error, request)
  logFailure(error, failure, request)
  if (failure.retryAfter !== undefined) reply.header('retry-after', failure.retryAfter)
  return reply
    .code(errors[failure.code].status)
    .header('cache-control', 'no-store')
    .type('application/json; charset=utf-8')
    .serializer(JSON.stringify)
    .send(body(failure))
}

function bodyOf({ message, code, detail, listingId }: Failure) {
  return { error: message, code, ...(listingId !== undefined && { detail: detail ?? message, listingId }) }
}

/** The caller aborted the request, so nobody waits for a reply. The error looks like that of a lost database connection. */
function abandon(request: FastifyRequest, reply: FastifyReply): FastifyReply {
  request.log.debug({ call: callOf(request) }, 'the caller aborted its request')
  return reply.hijack()
}

/** Refuses a request without a host or with several, which HTTP/1.1 forbids (RFC 9112, section 3.2), and returns whether it did. */
export function refuseUnclearHost(request: IncomingMessage, reply: ServerResponse): boolean {
  const hosts = request.rawHeaders.filter((name, index) => index % 2 === 0 && name.toLowerCase() === 'host').length
  if (hosts === 1 || (hosts === 0 && request.httpVersion !== '1.1')) return false
  const detail = hosts === 0 ? 'The request does not say which host it is for.' : 'The request says more than once which host it is for.'
  replyBeforeFramework(new Failure('BAD_REQUEST', { detail }), request, reply)
  return true
}

/** Refuses a request whose `Expect` is not 100-continue. */
export function refuseExpectation(request: IncomingMessage, reply: ServerResponse): void {
  replyBeforeFramework(new Failure('EXPECTATION_FAILED'), request, reply)
}

function replyBeforeFramework(failure: Failure, request: IncomingMessage, reply: ServerResponse): void {
  const headers = { 'content-type': 'application/json; charset=utf-8', connection: 'close', [REQUEST_ID]: requestId(request) }
  reply.writeHead(errors[failure.code].status, headers)
  reply.end(JSON.stringify({ error: failure.message, code: failure.code }))
}

/** Answers invalid HTTP requests, so that the framework never sees them, and closes the connection. */
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
    `${REQUEST_ID}: ${requestId({ headers: {} })}`,
  ]
  if (socket.writable) socket.write(`${head.join('\r\n')}\r\n\r\n${body}`)
  socket.destroySoon()
}

function brokenRequest(code: string | undefined): Failure {
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return new Failure('REQUEST_TIMEOUT')
  if (code === 'HPE_HEADER_OVERFLOW') return new Failure('BODY_TOO_LARGE')
  return new Failure('BAD_REQUEST', { detail: 'This is not a valid HTTP request.' })
}

function toFailure(error: unknown, request: FastifyRequest): Failure {
  if (error instanceof Failure) return error
  const refusal = refusalOf(error)
  if (refusal) return refusal
  if (isDatabaseOutage(error)) return new Failure('DATABASE_DOWN', { cause: error, ...whatIsCertain(error, request) })
  const known = error instanceof Error && 'code' in error ? frameworkFailures[String(error.code)] : undefined
  if (known) return known
  return isClientError(error)
    ? new Failure('BAD_REQUEST', { detail: 'The request is not valid.' })
    : new Failure('INTERNAL', { cause: error })
}

/** The outcome of a write is unknown if its connection to the database was lost; the caller is told so. */
function whatIsCertain(error: unknown, { method, headers, routeOptions }: FastifyRequest): { detail?: string } {
  if (method === 'GET' || method === 'HEAD' || !isOutcomeUnknown(error)) return {}
  const name = routeOptions.config.call?.name
  const schema: CallSchema | undefined = name && schemas[name]
  const isSafe = !schema?.notRepeatable && (schema?.headers === undefined || headers['idempotency-key'] !== undefined)
  return { detail: isSafe ? unknownOutcome.safeToRepeat : unknownOutcome.notSafeToRepeat }
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

function logFailure(error: unknown, failure: Failure, request: FastifyRequest): void {
  const { failures } = request.server
  const fields = { requestId: request.id, call: callOf(request) }
  if (failure.code === 'INTERNAL' || failures.outageOf(failure)) failures.failed(error, fields, 'a call failed')
  else request.log.debug({ call: fields.call, code: failure.code }, 'a call was refused')
}

function callOf(request: FastifyRequest): string {
  return `${request.method} ${request.routeOptions?.url ?? 'unmatched path'}`
}

const callPaths = [...new Set(Object.values(endpoints).map((endpoint) => endpoint.split(' ')[1] ?? ''))].map((url) => ({
  url,
  pattern: new RegExp(`^${url.replaceAll(/:\w+/g, '[^/]+')}$`),
}))

/**
 * Answers a request that no route matches: 405 with the allowed methods if other methods match its path, else 404. If its own method is
 * among the allowed ones, the router skipped the path because one of its parameters is too long.
 */
export function replyToUnmatchedPath(request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const path = request.url.split('?')[0] ?? ''
  const { url } = callPaths.find(({ pattern }) => pattern.test(path)) ?? {}
  const allowed: string[] =
    url === undefined ? [] : [...methods, 'HEAD' as const].filter((method) => request.server.hasRoute({ url, method }))
  if (allowed.length === 0) return replyWithFailure(new Failure('NOT_FOUND'), request, reply)
  if (allowed.includes(request.method)) return replyWithFailure(pathTooLong, request, reply)
  reply.header('allow', [...allowed, 'OPTIONS'].join(', '))
  return replyWithFailure(new Failure('METHOD_NOT_ALLOWED'), request, reply)
}
