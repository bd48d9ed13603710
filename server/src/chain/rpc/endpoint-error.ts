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
