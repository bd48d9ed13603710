import { Failure } from '@juicebar/contract/errors'
import { type BaseLogger } from 'pino'

import { isDatabaseOutage } from '../database/database-outage.ts'
import { Outage, reasonOf } from './outage.ts'

/** Buyers come and go: so long nobody must have been refused before the budget counts as enough again. */
const BUDGET_QUIET_MILLIS = 30_000

/** Where everything reports that fails by itself, without being a caller's mistake. */
export interface FailureLog {
  readonly database: Outage
  readonly chain: Outage
  readonly chainBudget: Outage
  /** The outage that an error is part of; undefined if nobody foresaw it. */
  outageOf(error: unknown): Outage | undefined
  /**
   * Logs that work has failed. What fails because something is away is counted, since the log tells of the outage itself. Anything else
   * is an error with its stack.
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
