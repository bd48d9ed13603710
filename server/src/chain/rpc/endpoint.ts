import {
  createDefaultRpcTransport,
  createSolanaRpcFromTransport,
  isSolanaError,
  SOLANA_ERROR__RPC__TRANSPORT_HTTP_ERROR,
  type Rpc,
  type RpcTransport,
  type SolanaRpcApi,
} from '@solana/kit'

import { isLoopback } from '../../config.ts'
import { type Priority, QueueFull, RequestQueue } from './request-queue.ts'

export type ChainRpc = Rpc<SolanaRpcApi>

/**
 * limited: it asked us to come back later. lost: the connection failed, so another chain may be behind it by now. broken: it timed
 * out, failed or talked nonsense. foreign: it serves another chain. unsent: the request never left. refused: this request alone was.
 */
type FailureKind = 'limited' | 'lost' | 'broken' | 'foreign' | 'unsent' | 'refused'

/** Why an endpoint gave no answer. Names the endpoint by its host and never holds its URL, which may carry a key. */
export class EndpointError extends Error {
  readonly kind: FailureKind
  readonly retryAfterMillis: number | undefined

  constructor(host: string, kind: FailureKind, reason: string, retryAfterMillis?: number) {
    super(`${host}: ${reason}`)
    this.name = 'EndpointError'
    this.kind = kind
    this.retryAfterMillis = retryAfterMillis
  }
}

/** A JSON-RPC reply as the transport parsed it: whole numbers are bigints. */
export interface RpcReply {
  result?: unknown
  error?: unknown
}

export interface EndpointOptions {
  url: string
  readonly host: string
  /** Monotonic milliseconds. */
  now: () => number
  timeoutMillis?: number
  requestsPerSecond?: number
}

/** Public RPC nodes allow about this many requests a second and address. */
const REMOTE_PER_SECOND = 10
const LOOPBACK_PER_SECOND = 2000
const TIMEOUT_MILLIS = 5000
const MAX_IN_FLIGHT = 64
const MAX_WAITING = 1000

const FIRST_REST_MILLIS = 250
const LONGEST_REST_MILLIS = 30_000
const LONGEST_RETRY_AFTER_MILLIS = 60_000

const TOO_MANY_REQUESTS = 429
/** Statuses below 500 that tell of the endpoint, not of the request: wrong key, wrong path, time-out, rate limit. */
const ENDPOINT_STATUSES = new Set([401, 402, 403, 404, 408, TOO_MANY_REQUESTS])
/** JSON-RPC codes with which providers limit their rate. */
const LIMIT_CODES = new Set([429, -32429])
/** "Transaction simulation failed": the client library reads its `data` and throws a TypeError where there is none. */
const SIMULATION_FAILED = -32002
const SHORTEST_SECRET = 8

/** One RPC endpoint: its rate, its time-out, its back-off, and whether its chain was proven since the last lost connection. */
export class Endpoint {
  readonly host: string
  /** It runs on this machine. */
  readonly loopback: boolean
  /** Its genesis hash was read since the connection was last lost, and is the one of our chain. */
  proven = false
  /** It serves another chain than the others. */
  foreign = false
  /** What the last probe found. */
  up = false
  lastFailure: EndpointError | undefined

  readonly #options: EndpointOptions
  readonly #queue: RequestQueue
  readonly #clients = new Map<Priority, ChainRpc>()
  readonly #transport: RpcTransport
  readonly #secrets: readonly string[]
  #failures = 0
  #failedAt = Number.NEGATIVE_INFINITY
  #restUntil = Number.NEGATIVE_INFINITY
  #limitedUntil = Number.NEGATIVE_INFINITY

  constructor(options: EndpointOptions) {
    this.host = options.host
    this.#options = options
    this.#transport = httpTransport(options.url)
    this.#secrets = secretsOf(options.url)
    this.loopback = isLoopback(new URL(options.url).hostname)
    const usual = this.loopback ? LOOPBACK_PER_SECOND : REMOTE_PER_SECOND
    const perSecond = options.requestsPerSecond ?? usual
    const limits = { perSecond, maxInFlight: MAX_IN_FLIGHT, maxWaiting: MAX_WAITING, maxWaitMillis: this.#timeout }
    this.#queue = new RequestQueue(limits, options.now)
  }

  /** Nothing failed since its last answer, and it serves our chain. */
  get healthy(): boolean {
    return this.proven && this.#failures === 0
  }

  /** Requests that wait for their turn here. */
  get waiting(): number {
    return this.#queue.waiting
  }

  /** The server's own requests wait for their turn here. */
  get crowded(): boolean {
    return this.#queue.ownWaits
  }

  /** Milliseconds until it should be asked again after failures; 0 where it may be asked now. */
  get restMillis(): number {
    return Math.max(0, this.#restUntil - this.#options.now())
  }

  /** It told us to wait, by status 429 or `Retry-After`. */
  get limited(): boolean {
    return this.#limitedUntil > this.#options.now()
  }

  /** The kit client of this endpoint alone. */
  client(priority: Priority): ChainRpc {
    const known = this.#clients.get(priority)
    if (known) return known
    const client = createSolanaRpcFromTransport(rpcTransport((payload) => this.send(payload, priority)))
    this.#clients.set(priority, client)
    return client
  }

  /** Sends one JSON-RPC request and gives the reply, which may hold a JSON-RPC error. Throws `EndpointError` where there is none. */
  async send(payload: unknown, priority: Priority): Promise<RpcReply> {
    try {
      return await this.#queue.run(priority, () => this.#post(payload))
    } catch (error) {
      if (error instanceof QueueFull) throw this.#error('unsent', error.message)
      throw error
    }
  }

  /** Removes from a text whatever could tell this endpoint's URL or key. */
  scrub(text: string): string {
    return this.#secrets.reduce((scrubbed, secret) => scrubbed.replaceAll(secret, '…'), text)
  }

  /** Marks it as serving another chain. */
  exclude(reason: string): EndpointError {
    this.foreign = true
    this.proven = false
    this.up = false
    return this.#error('foreign', reason)
  }

  stop(): void {
    this.#queue.close()
  }

  get #timeout(): number {
    return this.#options.timeoutMillis ?? TIMEOUT_MILLIS
  }

  async #post(payload: unknown): Promise<RpcReply> {
    if (this.limited) throw this.#error('limited', 'asked us to wait')
    const startedAt = this.#options.now()
    try {
      const reply = await this.#transport<unknown>({ payload, signal: AbortSignal.timeout(this.#timeout) })
      const checked = this.#checkReply(reply)
      this.#succeeded(startedAt)
      return checked
    } catch (error) {
      const failure = error instanceof EndpointError ? error : this.#describe(error)
      this.#failed(failure, startedAt)
      throw failure
    }
  }

  #checkReply(reply: unknown): RpcReply {
    if (!isRpcReply(reply)) throw this.#error('broken', 'answered something that is not JSON-RPC')
    const code = errorCodeOf(reply)
    if (code !== undefined && LIMIT_CODES.has(code)) throw this.#error('limited', 'is asked too often')
    return code === SIMULATION_FAILED ? withErrorData(reply) : reply
  }

  #describe(error: unknown): EndpointError {
    if (isSolanaError(error, SOLANA_ERROR__RPC__TRANSPORT_HTTP_ERROR)) {
      const { statusCode, headers } = error.context
      return this.#httpError(statusCode, headers.get('retry-after'))
    }
    if (error instanceof DOMException && error.name === 'TimeoutError') return this.#error('broken', `no answer in ${this.#timeout} ms`)
    if (error instanceof SyntaxError) return this.#error('broken', 'answered something that is not JSON')
    return this.#error('lost', `connection failed (${connectionErrorCode(error)})`)
  }

  #httpError(status: number, retryAfter: string | null): EndpointError {
    const reason = `answered HTTP ${status}`
    if (status === TOO_MANY_REQUESTS || retryAfter !== null) return this.#error('limited', reason, parseRetryAfter(retryAfter))
    return this.#error(status >= 500 || ENDPOINT_STATUSES.has(status) ? 'broken' : 'refused', reason)
  }

  #error(kind: FailureKind, reason: string, retryAfterMillis?: number): EndpointError {
    return new EndpointError(this.host, kind, reason, retryAfterMillis)
  }

  #succeeded(startedAt: number): void {
    if (startedAt < this.#failedAt) return
    this.#failures = 0
    this.#restUntil = Number.NEGATIVE_INFINITY
    this.#limitedUntil = Number.NEGATIVE_INFINITY
    this.lastFailure = undefined
  }

  #failed(failure: EndpointError, startedAt: number): void {
    if (failure.kind === 'refused') return
    if (failure.kind === 'lost') {
      this.proven = false
      this.up = false
    }
    this.lastFailure = failure
    // Requests that were under way together fail together: they are one failure.
    if (startedAt < this.#failedAt) return
    const now = this.#options.now()
    this.#failures += 1
    this.#failedAt = now
    const rest = failure.retryAfterMillis ?? restAfter(this.#failures)
    this.#restUntil = now + rest
    if (failure.kind === 'limited') this.#limitedUntil = now + rest
  }
}

/** Makes a kit transport of a function that sends a payload; the reply's type is the caller's claim, as everywhere in kit. */
function rpcTransport(send: (payload: unknown) => Promise<unknown>): RpcTransport {
  const transport: (config: { payload: unknown }) => Promise<never> = async ({ payload }) => (await send(payload)) as never
  return transport
}

/** The code of a reply's JSON-RPC error; undefined where it is no error. */
export function errorCodeOf(reply: RpcReply): number | undefined {
  const { error } = reply
  if (typeof error !== 'object' || error === null || !('code' in error)) return undefined
  return typeof error.code === 'bigint' || typeof error.code === 'number' ? Number(error.code) : undefined
}

function httpTransport(text: string): RpcTransport {
  const url = new URL(text)
  const credentials = `${decodeURIComponent(url.username)}:${decodeURIComponent(url.password)}`
  url.username = ''
  url.password = ''
  // fetch refuses URLs with credentials, and its message repeats them.
  const headers = credentials === ':' ? {} : { authorization: `Basic ${Buffer.from(credentials).toString('base64')}` }
  return createDefaultRpcTransport({ url: url.href, headers })
}

function secretsOf(text: string): string[] {
  const url = new URL(text)
  const parts = [...url.pathname.split('/'), ...url.searchParams.values(), url.username, url.password]
  return [text, url.href, url.host, url.hostname, ...parts.filter((part) => part.length >= SHORTEST_SECRET)]
}

function isRpcReply(reply: unknown): reply is RpcReply {
  return typeof reply === 'object' && reply !== null && ('result' in reply || 'error' in reply)
}

function withErrorData(reply: RpcReply): RpcReply {
  const { error } = reply
  if (typeof error !== 'object' || error === null || ('data' in error && error.data)) return reply
  return { ...reply, error: { ...error, data: {} } }
}

/** Full doubling with half of it left to chance, so that many callers don't come back at once. */
function restAfter(failures: number): number {
  const longest = Math.min(FIRST_REST_MILLIS * 2 ** (failures - 1), LONGEST_REST_MILLIS)
  return longest * (0.5 + Math.random() / 2)
}

/** `Retry-After` in milliseconds, given as seconds or as a date (RFC 9110, section 10.2.3), at most a minute. */
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
