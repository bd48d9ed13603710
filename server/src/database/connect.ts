import { CamelCasePlugin, Kysely, PostgresDialect } from 'kysely'
import pg from 'pg'

import { preparingPool } from './prepared-statements.ts'
import { type DB } from './schema.ts'

/** The typed query builder. A function that takes a `Tx` instead must be called inside a transaction. */
export type Database = Kysely<DB>

export interface DatabaseConnection {
  pool: pg.Pool
  /** For reads of the market: however many browse, they never take a connection from those who trade. */
  readPool: pg.Pool
  database: Database
  /** Asks the database anything over a connection of its own, because a busy pool is no outage. Rejects if it does not answer. */
  probe(): Promise<void>
  close(): Promise<void>
}

const CONNECTIONS = 20
const READ_CONNECTIONS = 10
/** Also how long a query waits for a free connection: in a rush on one listing, late replies are better than an outage. */
const CONNECT_MILLIS = 10_000
const STATEMENT_MILLIS = 15_000
const IDLE_IN_TRANSACTION_MILLIS = 10_000
const PROBE_MILLIS = 1_000
/** Each statement is planned once per connection. By default PostgreSQL plans many of them every time, which takes longer than to run them. */
const PLAN_ONCE = '-c plan_cache_mode=force_generic_plan'
/**
 * What the market reads is nearly always in memory, where the rows that are read cost more than the order they are read in. With the
 * usual prices the planner walks all listings in the order of the table and discards other tokens' rows.
 */
const READ_FROM_MEMORY = '-c seq_page_cost=0.1 -c random_page_cost=0.1'

/**
 * Creates the connection pools for a PostgreSQL URL; they connect when first used.
 *
 * @param onIdleError is told about connections that are lost while idle; the pools replace them.
 */
export function connectDatabase(url: string, onIdleError: (error: Error) => void): DatabaseConnection {
  const limits = {
    connectionString: url,
    connectionTimeoutMillis: CONNECT_MILLIS,
    statement_timeout: STATEMENT_MILLIS,
    idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_MILLIS,
    application_name: 'juicebar',
    options: PLAN_ONCE,
    types: { getTypeParser },
  }
  const pool = openPool({ ...limits, max: CONNECTIONS }, onIdleError)
  const readPool = openPool({ ...limits, max: READ_CONNECTIONS, options: `${PLAN_ONCE} ${READ_FROM_MEMORY}` }, onIdleError)
  const probePool = openPool(
    {
      connectionString: url,
      max: 1,
      connectionTimeoutMillis: PROBE_MILLIS,
      query_timeout: PROBE_MILLIS,
      application_name: 'juicebar-probe',
    },
    onIdleError,
  )
  const database = new Kysely<DB>({
    dialect: new PostgresDialect({ pool: preparingPool(pool) }),
    plugins: [new CamelCasePlugin({ maintainNestedObjectKeys: true })],
  })
  return {
    pool,
    readPool,
    database,
    probe: async () => void (await probePool.query('select 1')),
    close: async () => void (await Promise.all([database.destroy(), readPool.end(), probePool.end()])),
  }
}

function openPool(config: pg.PoolConfig, onIdleError: (error: Error) => void): pg.Pool {
  const pool = new pg.Pool(config)
  pool.on('error', (error) => {
    // The pool says that it has ended before its connections have: a database that then stops is no loss.
    if (!pool.ending) onIdleError(error)
  })
  // A connection lost between two queries of a transaction would otherwise end the process; the next query fails anyway.
  pool.on('connect', (client) => client.on('error', () => undefined))
  return pool
}

const INT8 = 20

/** PostgreSQL's 64-bit integers as bigint: lamports and ledger amounts are exact. */
function getTypeParser(oid: number, format?: 'text' | 'binary') {
  if (oid === INT8 && format !== 'binary') return BigInt
  // oxlint-disable-next-line typescript/no-unsafe-return, typescript/no-unsafe-enum-assignment -- pg types its parsers as any
  return pg.types.getTypeParser(oid, format)
}
