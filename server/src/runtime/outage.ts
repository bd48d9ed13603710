import { Failure } from '@juicebar/contract/errors'
import { type BaseLogger } from 'pino'
import { isDatabaseOutage } from './database-failures.ts'

/** An outage is over once nothing has failed for this long. Shorter recoveries in between do not split it into several. */
const QUIET_MILLIS = 3_000
/** Of several reasons. */
const MOST_REASONS = 3

interface OutageOptions {
  log: Pick<BaseLogger, 'warn'>
  /** The fields of both lines, such as the name of what is down. */
  fields: object
  began: string
  ended: string
  quietMillis?: number
  /** Returns monotonic milliseconds. */
  clock?: () => number
}

/**
 * Whether something that this server needs is down. It is logged once when it goes down, and once when it is back, with the duration and
 * the number of failures that it caused.
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

  /** Reports that it is down, before or without any failure. */
  began(reason: string): void {
    this.#worksSince = undefined
    if (this.#began !== undefined) return
    this.#began = this.#clock()
    const { log, fields, began } = this.#options
    log.warn({ ...fields, reason }, began)
  }

  /** Reports that this many things have failed because it is down. */
  failed(reason: string, times = 1): void {
    this.began(reason)
    this.#failed += times
  }

  /** Reports that it works. Call it repeatedly, because it ends an outage only if nothing fails for a while. */
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

/** Why something is down, in the words of the first failure. */
export function reasonOf(error: unknown): string {
  if (error instanceof AggregateError) return [...new Set(error.errors.map(reasonOf))].slice(0, MOST_REASONS).join('; ') || error.message
  if (!(error instanceof Error)) return String(error)
  return error instanceof Failure && error.cause !== undefined ? reasonOf(error.cause) : error.message
}

/** Demand fluctuates: nobody may have been refused for this long before the budget counts as sufficient again. */
const BUDGET_QUIET_MILLIS = 30_000

/** The place to report failures that are not a caller's mistake. */
export interface FailureLog {
  readonly database: Outage
  readonly chain: Outage
  readonly chainBudget: Outage
  /** The outage that an error is part of; undefined if the error is unexpected. */
  outageOf(error: unknown): Outage | undefined
  /**
   * Logs that work has failed. Failures that an outage causes are only counted, because the outage itself is logged. Anything else is
   * logged as an error with its stack.
   */
  failed(error: unknown, fields: object, message: string): void
}

export function createFailureLog(log: Pick<BaseLogger, 'debug' | 'warn' | 'error'>): FailureLog {
  const open = (outage: string, began: string, ended: string, quietMillis?: number) =>
    new Outage({ log, fields: { outage }, began, ended, ...(quietMillis !== undefined && { quietMillis }) })
  const database = open('database', 'the database cannot be used', 'the database can be used again')
  const chain = open('chain', 'the chain cannot be reached', 'the chain can be reached again')
  const chainBudget = open('chain budget', 'the chain budget is spent', 'the chain budget is enough again', BUDGET_QUIET_MILLIS)

  const outageOf = (error: unknown) => {
    const code = error instanceof Failure ? error.code : undefined
    if (code === 'CHAIN_DOWN') return chain
    if (code === 'CHAIN_BUSY') return chainBudget
    return code === 'DATABASE_DOWN' || isDatabaseOutage(error) ? database : undefined
  }
  return {
    database,
    chain,
    chainBudget,
    outageOf,
    failed: (error, fields, message) => {
      const outage = outageOf(error)
      if (!outage) return log.error({ ...fields, err: error }, message)
      const reason = reasonOf(error)
      outage.failed(reason)
      log.debug({ ...fields, reason }, message)
    },
  }
}
