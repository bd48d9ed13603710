import { isSolanaError, SOLANA_ERROR__RPC__TRANSPORT_HTTP_ERROR } from '@solana/kit'

/**
 * - rate-limited: it asked us to come back later.
 * - lost: the connection failed, so another chain may be behind it by now.
 * - broken: it timed out, failed, or answered something unusable.
 * - foreign: it serves another chain.
 * - busy: it never left this server, since its budget is spent on others.
 * - unsent: it never left this server for another reason.
 * - refused: it refused this request; others may succeed.
 */
export type FailureKind = 'rate-limited' | 'lost' | 'broken' | 'foreign' | 'busy' | 'unsent' | 'refused'

/** Why an endpoint did not answer. Names the endpoint by its host and never contains its URL, which may hold a key. */
export class EndpointError extends Error {
  readonly kind: FailureKind
  /** The wait that the endpoint demanded, if any. */
  readonly retryAfterMillis: number | undefined

  constructor(host: string, kind: FailureKind, reason: string, retryAfterMillis?: number) {
    super(`${host}: ${reason}`)
    this.name = 'EndpointError'
    this.kind = kind
    this.retryAfterMillis = retryAfterMillis
  }
}

/** The request never left this server, which says nothing about the endpoint. */
export function isUnsent({ kind }: EndpointError): boolean {
  return kind === 'busy' || kind === 'unsent'
}

const TOO_MANY_REQUESTS = 429
/** Statuses below 500 that say something about the endpoint and not about the request: wrong key, wrong path, time-out, rate limit. */
const ENDPOINT_STATUSES = new Set([401, 402, 403, 404, 408, TOO_MANY_REQUESTS])
const LONGEST_RETRY_AFTER_MILLIS = 60_000

/** Turns an error of the HTTP transport into an `EndpointError`, without its text, which may repeat the URL. */
export function describeTransportError(error: unknown, host: string, timeoutMillis: number): EndpointError {
  if (isSolanaError(error, SOLANA_ERROR__RPC__TRANSPORT_HTTP_ERROR)) {
    const { statusCode, headers } = error.context
    return httpError(host, statusCode, headers.get('retry-after'))
  }
  if (error instanceof DOMException && error.name === 'TimeoutError') {
    return new EndpointError(host, 'broken', `no answer in ${timeoutMillis} ms`)
  }
  if (error instanceof SyntaxError) return new EndpointError(host, 'broken', 'answered something that is not JSON')
  return new EndpointError(host, 'lost', `connection failed (${connectionErrorCode(error)})`)
}

function httpError(host: string, status: number, retryAfter: string | null): EndpointError {
  const reason = `answered HTTP ${status}`
  if (status === TOO_MANY_REQUESTS || retryAfter !== null) {
    return new EndpointError(host, 'rate-limited', reason, parseRetryAfter(retryAfter))
  }
  return new EndpointError(host, status >= 500 || ENDPOINT_STATUSES.has(status) ? 'broken' : 'refused', reason)
}

/** `Retry-After` in milliseconds, from seconds or a date (RFC 9110, section 10.2.3), at most a minute. */
function parseRetryAfter(text: string | null): number | undefined {
  if (text === null) return undefined
  const millis = /^\d+$/.test(text) ? Number(text) * 1000 : Date.parse(text) - Date.now()
  return Number.isFinite(millis) ? Math.min(Math.max(millis, 0), LONGEST_RETRY_AFTER_MILLIS) : undefined
}

function connectionErrorCode(error: unknown): string {
  const cause = error instanceof Error ? error.cause : undefined
  if (typeof cause === 'object' && cause !== null && 'code' in cause && typeof cause.code === 'string') return cause.code
  return error instanceof Error ? error.name : 'unknown'
}

/** A JSON-RPC reply as the transport parsed it: integers are bigints. */
export interface RpcReply {
  result?: unknown
  error?: unknown
}

/** JSON-RPC error codes that providers use for their rate limits. */
const RATE_LIMIT_CODES = new Set([429, -32429])
/** "Transaction simulation failed": kit reads the error's `data` and throws a TypeError if there is none. */
const SIMULATION_FAILED = -32002

/**
 * Checks that an endpoint answered in JSON-RPC.
 *
 * @returns the reply, which may hold a JSON-RPC error, in a form that kit can read.
 * @throws EndpointError if it is no JSON-RPC reply, or says that the endpoint's rate limit is reached.
 */
export function requireRpcReply(reply: unknown, host: string): RpcReply {
  if (!isRpcReply(reply)) throw new EndpointError(host, 'broken', 'answered something that is not JSON-RPC')
  const code = errorCodeOf(reply)
  if (code !== undefined && RATE_LIMIT_CODES.has(code)) throw new EndpointError(host, 'rate-limited', 'is over its rate limit')
  return code === SIMULATION_FAILED ? withErrorData(reply) : reply
}

/** The code of a reply's JSON-RPC error; undefined if it is no error. */
export function errorCodeOf(reply: RpcReply): number | undefined {
  const { error } = reply
  if (typeof error !== 'object' || error === null || !('code' in error)) return undefined
  return typeof error.code === 'bigint' || typeof error.code === 'number' ? Number(error.code) : undefined
}

function isRpcReply(reply: unknown): reply is RpcReply {
  return typeof reply === 'object' && reply !== null && ('result' in reply || 'error' in reply)
}

function withErrorData(reply: RpcReply): RpcReply {
  const { error } = reply
  if (typeof error !== 'object' || error === null || ('data' in error && error.data)) return reply
  return { ...reply, error: { ...error, data: {} } }
}
