import { CamelCasePlugin, Kysely, PostgresDialect, type PostgresPool } from 'kysely'
import pg from 'pg'
import { type BaseLogger } from 'pino'

import { sqlState } from '../runtime/database-failures.ts'
import { delay, startRepeating } from '../runtime/repeat.ts'
import { parseDatabaseUrl } from '../settings/database-url.ts'
import { CommitGate, CONNECTIONS, DatabasePool, type PoolOptions, preparingPool, Statements } from './database-pool.ts'
import { CommitsWaitError, Hosts, READ_ONLY, REQUIRE_WRITABLE, UnconfirmedCommitError } from './hosts.ts'
import { readFromReplica, type ReplicaState } from './replica.ts'
import { type DB } from './schema.ts'

class ColumnNames extends CamelCasePlugin {
  rename(rows: readonly Record<string, unknown>[]): Record<string, unknown>[] {
    return rows.map((row) => this.mapRow(row))
  }
}

const columnNames = new ColumnNames({ maintainNestedObjectKeys: true })

/** The typed query builder. A function that takes a `Tx` instead must be called inside a transaction. */
export class Database extends Kysely<DB> {
  readonly #connections: DatabasePool
  readonly #statements: Statements
  readonly #pool: PostgresPool

  /** @param queryMillis how long a query waits for its answer; without it, as long as the pool says */
  constructor(connections: DatabasePool, statements = new Statements(), queryMillis?: number) {
    const pool = preparingPool(connections, statements, queryMillis)
    super({ dialect: new PostgresDialect({ pool }), plugins: [columnNames] })
    this.#connections = connections
    this.#statements = statements
    this.#pool = pool
  }

  /** The same database, for statements that may take this long. They set the database's own limit themselves. */
  patient(queryMillis: number): Database {
    return new Database(this.#connections, this.#statements, queryMillis)
  }

  /**
   * Runs SQL text as it is, with its parameters `$1`, `$2` and so on, outside any transaction. For statements that every call of a player
   * runs: the query builder takes Node.js about 30 µs more.
   */
  async runStatement<Row>(text: string, parameters: readonly unknown[]): Promise<Row[]> {
    const connection = await this.#pool.connect()
    try {
      const { rows } = await connection.query<Record<string, unknown>>(text, parameters)
      // The author of the text knows its columns.
      return columnNames.rename(rows) as Row[]
    } finally {
      connection.release()
    }
  }
}

/** For reading market pages. */
export type Reads = Pick<DatabasePool, 'query'>

export interface DatabaseConnection {
  pool: DatabasePool
  /** For reads of the market: however many players browse, they never take a connection from those who trade. */
  readPool: DatabasePool
  /** For reads of the market that may be two seconds old: from the replica if a usable one exists, otherwise `readPool`. */
  replica: Reads
  /** The state of the replica; undefined without one. */
  replicaState: Pick<ReplicaState, 'isUsed' | 'lagSeconds' | 'use'> | undefined
  /**
   * For looking at the database, in at most a second: the probe, the commit watch, and figures about the market, which are omitted rather
   * than late. Each asks one question at a time, so that none of them waits for another, and no call for any of them.
   */
  watchPool: DatabasePool
  /** One connection for migrations: however long they take, no call waits for it. */
  migrationPool: DatabasePool
  database: Database
  /**
   * Asks whether the database takes writes, on a connection of `watchPool`, because a busy pool is not an outage. Concurrent callers share one
   * request to the database. Rejects if it does not.
   */
  probe(): Promise<void>
  /** While commits wait for a standby, `probe` fails and requests for a connection of `pool` are refused at once. */
  watchCommits: WatchCommits
  close(): Promise<void>
}

export interface DatabaseOptions {
  /** Most connections for players, the studio and background work; `CONNECTIONS` without it. */
  connections?: number
  /** Where `replica` reads. */
  replica?: { url: string; log: Pick<BaseLogger, 'warn'> }
  /** How long a query waits for its answer before its connection counts as dead. */
  queryMillis?: number
  /** For a server: the number of its newest migration. The database refuses its writes once there is a later, incompatible one. */
  migration?: string
}

const READ_CONNECTIONS = 10
/** Also how long a query waits for a free connection: in a rush on one listing, late replies are better than an outage. */
const CONNECT_MILLIS = 10_000
const STATEMENT_MILLIS = 15_000
/** The database itself ends a slow statement before. */
const QUERY_MILLIS = STATEMENT_MILLIS + 5_000
const IDLE_IN_TRANSACTION_MILLIS = 10_000
const PROBE_MILLIS = 1_000
/** The probe, the commit watch, and the figures. */
const WATCHERS = 3
/** A page takes milliseconds. A replica that takes this long is no help: the primary is asked instead. */
const REPLICA_MILLIS = 2_000
/** Each statement is planned once per connection. By default PostgreSQL plans many of them every time, which takes longer than to run them. */
const PLAN_ONCE = '-c plan_cache_mode=force_generic_plan'
/**
 * What the market reads is nearly always in memory, where the rows that are read cost more than the order they are read in. With the
 * usual prices the planner walks all listings in the order of the table and discards other tokens' rows.
 */
const READ_FROM_MEMORY = '-c seq_page_cost=0.1 -c random_page_cost=0.1'
const PROBE: pg.QueryConfig & { query_timeout: number } = {
  text: `do $$ begin ${REQUIRE_WRITABLE} end $$`,
  query_timeout: PROBE_MILLIS,
}

/**
 * Creates the connection pools for a PostgreSQL URL; they connect when first used, and only to a server that takes writes.
 *
 * @param onIdleError is told about connections that are lost while idle; the pools replace them.
 */
export function connectDatabase(url: string, onIdleError: (error: Error) => void, options: DatabaseOptions = {}): DatabaseConnection {
  const writable = { ...parseDatabaseUrl(withoutName(url)), session: 'read-write' } as const
  const hosts = new Hosts(writable)
  const usual = {
    hosts,
    connectionTimeoutMillis: CONNECT_MILLIS,
    query_timeout: options.queryMillis ?? QUERY_MILLIS,
    statement_timeout: STATEMENT_MILLIS,
    idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_MILLIS,
    application_name: options.migration === undefined ? 'juicebar-tool' : `juicebar ${options.migration}`,
    options: PLAN_ONCE,
    types: { getTypeParser },
    onIdleError,
  }
  const reading = { ...usual, max: READ_CONNECTIONS, options: `${PLAN_ONCE} ${READ_FROM_MEMORY}` }
  const gate = new CommitGate()
  const pool = new DatabasePool({ ...usual, gate, max: options.connections ?? CONNECTIONS })
  const readPool = new DatabasePool(reading)
  const replica = options.replica && openReplica(options.replica, readPool, reading)
  // Separate hosts: a slow probe says nothing about the connections of others.
  const watchPool = new DatabasePool({
    hosts: new Hosts(writable),
    max: WATCHERS,
    connectionTimeoutMillis: PROBE_MILLIS,
    query_timeout: WAIT_MILLIS + PROBE_MILLIS,
    statement_timeout: WAIT_MILLIS,
    application_name: 'juicebar-watch',
    onIdleError,
  })
  const migrationPool = new DatabasePool({
    hosts: new Hosts(writable),
    max: 1,
    connectionTimeoutMillis: CONNECT_MILLIS,
    query_timeout: QUERY_MILLIS,
    application_name: 'juicebar-migration',
    onIdleError,
  })
  const database = new Database(pool)
  let probeUnderWay: Promise<void> | undefined
  const probe = async () => {
    gate.requireOpen()
    try {
      await watchPool.query(PROBE)
      hosts.noteSuccess()
    } catch (error) {
      if (error instanceof pg.DatabaseError && sqlState(error) === READ_ONLY) hosts.doubt(hosts.generation)
      throw error
    }
  }
  return {
    pool,
    readPool,
    replica: replica ?? readPool,
    replicaState: replica,
    watchPool,
    migrationPool,
    database,
    probe: () => (probeUnderWay ??= probe().finally(() => (probeUnderWay = undefined))),
    watchCommits: createCommitWatch(watchPool, gate),
    close: async () => {
      await replica?.stop()
      await Promise.all([database.destroy(), readPool.end(), migrationPool.end(), watchPool.end()])
    },
  }
}

/** The database uses this name to tell how old a server is, so no URL may change it. */
function withoutName(url: string): string {
  return url.replace(/(?<=[?&])application_name=[^&#]*&?/, '')
}

function openReplica({ url, log }: { url: string; log: Pick<BaseLogger, 'warn'> }, primary: DatabasePool, reading: PoolOptions) {
  const pool = new DatabasePool({
    ...reading,
    hosts: new Hosts(parseDatabaseUrl(url)),
    connectionTimeoutMillis: REPLICA_MILLIS,
    statement_timeout: REPLICA_MILLIS,
    query_timeout: REPLICA_MILLIS,
  })
  const reads = readFromReplica({ replica: pool, primary, log })
  return { ...reads, stop: () => reads.stop().then(() => pool.end()) }
}

const INT8 = 20

/** PostgreSQL's 64-bit integers as bigint: lamports and ledger amounts are exact. */
function getTypeParser(oid: number, format?: 'text' | 'binary') {
  if (oid === INT8 && format !== 'binary') return BigInt
  // oxlint-disable-next-line typescript/no-unsafe-return, typescript/no-unsafe-enum-assignment -- pg types its parsers as any
  return pg.types.getTypeParser(oid, format)
}

/** If one commit waits longer than this for a standby, all commits are assumed to wait. Confirming one normally takes milliseconds. */
const WAIT_MILLIS = 1_000
/** Between the end of one commit and the next. */
const EVERY_MILLIS = { confirmed: 1_000, otherwise: 250 }

/**
 * Is refused wherever changes are, and then commits some hundred bytes of log, as each change does. Because the commit is a part of the
 * statement, `statement_timeout` ends its wait for a standby. Any other commit keeps waiting when its connection is lost, so each
 * attempt would leave one more connection behind in the database.
 */
const COMMIT = `do $$ begin
  ${REQUIRE_WRITABLE}
  perform pg_logical_emit_message(true, 'juicebar', '');
  commit;
end $$`

/**
 * Starts to commit once a second, even without calls.
 * @returns a function that stops it
 */
export type WatchCommits = (failures: Parameters<typeof startRepeating>[1]['failures']) => () => Promise<void>

/**
 * Commits once a second, closes the gate while commits wait for a standby, and opens it as soon as one is confirmed.
 * @param pool with `WAIT_MILLIS` as its `statement_timeout`
 */
function createCommitWatch(pool: DatabasePool, gate: CommitGate): WatchCommits {
  const commit = async () => {
    try {
      await pool.query(COMMIT)
      gate.open()
    } catch (cause) {
      if (!(cause instanceof UnconfirmedCommitError)) throw cause
      const error = new CommitsWaitError('commits wait for a stand-by to confirm them', { cause })
      gate.close(error)
      throw error
    }
  }

  const commitAndRest = async (signal: AbortSignal) => {
    await commit()
    await delay(EVERY_MILLIS.confirmed - EVERY_MILLIS.otherwise, signal)
  }
  const failure = 'it is unknown whether commits wait for a stand-by; trying again'
  return (failures) => startRepeating(commitAndRest, { everyMillis: EVERY_MILLIS.otherwise, failures, failure })
}
