import { Failure } from '@juicebar/contract/errors'
import { type BaseLogger } from 'pino'

import { isDatabaseOutage } from '../database/database-outage.ts'
import { Outage, reasonOf } from './outage.ts'

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
