import { type PostgresCursor, type PostgresPool, type PostgresPoolClient, type PostgresQueryResult } from 'kysely'
import type pg from 'pg'

/** Most statements that a connection keeps; others are planned every time. */
const MAX_STATEMENTS = 500

/**
 * The pool for the query builder, which prepares each statement once per connection: the database then does not parse and plan it again,
 * which is half the cost of a short one. A connection pooler in between must support prepared statements.
 */
export function preparingPool(pool: pg.Pool): PostgresPool {
  const names = new Map<string, string>()
  const nameOf = (text: string) => {
    if (!names.has(text) && names.size < MAX_STATEMENTS) names.set(text, `statement ${names.size + 1}`)
    return names.get(text)
  }
  return {
    connect: async () => new PreparingClient(await pool.connect(), nameOf),
    end: () => pool.end(),
  }
}

class PreparingClient implements PostgresPoolClient {
  readonly #client: pg.PoolClient
  readonly #nameOf: (text: string) => string | undefined

  constructor(client: pg.PoolClient, nameOf: (text: string) => string | undefined) {
    this.#client = client
    this.#nameOf = nameOf
  }

  query<R>(text: string, values: readonly unknown[]): Promise<PostgresQueryResult<R>>
  query<R>(cursor: PostgresCursor<R>): PostgresCursor<R>
  query(text: unknown, values: readonly unknown[] = []): unknown {
    if (typeof text !== 'string') throw new Error('cursors are not supported')
    if (values.length === 0) return this.#client.query(text)
    const name = this.#nameOf(text)
    return this.#client.query({ text, values: [...values], ...(name && { name }) })
  }

  release(): void {
    this.#client.release()
  }
}
