import { type Transaction } from 'kysely'

import { type Database } from './connect.ts'
import { type DB } from './schema.ts'

export type Tx = Transaction<DB>

const ATTEMPTS = 5
/** Serialization failure and deadlock: the database rolled back, and the transaction can be repeated (PostgreSQL, appendix A). */
const RETRYABLE = new Set(['40001', '40P01'])

/**
 * Runs `work` in one READ COMMITTED transaction, and repeats it after a deadlock or serialization failure: it must not touch anything
 * but the database.
 */
export async function inTransaction<T>(database: Database, work: (tx: Tx) => Promise<T>): Promise<T> {
  return withRetry(() => database.transaction().execute(work))
}

/** Repeats one transaction, or one statement, after a deadlock or serialization failure, at most 5 times in all. */
export async function withRetry<T>(transaction: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await transaction()
    } catch (error) {
      if (attempt === ATTEMPTS || !RETRYABLE.has(sqlState(error) ?? '')) throw error
    }
  }
}

/** The SQLSTATE of a database error; undefined for other errors. */
export function sqlState(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined
}

/** The name of the constraint that a database error is about; undefined for other errors. */
export function violatedConstraint(error: unknown): string | undefined {
  return error instanceof Error && 'constraint' in error && typeof error.constraint === 'string' ? error.constraint : undefined
}
