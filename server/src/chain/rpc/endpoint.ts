import { createDefaultRpcTransport, type RpcTransport, createSolanaRpcFromTransport, type Rpc, type SolanaRpcApi } from '@solana/kit'
import { EndpointError, describeTransportError, type FailureKind, requireRpcReply, type RpcReply } from './rpc-reply.ts'
import { type Priority, NotSent, RequestQueue } from './request-queue.ts'
import { isLoopback } from '../../settings/setting-reader.ts'

const FIRST_BACKOFF_MILLIS = 250
const LONGEST_BACKOFF_MILLIS = 30_000

/**
 * How long to wait before asking an endpoint again after failures: exponential backoff with jitter, or the time that the endpoint demanded.
 */
export class Backoff {
  readonly #now: () => number
  #failures = 0
  #lastFailure: EndpointError | undefined
  #failedAt = Number.NEGATIVE_INFINITY
  #until = Number.NEGATIVE_INFINITY
  #rateLimitedUntil = Number.NEGATIVE_INFINITY

  /** `now` returns monotonic milliseconds. */
  constructor(now: () => number) {
    this.#now = now
  }

  /** Undefined after a success. */
  get lastFailure(): EndpointError | undefined {
    return this.#lastFailure
  }

  get failing(): boolean {
    return this.#failures > 0
  }

  /** Milliseconds until the endpoint should be asked again; 0 if now. */
  get millisLeft(): number {
    return Math.max(0, this.#until - this.#now())
  }

  /** The endpoint told us to wait, and that time has not passed. */
  get rateLimited(): boolean {
    return this.#rateLimitedUntil > this.#now()
  }

  /** Records an answer to a request sent at `startedAt`; a request sent before the last failure proves nothing. */
  succeeded(startedAt: number): void {
    if (startedAt < this.#failedAt) return
    this.#failures = 0
    this.#until = Number.NEGATIVE_INFINITY
    this.#rateLimitedUntil = Number.NEGATIVE_INFINITY
    this.#lastFailure = undefined
  }

  /** Records a failure. Requests that were in flight together fail together, so they count as one. */
  failed(failure: EndpointError, startedAt: number): void {
    this.#lastFailure = failure
    if (startedAt < this.#failedAt) return
    const now = this.#now()
    this.#failures += 1
    this.#failedAt = now
    const millis = failure.retryAfterMillis ?? backoffAfter(this.#failures)
    this.#until = now + millis
    if (failure.kind === 'rate-limited') this.#rateLimitedUntil = now + millis
  }
}

/** Doubles with each failure; half of it is random, so that many clients do not come back at once. */
function backoffAfter(failures: number): number {
  const longest = Math.min(FIRST_BACKOFF_MILLIS * 2 ** (failures - 1), LONGEST_BACKOFF_MILLIS)
  return longest * (0.5 + Math.random() / 2)
}

/** Shorter parts of a URL are paths like `v2`, not keys. */
const SHORTEST_SECRET = 8

/** A kit transport to an RPC URL, which may hold a user name and a password. */
function createHttpTransport(text: string): RpcTransport {
  const url = new URL(text)
  const credentials = `${decodeURIComponent(url.username)}:${decodeURIComponent(url.password)}`
  url.username = ''
  url.password = ''
  // fetch refuses URLs with credentials, and its message repeats them.
  const headers = credentials === ':' ? {} : { authorization: `Basic ${Buffer.from(credentials).toString('base64')}` }
  return createDefaultRpcTransport({ url: url.href, headers })
}

/** The parts of an RPC URL that must not reach a log or a browser: its host and anything that may be a key. */
function secretsOf(text: string): string[] {
  const url = new URL(text)
  const parts = [...url.pathname.split('/'), ...url.searchParams.values(), url.username, url.password]
  return [text, url.href, url.host, url.hostname, ...parts.filter((part) => part.length >= SHORTEST_SECRET)]
}

export type ChainRpc = Rpc<SolanaRpcApi>

export interface EndpointOptions {
  url: string
  /** The endpoint's name in logs and errors. */
  host: string
  /** Returns monotonic milliseconds. */
  now: () => number
  /** Of one request; 5000 by default. */
  timeoutMillis?: number
  /** 10 by default, 2000 for an endpoint on this machine. */
  requestsPerSecond?: number | undefined
}

/** Public RPC nodes allow about this many requests a second from one address. */
const REMOTE_PER_SECOND = 10
const LOOPBACK_PER_SECOND = 2000
const TIMEOUT_MILLIS = 5000
/** How long a request that a payment depends on waits for its turn. A signed payment stays valid for about a minute. */
const LONGEST_WAIT_MILLIS = 30_000
/** Enough for the whole rate if each answer takes half a second. */
const LEAST_IN_FLIGHT = 64
const MAX_WAITING = 1000

/** One RPC endpoint: its request rate, its time-out, its backoff, and whether it has proved that it serves our chain. */
export class Endpoint {
  readonly host: string
  /** It runs on this machine. */
  readonly loopback: boolean
  /** Requests a second that this server may send to it. */
  readonly perSecond: number
  /** Where the server's own requests wait for their turn. */
  readonly queue: RequestQueue
  readonly backoff: Backoff
  /** It serves another chain. */
  foreign = false
  /** The result of the last probe. */
  up = false
  /** Requests that it did not answer, so far. */
  failures = 0
  /** The number of requests so far, by outcome. */
  readonly requests: Record<'answered' | FailureKind, number> = {
    answered: 0,
    'rate-limited': 0,
    lost: 0,
    broken: 0,
    foreign: 0,
    refused: 0,
    busy: 0,
    unsent: 0,
  }

  #provenAt: number | undefined

  readonly #clients = new Map<Priority, ChainRpc>()
  readonly #transport: RpcTransport
  readonly #secrets: readonly string[]
  readonly #now: () => number
  readonly #timeoutMillis: number

  constructor({ url, host, now, timeoutMillis = TIMEOUT_MILLIS, requestsPerSecond }: EndpointOptions) {
    this.host = host
    this.loopback = isLoopback(new URL(url).hostname)
    this.#now = now
    this.#timeoutMillis = timeoutMillis
    this.#transport = createHttpTransport(url)
    this.#secrets = secretsOf(url)
    this.backoff = new Backoff(now)
    this.perSecond = requestsPerSecond ?? (this.loopback ? LOOPBACK_PER_SECOND : REMOTE_PER_SECOND)
    const limits = {
      perSecond: this.perSecond,
      maxInFlight: Math.max(LEAST_IN_FLIGHT, this.perSecond / 2),
      maxWaiting: MAX_WAITING,
      maxWaitMillis: timeoutMillis,
      longestWaitMillis: LONGEST_WAIT_MILLIS,
    }
    this.queue = new RequestQueue(limits, now)
  }

  /** Its genesis hash is our chain's, read since the connection was last lost. */
  get proven(): boolean {
    return this.#provenAt !== undefined
  }

  /** Milliseconds since its genesis hash was last read; infinite if it is not proven. */
  get proofAgeMillis(): number {
    return this.#provenAt === undefined ? Number.POSITIVE_INFINITY : this.#now() - this.#provenAt
  }

  /** It serves our chain, and its last answer was no failure. */
  get healthy(): boolean {
    return this.proven && !this.backoff.failing
  }

  /** The kit client of this endpoint, for requests of this priority. */
  client(priority: Priority): ChainRpc {
    const known = this.#clients.get(priority)
    if (known) return known
    const client = createSolanaRpcFromTransport(rpcTransport((payload) => this.send(payload, priority)))
    this.#clients.set(priority, client)
    return client
  }

  /**
   * Sends one JSON-RPC request.
   *
   * @returns the reply, which may hold a JSON-RPC error.
   * @throws EndpointError if there is none.
   */
  async send(payload: unknown, priority: Priority): Promise<RpcReply> {
    try {
      const reply = await this.queue.run(priority, () => this.#post(payload))
      this.requests.answered += 1
      return reply
    } catch (error) {
      const failure = error instanceof NotSent ? new EndpointError(this.host, error.busy ? 'busy' : 'unsent', error.message) : error
      if (failure instanceof EndpointError) this.requests[failure.kind] += 1
      throw failure
    }
  }

  /** Removes anything that could reveal this endpoint's URL or key from a text. */
  scrub(text: string): string {
    return this.#secrets.reduce((scrubbed, secret) => scrubbed.replaceAll(secret, '…'), text)
  }

  /** Marks it as serving our chain: its genesis hash was just read. */
  confirmChain(): void {
    this.foreign = false
    this.#provenAt = this.#now()
    this.up = true
  }

  /** Marks it as serving another chain. */
  exclude(reason: string): EndpointError {
    this.foreign = true
    this.#provenAt = undefined
    this.up = false
    return new EndpointError(this.host, 'foreign', reason)
  }

  /** Rejects all requests that wait, and all later ones. */
  stop(): void {
    this.queue.close()
  }

  async #post(payload: unknown): Promise<RpcReply> {
    if (this.backoff.rateLimited) throw new EndpointError(this.host, 'rate-limited', 'told us to wait')
    const startedAt = this.#now()
    try {
      const reply = await this.#transport<unknown>({ payload, signal: AbortSignal.timeout(this.#timeoutMillis) })
      const checked = requireRpcReply(reply, this.host)
      this.backoff.succeeded(startedAt)
      return checked
    } catch (error) {
      const failure = error instanceof EndpointError ? error : describeTransportError(error, this.host, this.#timeoutMillis)
      this.#failed(failure, startedAt)
      throw failure
    }
  }

  #failed(failure: EndpointError, startedAt: number): void {
    if (failure.kind === 'refused') return
    this.failures += 1
    if (failure.kind === 'lost') {
      this.#provenAt = undefined
      this.up = false
    }
    this.backoff.failed(failure, startedAt)
  }
}

/** A kit transport that sends with `send`; as everywhere in kit, the reply's type is what the caller expects, unchecked. */
function rpcTransport(send: (payload: unknown) => Promise<unknown>): RpcTransport {
  const transport: (config: { payload: unknown }) => Promise<never> = async ({ payload }) => (await send(payload)) as never
  return transport
}
