import { setTimeout as delay } from 'node:timers/promises'

import { Failure } from '@juicebar/contract/errors'

import { type ChainIdentity } from './chain-identity.ts'
import { type ChainRpc, type Endpoint, EndpointError, errorCodeOf, type RpcReply } from './endpoint.ts'
import { type Priority } from './request-queue.ts'

/** An endpoint that rests longer than this after failures is not waited for. */
const LONGEST_WAIT_MILLIS = 1000

/**
 * JSON-RPC errors that another endpoint may not give: method not offered, internal error, block not there yet, node behind or
 * unhealthy, slot not reached. Source: Agave, rpc-client-types `custom_error.rs`, and the JSON-RPC 2.0 specification.
 */
const OTHER_ENDPOINT_CODES = new Set([-32601, -32603, -32004, -32005, -32014, -32016])

interface SendOptions {
  priority: Priority
  /** One try on one endpoint, for what must not happen twice. */
  once?: boolean
}

/**
 * Several endpoints of one chain behind one front. Fail-over stands above the typed answers, so that an endpoint which answers nonsense
 * or an RPC error is passed over like one that does not answer. A request goes to the first healthy endpoint in the order of the
 * settings, the least busy where the first has a queue, and on to the next one when that fails. An endpoint is asked nothing before its
 * genesis hash is proven to be ours, at the start and after every lost connection.
 */
export class RpcPool {
  readonly endpoints: readonly Endpoint[]
  readonly #identity: ChainIdentity

  constructor(endpoints: readonly Endpoint[], identity: ChainIdentity) {
    this.endpoints = endpoints
    this.#identity = identity
  }

  /** Sends one JSON-RPC request and gives the first useful reply. Throws `Failure('CHAIN_DOWN')` where no endpoint answers. */
  async send(payload: unknown, { priority, once = false }: SendOptions): Promise<RpcReply> {
    const errors: unknown[] = []
    let lastReply: RpcReply | undefined
    for (const endpoint of once ? this.#candidates().slice(0, 1) : this.#inTurn()) {
      try {
        const reply = await this.#attempt(endpoint, () => endpoint.send(payload, priority), once)
        if (!OTHER_ENDPOINT_CODES.has(errorCodeOf(reply) ?? 0)) return reply
        lastReply = reply
      } catch (error) {
        errors.push(error)
      }
    }
    if (lastReply) return lastReply
    throw chainDown(errors)
  }

  /**
   * Asks every healthy endpoint at once and gives the answers of those that gave one, at least one, in the order of the settings.
   * Throws `Failure('CHAIN_DOWN')` where none did.
   */
  async askEach<T>(priority: Priority, ask: (rpc: ChainRpc) => Promise<T>): Promise<T[]> {
    const attempts = this.#candidates().map((endpoint) => this.#attempt(endpoint, () => ask(endpoint.client(priority))))
    const outcomes = await Promise.allSettled(attempts)
    const answers = outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : []))
    if (answers.length > 0) return answers
    throw chainDown(outcomes.flatMap((outcome): unknown[] => (outcome.status === 'rejected' ? [outcome.reason] : [])))
  }

  /**
   * Asks one endpoint after the other until one gives something else than undefined, the healthy ones first and the others only where
   * no healthy one answered. Gives undefined where at least one answered. Throws `Failure('CHAIN_DOWN')` where none did.
   */
  async askFirst<T>(ask: (endpoint: Endpoint) => Promise<T | undefined>): Promise<T | undefined> {
    const errors: unknown[] = []
    let answered = false
    for (const endpoint of this.#inTurn()) {
      if (answered && !endpoint.healthy) break
      try {
        const answer = await this.#attempt(endpoint, () => ask(endpoint))
        if (answer !== undefined) return answer
        answered = true
      } catch (error) {
        errors.push(error)
      }
    }
    if (answered) return undefined
    throw chainDown(errors)
  }

  /**
   * Makes sure that some endpoint is proven now. One on this machine is asked each time, which costs a millisecond: a local chain can be
   * started anew without that a connection of ours breaks. Throws `Failure('CHAIN_DOWN')` where none can be proven.
   */
  async proveOne(): Promise<void> {
    if (this.endpoints.some((endpoint) => endpoint.proven && !endpoint.loopback)) return
    await this.askFirst((endpoint) => this.#identity.prove(endpoint))
  }

  /** Requests of the server's own wait for their turn at every endpoint that may be asked. */
  isSaturated(): boolean {
    return this.#candidates().every((endpoint) => endpoint.crowded)
  }

  /** Removes from a text whatever could tell an endpoint's URL or key. */
  scrub(text: string): string {
    return this.endpoints.reduce((scrubbed, endpoint) => endpoint.scrub(scrubbed), text)
  }

  /** The healthy endpoints; where there is none, those that may be worth a try, the one that rests shortest first. */
  #candidates(): Endpoint[] {
    const healthy = this.endpoints.filter((endpoint) => endpoint.healthy)
    if (healthy.length > 0) return healthy.toSorted((a, b) => a.waiting - b.waiting)
    return this.endpoints.filter((endpoint) => !endpoint.foreign).toSorted((a, b) => a.restMillis - b.restMillis)
  }

  /** Every endpoint that may answer, the healthy ones first. */
  #inTurn(): Endpoint[] {
    const first = this.#candidates()
    const others = this.endpoints.filter((endpoint) => !endpoint.foreign && !first.includes(endpoint))
    return [...first, ...others]
  }

  async #attempt<T>(endpoint: Endpoint, ask: () => Promise<T>, once = false): Promise<T> {
    try {
      return await this.#askProven(endpoint, ask)
    } catch (error) {
      // A connection that broke is no answer: it may have been idle, or another request's fault.
      if (once || !(error instanceof EndpointError) || error.kind !== 'lost') throw error
      return await this.#askProven(endpoint, ask)
    }
  }

  async #askProven<T>(endpoint: Endpoint, ask: () => Promise<T>): Promise<T> {
    const rest = endpoint.restMillis
    if (rest > LONGEST_WAIT_MILLIS || (rest > 0 && endpoint.limited))
      throw endpoint.lastFailure ?? new EndpointError(endpoint.host, 'unsent', 'rests')
    if (rest > 0) await delay(rest)
    if (!endpoint.proven) await this.#identity.prove(endpoint)
    return await ask()
  }
}

function chainDown(errors: unknown[]): Failure {
  return new Failure('CHAIN_DOWN', { cause: new AggregateError(errors, 'no chain endpoint gave an answer') })
}
