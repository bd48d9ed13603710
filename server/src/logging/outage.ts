import { Failure } from '@juicebar/contract/errors'
import { type BaseLogger } from 'pino'

/** An outage is over once nothing has failed for so long. What comes and goes in between is one outage, not many. */
const QUIET_MILLIS = 3_000
/** Of several reasons. */
const MOST_REASONS = 3

interface OutageOptions {
  log: Pick<BaseLogger, 'warn'>
  /** What both lines carry, such as the name of what is away. */
  fields: object
  began: string
  ended: string
  quietMillis?: number
  /** Returns monotonic milliseconds. */
  clock?: () => number
}

/**
 * Whether something that this server needs is away. The log gets one line when it goes, and one when it is back: with how long it was
 * away, and how much failed because of it.
 */
export class Outage {
  readonly #options: OutageOptions
  readonly #clock: () => number
  /** Undefined while nothing is wrong. */
  #began: number | undefined
  /** Since when everything works; undefined while things fail. */
  #worksSince: number | undefined
  #failed = 0

  constructor(options: OutageOptions) {
    this.#options = options
    this.#clock = options.clock ?? (() => performance.now())
  }

  /** Tells that it is away, before or without anything having failed because of that. */
  began(reason: string): void {
    this.#worksSince = undefined
    if (this.#began !== undefined) return
    this.#began = this.#clock()
    const { log, fields, began } = this.#options
    log.warn({ ...fields, reason }, began)
  }

  /** Tells that so many things have failed because it is away. */
  failed(reason: string, times = 1): void {
    this.began(reason)
    this.#failed += times
  }

  /** Tells that it works. To be called again and again, since it ends an outage only if nothing fails for a while. */
  worked(): void {
    if (this.#began === undefined) return
    const now = this.#clock()
    this.#worksSince ??= now
    const { log, fields, ended, quietMillis = QUIET_MILLIS } = this.#options
    if (now - this.#worksSince < quietMillis) return
    const seconds = Math.round((this.#worksSince - this.#began) / 100) / 10
    log.warn({ ...fields, seconds, failed: this.#failed }, ended)
    this.#began = undefined
    this.#worksSince = undefined
    this.#failed = 0
  }
}

/** Why something is away, in the words of whatever said so first. */
export function reasonOf(error: unknown): string {
  if (error instanceof AggregateError) return [...new Set(error.errors.map(reasonOf))].slice(0, MOST_REASONS).join('; ') || error.message
  if (!(error instanceof Error)) return String(error)
  return error instanceof Failure && error.cause !== undefined ? reasonOf(error.cause) : error.message
}
