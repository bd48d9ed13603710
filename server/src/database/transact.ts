import { type Transaction } from 'kysely'

import { type Database } from './connect.ts'
import { isOutdatedPlan } from './connections/prepared-statements.ts'
import { refusalOf, sqlState } from './refusals.ts'
import { type DB } from './schema.ts'

export type Tx = Transaction<DB>

const ATTEMPTS = 5
/** Serialization failure and deadlock: the database rolled back, and the transaction can be repeated (PostgreSQL, appendix A). */
const conflicts = new Set(['40001', '40P01'])

/**
 * Runs `work` in one READ COMMITTED transaction, and repeats it after a deadlock, a serialization failure or a migration: it must not
 * touch anything but the database.
 * @throws Failure if the database refuses the caller's request
 */
export async function inTransaction<T>(database: Database, work: (tx: Tx) => Promise<T>): Promise<T> {
  return withRetry(() => database.transaction().execute(work))
}

/**
 * Repeats one transaction, or one statement, after a deadlock, a serialization failure or a migration, at most 5 times in all.
 * @throws Failure as `inTransaction`
 */
export async function withRetry<T>(transaction: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await transaction()
    } catch (error) {
      if (attempt === ATTEMPTS || !isRepeatable(error)) throw refusalOf(error) ?? error
    }
  }
}

function isRepeatable(error: unknown): boolean {
  return conflicts.has(sqlState(error) ?? '') || isOutdatedPlan(error)
}
