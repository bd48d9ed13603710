import { setTimeout as delay } from 'node:timers/promises'

import { Failure } from '@juicebar/contract/errors'

import { type ChainIdentity } from './chain-identity.ts'
import { EndpointError } from './endpoint-error.ts'
import { type ChainRpc, type Endpoint } from './endpoint.ts'
import { type Priority } from './request-queue.ts'
import { errorCodeOf, type RpcReply } from './rpc-reply.ts'

/** A longer backoff is not waited for. */
const LONGEST_WAIT_MILLIS = 1000

/**
 * JSON-RPC errors that another endpoint may not return: method not offered, internal error, block not available yet, RPC node behind or
 * unhealthy, slot not reached. Source: Agave, rpc-client-types `custom_error.rs`, and the JSON-RPC 2.0 specification.
 */
const OTHER_ENDPOINT_CODES = new Set([-32601, -32603, -32004, -32005, -32014, -32016])

interface SendOptions {
  priority: Priority
  /** One attempt on one endpoint, for what must not happen twice. */
  once?: boolean
}

/**
 * The endpoints of one chain, with fail-over. A request goes to the healthy endpoint with the shortest queue, of equal ones to the first
 * in the settings, and to the next one when that fails. Fail-over is above kit's typed answers, so an endpoint that returns nonsense or
 * an RPC error is skipped like one that does not answer. Nothing is asked of an endpoint before it has proven to serve our chain, at the
 * start and after every lost connection.
 */
export class RpcPool {
  readonly endpoints: readonly Endpoint[]
  readonly #identity: ChainIdentity

  constructor(endpoints: readonly Endpoint[], identity: ChainIdentity) {
    this.endpoints = endpoints
    this.#identity = identity
  }

  /**
   * Sends one JSON-RPC request.
   *
   * @returns the first reply that no other endpoint could better; it may hold a JSON-RPC error.
   * @throws Failure CHAIN_DOWN if no endpoint answers.
   */
  async send(payload: unknown, { priority, once = false }: SendOptions): Promise<RpcReply> {
    const errors: unknown[] = []
    let lastReply: RpcReply | undefined
    for (const endpoint of once ? this.#preferred().slice(0, 1) : this.#byPreference()) {
      try {
        const reply = await this.#attempt(endpoint, () => endpoint.send(payload, priority), { once })
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
   * Asks all healthy endpoints at once.
   *
   * @returns the answers, at least one.
   * @throws Failure CHAIN_DOWN if none answers.
   */
  async askAll<T>(priority: Priority, ask: (rpc: ChainRpc) => Promise<T>): Promise<T[]> {
    const attempts = this.#preferred().map((endpoint) => this.#attempt(endpoint, () => ask(endpoint.client(priority))))
    const outcomes = await Promise.allSettled(attempts)
    const answers = outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : []))
    if (answers.length > 0) return answers
    throw chainDown(outcomes.flatMap((outcome): unknown[] => (outcome.status === 'rejected' ? [outcome.reason] : [])))
  }

  /**
   * Asks one endpoint after the other, the healthy ones first and the others only if no healthy one answers.
   *
   * @returns the first answer that is not undefined; undefined if all answers are.
   * @throws Failure CHAIN_DOWN if none answers.
   */
  async askInTurn<T>(ask: (endpoint: Endpoint) => Promise<T | undefined>): Promise<T | undefined> {
    const errors: unknown[] = []
    let answered = false
    for (const endpoint of this.#byPreference()) {
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
   * Makes sure that some endpoint is proven to serve our chain now. One on this machine is asked each time, which costs a millisecond: a
   * local chain can be reset without breaking a connection.
   *
   * @throws Failure CHAIN_DOWN if none can be proven.
   */
  async proveOne(): Promise<void> {
    if (this.endpoints.some((endpoint) => endpoint.proven && !endpoint.loopback)) return
    await this.askInTurn((endpoint) => this.#identity.prove(endpoint))
  }

  /** Whether the server's own requests wait for their turn at every endpoint that can be asked. */
  isSaturated(): boolean {
    return this.#preferred().every((endpoint) => endpoint.saturated)
  }

  /** Removes whatever could reveal an endpoint's URL or key from a text. */
  scrub(text: string): string {
    return this.endpoints.reduce((scrubbed, endpoint) => endpoint.scrub(scrubbed), text)
  }

  /** The healthy endpoints; if there are none, those of our chain, the shortest backoff first. */
  #preferred(): Endpoint[] {
    const healthy = this.endpoints.filter((endpoint) => endpoint.healthy)
    if (healthy.length > 0) return healthy.toSorted((a, b) => a.waiting - b.waiting)
    return this.endpoints.filter((endpoint) => !endpoint.foreign).toSorted((a, b) => a.backoffMillis - b.backoffMillis)
  }

  /** All endpoints that may answer, the healthy ones first. */
  #byPreference(): Endpoint[] {
    const first = this.#preferred()
    const others = this.endpoints.filter((endpoint) => !endpoint.foreign && !first.includes(endpoint))
    return [...first, ...others]
  }

  async #attempt<T>(endpoint: Endpoint, ask: () => Promise<T>, { once = false } = {}): Promise<T> {
    try {
      return await this.#askProven(endpoint, ask)
    } catch (error) {
      // A connection that broke says nothing about this request: it may have been idle, or failed because of another one.
      if (once || !(error instanceof EndpointError) || error.kind !== 'lost') throw error
      return await this.#askProven(endpoint, ask)
    }
  }

  async #askProven<T>(endpoint: Endpoint, ask: () => Promise<T>): Promise<T> {
    const wait = endpoint.backoffMillis
    if (wait > LONGEST_WAIT_MILLIS || (wait > 0 && endpoint.rateLimited)) {
      throw endpoint.lastFailure ?? new EndpointError(endpoint.host, 'unsent', 'is backing off')
    }
    if (wait > 0) await delay(wait)
    if (!endpoint.proven) await this.#identity.prove(endpoint)
    return await ask()
  }
}

function chainDown(errors: unknown[]): Failure {
  return new Failure('CHAIN_DOWN', { cause: new AggregateError(errors, 'no chain endpoint answered') })
}
