import { callbackify } from 'node:util'
import { type PostgresCursor, type PostgresPool, type PostgresPoolClient, type PostgresQueryResult } from 'kysely'
import pg from 'pg'
import { DEADLOCK, FEATURE_NOT_SUPPORTED, sqlState } from '../runtime/database-failures.ts'
import { isConnectionFailure, UnconfirmedCommitError, isHostUnusable, type Hosts } from './hosts.ts'

/** Most statements that a connection keeps; others are planned every time. */
const MAX_STATEMENTS = 500

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
 * @param queryMillis how long a query waits for its answer; without it, as long as the pool says
 */
export function preparingPool(pool: DatabasePool, statements: Statements, queryMillis?: number): PostgresPool {
  return {
    connect: async () => new PreparingClient(await pool.connect(), statements, queryMillis),
    end: () => pool.end(),
  }
}

/** The names of the statements of all connections of a pool. */
export class Statements {
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
  readonly #waits: { query_timeout?: number } | undefined
  #inTransaction = false

  constructor(connection: PooledConnection, statements: Statements, queryMillis: number | undefined) {
    this.#connection = connection
    this.#statements = statements
    this.#waits = queryMillis === undefined ? undefined : { query_timeout: queryMillis }
  }

  query<R>(text: string, values: readonly unknown[]): Promise<PostgresQueryResult<R>>
  query<R>(cursor: PostgresCursor<R>): PostgresCursor<R>
  query(text: unknown, values: readonly unknown[] = []): unknown {
    if (typeof text !== 'string') throw new Error('cursors are not supported')
    if (values.length > 0) return this.#queryPrepared(text, [...values])
    if (/^(?:begin|start)\b/.test(text)) this.#inTransaction = true
    return this.#connection.query(this.#waits ? { text, ...this.#waits } : text)
  }

  release(): void {
    this.#connection.release()
  }

  async #queryPrepared(text: string, values: unknown[]): Promise<unknown> {
    try {
      return await this.#connection.query({ ...this.#statements.prepare(text), values, ...this.#waits })
    } catch (error) {
      const isOutdated = isOutdatedPlan(error)
      if (isOutdated) this.#statements.renew()
      // A migration locks table after table, so even a statement that only reads may have to give way. It has changed nothing.
      if (this.#inTransaction || !(isOutdated || sqlState(error) === DEADLOCK)) throw error
      return this.#connection.query({ text, values, ...this.#waits })
    }
  }
}

/** A finding that is not repeated within this time no longer counts: perhaps only the check itself is failing. */
const HOLDS_MILLIS = 5_000

/**
 * Closed while commits wait for a standby: callers that want a connection are refused before anything is changed. Otherwise each would take
 * a connection and keep it, and once commits are confirmed again, new calls would wait behind all those that had arrived in the meantime.
 */
export class CommitGate {
  readonly #waiting = new Set<(error: Error) => void>()
  #closed: { error: Error; until: number } | undefined

  open(): void {
    this.#closed = undefined
  }

  /** Refuses those who wait for a connection, too. */
  close(error: Error): void {
    this.#closed = { error, until: performance.now() + HOLDS_MILLIS }
    for (const refuse of this.#waiting) refuse(error)
  }

  /** @throws what it was closed with */
  requireOpen(): void {
    if (this.#closed && performance.now() < this.#closed.until) throw this.#closed.error
  }

  /**
   * Waits for a connection.
   * @param giveBack takes a connection that arrives after the gate was closed
   * @throws the error that the gate was closed with in the meantime
   */
  async pass<Connection>(connecting: Promise<Connection>, giveBack: (connection: Connection) => void): Promise<Connection> {
    let refuse: (error: Error) => void = () => undefined
    const refused = new Promise<never>((_, reject) => (refuse = reject))
    this.#waiting.add(refuse)
    try {
      return await Promise.race([connecting, refused])
    } catch (error) {
      connecting.then(giveBack, () => undefined)
      throw error
    } finally {
      this.#waiting.delete(refuse)
    }
  }
}

export interface PoolOptions extends pg.PoolConfig {
  hosts: Hosts
  /** Connections are lent only while it is open. */
  gate?: CommitGate
  max: number
  /** For a connection to be made or, when all are in use, to become free. */
  connectionTimeoutMillis: number
  /** Longer than the server's `statement_timeout`: a query without an answer until then has a dead connection. */
  query_timeout: number
  /** Called for connections that are lost while idle; the pool replaces them. */
  onIdleError: (error: Error) => void
}

export interface PoolUse {
  inUse: number
  idle: number
  waiting: number
  max: number
}

/** How many connections a server opens by default for its calls and background work: a small database settles less with twenty. */
export const CONNECTIONS = 10
/** With several hosts, a host that does not answer costs no more than this. */
const HOST_MILLIS = 3_000
/** Finds out within 20 s that an idle connection is dead, and keeps firewalls from forgetting it. */
const KEEP_ALIVE_MILLIS = 10_000
/** After a fail-over or a change of the network, connections follow within this time even if nothing fails. Making one takes about 5 ms. */
const LONGEST_LIFE_SECONDS = 15 * 60

/**
 * A pool whose connections can be relied on: they are made to a suitable host, tried in turn, and no connection is used again after it
 * failed, or after another one to the same hosts failed in a way that both may share.
 */
export class DatabasePool {
  /** Its connections without these guards. */
  readonly pg: pg.Pool
  readonly #hosts: Hosts
  readonly #gate: CommitGate | undefined
  readonly #generations = new WeakMap<pg.ClientBase, number>()
  /** Connections whose latest commit no standby has confirmed. */
  readonly #unconfirmed = new WeakSet<pg.ClientBase>()
  /** Connections that are being made. */
  readonly #unfinished = new Set<pg.Client>()

  constructor({ hosts, gate, onIdleError, ...options }: PoolOptions) {
    this.#hosts = hosts
    this.#gate = gate
    const millis = hosts.count > 1 ? Math.min(HOST_MILLIS, options.connectionTimeoutMillis) : options.connectionTimeoutMillis
    this.pg = new pg.Pool({
      keepAlive: true,
      keepAliveInitialDelayMillis: KEEP_ALIVE_MILLIS,
      maxLifetimeSeconds: LONGEST_LIFE_SECONDS,
      ...options,
      Client: clientOf(hosts, millis, this.#unfinished),
      verify: callbackify((client: pg.PoolClient) => hosts.requireSuitable(client, millis)),
    })
    this.pg.on('error', (error) => {
      // The pool reports its end before its connections have ended: if the database then stops, nothing is lost.
      if (!this.pg.ending) onIdleError(error)
    })
    this.pg.on('connect', (client) => {
      this.#generations.set(client, hosts.generation)
      // A connection lost between two queries of a transaction would otherwise end the process; the next query fails anyway.
      client.on('error', () => undefined)
      client.on('notice', ({ routine }) => {
        if (routine === WAITS_FOR_STANDBY) this.#unconfirmed.add(client)
      })
    })
  }

  /** A connection for one caller, who must release it. */
  async connect(): Promise<PooledConnection> {
    for (;;) {
      const client = await this.#connectToAnyHost()
      const generation = this.#generations.get(client) ?? 0
      if (generation === this.#hosts.generation) {
        return new PooledConnection(client, {
          onFailure: () => this.#hosts.doubt(generation),
          wasUnconfirmed: () => this.#unconfirmed.delete(client),
        })
      }
      destroy(client)
    }
  }

  /** Runs one statement on a connection of its own. */
  async query<Row extends pg.QueryResultRow>(text: string | pg.QueryConfig<unknown[]>, values?: unknown[]): Promise<pg.QueryResult<Row>> {
    const connection = await this.connect()
    try {
      return await connection.query<Row>(text, values)
    } finally {
      connection.release()
    }
  }

  /** How many connections callers have, how many are idle, how many callers wait for one, and how many there may be. */
  get use(): PoolUse {
    const { totalCount, idleCount, waitingCount, options } = this.pg
    return { inUse: totalCount - idleCount, idle: idleCount, waiting: waitingCount, max: options.max }
  }

  /** Waits for the connections that are lent. Those that are still being made are given up: a host that is silent may take seconds. */
  end(): Promise<void> {
    const ended = this.pg.end()
    for (const client of this.#unfinished) client.connection.stream.destroy()
    return ended
  }

  async #connectToAnyHost(): Promise<pg.PoolClient> {
    if (this.pg.idleCount === 0) this.#hosts.requireNoOutage()
    this.#gate?.requireOpen()
    for (let attempt = 1; ; attempt++) {
      const host = this.#hosts.current
      try {
        const client = await this.#connect()
        this.#hosts.noteSuccess()
        return client
      } catch (error) {
        if (!isHostUnusable(error) || isQueueTimeout(error)) throw error
        this.#hosts.leave(host)
        if (attempt < this.#hosts.count) continue
        this.#hosts.noteOutage(error)
        throw error
      }
    }
  }

  #connect(): Promise<pg.PoolClient> {
    const waits = this.pg.idleCount === 0
    const connecting = this.pg.connect()
    return waits && this.#gate ? this.#gate.pass(connecting, (client) => client.release()) : connecting
  }
}

/** The function of PostgreSQL that warns when it ends the wait of a commit for a standby. The warning itself is translated. */
const WAITS_FOR_STANDBY = 'SyncRepWaitForLSN'

interface ConnectionWatch {
  onFailure: () => void
  /** Whether no standby has confirmed what the latest query committed. Says so once. */
  wasUnconfirmed: () => boolean
}

/** A connection until it is released. Once a query on it has failed for good, further ones are refused at once, with the same error. */
export class PooledConnection {
  readonly #client: pg.PoolClient
  readonly #watch: ConnectionWatch
  #failure: Error | undefined

  constructor(client: pg.PoolClient, watch: ConnectionWatch) {
    this.#client = client
    this.#watch = watch
  }

  async query<Row extends pg.QueryResultRow>(text: string | pg.QueryConfig<unknown[]>, values?: unknown[]): Promise<pg.QueryResult<Row>> {
    if (this.#failure) throw this.#failure
    const result = await this.#query<Row>(text, values)
    if (this.#watch.wasUnconfirmed()) throw new UnconfirmedCommitError()
    return result
  }

  async #query<Row extends pg.QueryResultRow>(text: string | pg.QueryConfig<unknown[]>, values?: unknown[]) {
    try {
      return await this.#client.query<Row, unknown[]>(text, values)
    } catch (error) {
      if (isConnectionFailure(error)) {
        this.#failure = error
        this.#watch.onFailure()
      }
      throw error
    }
  }

  /**
   * Returns the connection to the pool, or destroys it if it failed.
   * @param failure why it must not be used again; ends even a query that is under way
   */
  release(failure = this.#failure): void {
    if (failure) destroy(this.#client)
    else this.#client.release()
  }
}

/** The pool makes each connection to the host that is current at that moment. */
function clientOf(hosts: Hosts, connectionTimeoutMillis: number, unfinished: Set<pg.Client>) {
  return class extends pg.Client {
    constructor(config: pg.ClientConfig = {}) {
      super({ ...config, connectionString: hosts.current, connectionTimeoutMillis })
      unfinished.add(this)
      const finish = () => unfinished.delete(this)
      this.once('connect', finish).once('end', finish)
    }
  }
}

/** Destroys the socket: an orderly close to a silent host would keep it for a quarter of an hour. */
function destroy(client: pg.PoolClient): void {
  client.connection.stream.destroy()
  client.release(true)
}

/** All connections were in use for too long, which says nothing about the host. */
function isQueueTimeout(error: unknown): boolean {
  return error instanceof Error && error.message === 'timeout exceeded when trying to connect'
}
