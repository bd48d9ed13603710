import { type PostgresCursor, type PostgresPool, type PostgresPoolClient, type PostgresQueryResult } from 'kysely'

import { sqlState } from '../refusals.ts'
import { type DatabasePool, type PooledConnection } from './database-pool.ts'

/** Most statements that a connection keeps; others are planned every time. */
const MAX_STATEMENTS = 500
/** SQLSTATE (PostgreSQL, appendix A). */
const FEATURE_NOT_SUPPORTED = '0A000'
const DEADLOCK = '40P01'

/**
 * Whether a migration changed what a prepared statement returns. The database then refuses it for as long as the connection lives.
 * A caller inside a transaction repeats it, with its statements prepared again.
 */
export function isOutdatedPlan(error: unknown): boolean {
  return sqlState(error) === FEATURE_NOT_SUPPORTED && error instanceof Error && error.message.includes('cached plan')
}

/**
 * The pool for the query builder, which prepares each statement once per connection: the database then does not parse and plan it again,
 * which is half the cost of a short one. A connection pooler in between must support prepared statements.
 */
export function preparingPool(pool: DatabasePool): PostgresPool {
  const statements = new Statements()
  return {
    connect: async () => new PreparingClient(await pool.connect(), statements),
    end: () => pool.end(),
  }
}

/** The names of the statements of all connections. */
class Statements {
  readonly #names = new Map<string, string>()
  #generation = 0

  /** The statement under its name, if it has one. A connection pooler, too, takes those of another generation for others. */
  prepare(text: string): { text: string; name?: string } {
    const names = this.#names
    if (!names.has(text) && names.size < MAX_STATEMENTS) names.set(text, `statement ${this.#generation} ${names.size + 1}`)
    const name = names.get(text)
    return name === undefined ? { text } : { name, text: this.#generation === 0 ? text : `/* ${this.#generation} */ ${text}` }
  }

  /** Makes every connection prepare everything again. */
  renew(): void {
    this.#names.clear()
    this.#generation += 1
  }
}

class PreparingClient implements PostgresPoolClient {
  readonly #connection: PooledConnection
  readonly #statements: Statements
  #inTransaction = false

  constructor(connection: PooledConnection, statements: Statements) {
    this.#connection = connection
    this.#statements = statements
  }

  query<R>(text: string, values: readonly unknown[]): Promise<PostgresQueryResult<R>>
  query<R>(cursor: PostgresCursor<R>): PostgresCursor<R>
  query(text: unknown, values: readonly unknown[] = []): unknown {
    if (typeof text !== 'string') throw new Error('cursors are not supported')
    if (values.length > 0) return this.#queryPrepared(text, [...values])
    if (/^(?:begin|start)\b/.test(text)) this.#inTransaction = true
    return this.#connection.query(text)
  }

  release(): void {
    this.#connection.release()
  }

  async #queryPrepared(text: string, values: unknown[]): Promise<unknown> {
    try {
      return await this.#connection.query({ ...this.#statements.prepare(text), values })
    } catch (error) {
      const isOutdated = isOutdatedPlan(error)
      if (isOutdated) this.#statements.renew()
      // A migration locks table after table, so even a statement that only reads may have to give way. It has changed nothing.
      if (this.#inTransaction || !(isOutdated || sqlState(error) === DEADLOCK)) throw error
      return this.#connection.query(text, values)
    }
  }
}
