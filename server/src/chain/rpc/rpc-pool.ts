import { setTimeout as delay } from 'node:timers/promises'
import { Failure } from '@juicebar/contract/errors'
import { LRUCache } from 'lru-cache'
import { type ChainIdentity } from './endpoint-probe.ts'
import { EndpointError, errorCodeOf, type RpcReply } from './rpc-reply.ts'
import { type ChainRpc, type Endpoint } from './endpoint.ts'
import { paceMillis, SLOT_MILLIS, type Priority } from './request-queue.ts'

/** A longer backoff is not waited for. */
const LONGEST_WAIT_MILLIS = 1000
/** How often a request is repeated to one endpoint that breaks connections or asks us to slow down for a moment. */
const ATTEMPTS = 3
/** A request that waited in vain is likely to get its turn after this. */
const BUSY_SECONDS = 5
/** The share of the budget for proving that a local chain was not reset. */
const PROOF_SHARE = 0.025

/**
 * JSON-RPC errors that another endpoint may not return: method not offered, internal error, block not available yet, RPC node behind or
 * unhealthy, slot not reached. Source: Agave, rpc-client-types `custom_error.rs`, and the JSON-RPC 2.0 specification.
 */
const OTHER_ENDPOINT_CODES = new Set([-32601, -32603, -32004, -32005, -32014, -32016])

interface SendOptions {
  priority: Priority
  /** One attempt on one endpoint, for requests that must not be sent twice. */
  once?: boolean
}

interface AskOptions {
  /** Asked only after all the others, because its own answer is being checked. */
  last?: Endpoint | undefined
  /** The addresses or signatures that it is about: `isWhole` says of them whether every endpoint has answered. */
  about?: readonly string[]
}

/** More of what endpoints have not answered is not kept: the oldest is forgotten. */
const MAX_PARTIAL = 10_000

/**
 * The endpoints of one chain, with fail-over. A request goes to one healthy endpoint: the one with the most spare budget for a request of
 * that priority or, if equal, the first in the settings. If that fails, it goes to the next one. Fail-over is above kit's typed answers, so
 * an endpoint that returns nonsense or an RPC error is skipped like one that does not answer. An endpoint gets no requests before it has
 * proved that it serves our chain, at the start and after every lost connection.
 */
export class RpcPool {
  readonly endpoints: readonly Endpoint[]
  readonly #identity: ChainIdentity
  /** Addresses and signatures about which not every endpoint has answered what all were last asked. */
  readonly #partial = new LRUCache<string, true>({ max: MAX_PARTIAL })

  constructor(endpoints: readonly Endpoint[], identity: ChainIdentity) {
    this.endpoints = endpoints
    this.#identity = identity
  }

  /** Whether the chain is a private one, whatever players are shown: a copy of a public cluster has its genesis hash, on this machine alone. */
  get isPrivate(): boolean {
    return !this.#identity.isPublic || this.endpoints.every(({ loopback }) => loopback)
  }

  /** Requests per second that all endpoints of our chain allow together. */
  get perSecond(): number {
    return this.#own.reduce((sum, endpoint) => sum + endpoint.perSecond, 0)
  }

  /**
   * Sends one JSON-RPC request.
   *
   * @returns the first reply that no other endpoint could better; it may hold a JSON-RPC error.
   * @throws Failure CHAIN_DOWN if no endpoint answers, CHAIN_BUSY if none had room for the request.
   */
  async send(payload: unknown, { priority, once = false }: SendOptions): Promise<RpcReply> {
    const errors: unknown[] = []
    let lastReply: RpcReply | undefined
    const endpoints = this.#byPreference(priority)
    for (const endpoint of once ? endpoints.slice(0, 1) : endpoints) {
      try {
        const reply = await this.#attempt(endpoint, () => endpoint.send(payload, priority), { once })
        if (!OTHER_ENDPOINT_CODES.has(errorCodeOf(reply) ?? 0)) return reply
        lastReply = reply
      } catch (error) {
        errors.push(error)
      }
    }
    if (lastReply) return lastReply
    throw failureOf(errors)
  }

  /**
   * Asks all healthy endpoints at once: for proofs, and for data that only some of them may have.
   *
   * @returns the answers, at least one.
   * @throws Failure CHAIN_DOWN if none answers, CHAIN_BUSY if none had room for the request.
   */
  async askAll<T>(
    priority: Priority,
    ask: (rpc: ChainRpc, endpoint: Endpoint) => Promise<T>,
    { about = [] }: Pick<AskOptions, 'about'> = {},
  ): Promise<T[]> {
    const attempts = this.#preferred(priority).map((endpoint) => this.#attempt(endpoint, () => ask(endpoint.client(priority), endpoint)))
    const outcomes = await Promise.allSettled(attempts)
    const answers = outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : []))
    this.notePartial(about, answers.length < this.#own.length)
    if (answers.length > 0) return answers
    throw failureOf(outcomes.flatMap((outcome): unknown[] => (outcome.status === 'rejected' ? [outcome.reason] : [])))
  }

  /**
   * Asks one endpoint after the other, the healthy ones first and the others only if no healthy one answers.
   *
   * @returns the first answer that is not undefined; undefined if all answers are.
   * @throws Failure CHAIN_DOWN if none answers, CHAIN_BUSY if none had room for the request.
   */
  async askInTurn<T>(
    priority: Priority,
    ask: (rpc: ChainRpc, endpoint: Endpoint) => Promise<T | undefined>,
    { last, about = [] }: AskOptions = {},
  ): Promise<T | undefined> {
    const errors: unknown[] = []
    let answers = 0
    const endpoints = this.#byPreference(priority)
    const inOrder = last ? [...endpoints.filter((endpoint) => endpoint !== last), last] : endpoints
    for (const endpoint of inOrder) {
      if (answers > 0 && !endpoint.healthy) continue
      try {
        const answer = await this.#attempt(endpoint, () => ask(endpoint.client(priority), endpoint))
        if (answer !== undefined) return answer
        answers += 1
      } catch (error) {
        errors.push(error)
      }
    }
    this.notePartial(about, answers < this.#own.length)
    if (answers > 0) return undefined
    throw failureOf(errors)
  }

  /** Whether a second endpoint of this chain can be asked about what the first one says. */
  get hasSecond(): boolean {
    return this.#own.length > 1
  }

  /**
   * Whether the last request to each endpoint of this chain succeeded, and each has answered what all were last asked about these
   * addresses and signatures.
   */
  isWhole(about: readonly string[]): boolean {
    return this.#own.every(({ healthy }) => healthy) && !about.some((one) => this.#partial.has(one))
  }

  get #own(): Endpoint[] {
    return this.endpoints.filter(({ foreign }) => !foreign)
  }

  /** Notes for `isWhole` whether every endpoint has answered what it had to be asked about these addresses and signatures. */
  notePartial(about: readonly string[], isPartial: boolean): void {
    for (const one of about) {
      if (isPartial) this.#partial.set(one, true)
      else this.#partial.delete(one)
    }
  }

  /**
   * Makes sure that some endpoint is proved to serve our chain now. An endpoint on this machine is asked repeatedly, because a local chain
   * can be reset without breaking a connection.
   *
   * @throws Failure CHAIN_DOWN if none can be proven.
   */
  async proveOne(): Promise<void> {
    const pace = paceMillis(this.perSecond, { share: PROOF_SHARE, leastMillis: SLOT_MILLIS })
    if (this.endpoints.some((endpoint) => endpoint.proven && (!endpoint.loopback || endpoint.proofAgeMillis < pace))) return
    await this.askInTurn('settlement', (_, endpoint) => this.#identity.prove(endpoint))
  }

  /** Whether the server's own requests wait for their turn at every endpoint that can be asked. */
  isSaturated(): boolean {
    return this.#preferred('balance').every((endpoint) => endpoint.queue.saturated)
  }

  /** Whether some endpoint would send a `spare` request now. */
  hasSpare(): boolean {
    return this.#preferred('spare').some((endpoint) => endpoint.queue.hasSpare)
  }

  /** Seconds of work ahead of a request of this priority, at the endpoint with the most spare budget; 0 if there is none to ask. */
  backlogSeconds(priority: Priority): number {
    const backlogs = this.#preferred(priority).map((endpoint) => endpoint.queue.backlogSeconds(priority))
    return backlogs.length === 0 ? 0 : Math.min(...backlogs)
  }

  /** Removes anything that could reveal an endpoint's URL or key from a text. */
  scrub(text: string): string {
    return this.endpoints.reduce((scrubbed, endpoint) => endpoint.scrub(scrubbed), text)
  }

  /** The healthy endpoints, those with the most spare budget first; if there are none, those of our chain, the shortest backoff first. */
  #preferred(priority: Priority): Endpoint[] {
    const healthy = this.endpoints.filter((endpoint) => endpoint.healthy)
    if (healthy.length === 0) {
      return this.#own.toSorted((a, b) => a.backoff.millisLeft - b.backoff.millisLeft)
    }
    const backlogs = new Map(healthy.map((endpoint) => [endpoint, endpoint.queue.backlogSeconds(priority)]))
    return healthy.toSorted((a, b) => (backlogs.get(a) ?? 0) - (backlogs.get(b) ?? 0))
  }

  /** All endpoints that may answer, the healthy ones first. */
  #byPreference(priority: Priority): Endpoint[] {
    const first = this.#preferred(priority)
    const others = this.#own.filter((endpoint) => !first.includes(endpoint))
    return [...first, ...others]
  }

  /**
   * A broken connection says nothing about this request: it may have been idle, or failed because of another request. Also, the only
   * endpoint may be asking us to slow down for a moment.
   */
  async #attempt<T>(endpoint: Endpoint, ask: () => Promise<T>, { once = false } = {}): Promise<T> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.#askProven(endpoint, ask)
      } catch (error) {
        if (once || attempt === ATTEMPTS || !(error instanceof EndpointError) || !this.#isPassing(error, endpoint)) throw error
      }
    }
  }

  #isPassing({ kind }: EndpointError, endpoint: Endpoint): boolean {
    if (kind !== 'rate-limited') return kind === 'lost'
    return endpoint.backoff.millisLeft <= LONGEST_WAIT_MILLIS && !this.endpoints.some((other) => other !== endpoint && other.healthy)
  }

  async #askProven<T>(endpoint: Endpoint, ask: () => Promise<T>): Promise<T> {
    const wait = endpoint.backoff.millisLeft
    if (wait > LONGEST_WAIT_MILLIS) throw endpoint.backoff.lastFailure ?? new EndpointError(endpoint.host, 'unsent', 'is backing off')
    // A timer may fire up to a millisecond early, and to ask too early would cost an attempt.
    if (wait > 0) await delay(Math.ceil(wait) + 1)
    if (!endpoint.proven) await this.#identity.prove(endpoint)
    return await ask()
  }
}

/** If there are more requests than the budget allows, this server is busy; the chain itself may be fine. */
function failureOf(errors: unknown[]): Failure {
  const busy = errors.some((error) => error instanceof EndpointError && error.kind === 'busy')
  const cause = new AggregateError(errors, busy ? 'no chain endpoint had room' : 'no chain endpoint answered')
  return busy ? new Failure('CHAIN_BUSY', { retryAfter: BUSY_SECONDS, cause }) : new Failure('CHAIN_DOWN', { cause })
}
