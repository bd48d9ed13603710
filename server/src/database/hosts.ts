import pg from 'pg'
import { sqlState } from '../runtime/database-failures.ts'
import { type DatabaseUrl, type SessionAttributes } from '../settings/database-url.ts'

/** SQLSTATE (PostgreSQL, appendix A). */
export const READ_ONLY = '25006'
/**
 * PL/pgSQL that fails with `READ_ONLY` wherever writes do. It locks no table, as a write would: while a migration holds every table, the
 * database is busy but not away.
 */
export const REQUIRE_WRITABLE = `if current_setting('transaction_read_only')::bool then
    raise exception 'the database server takes no writes' using errcode = '${READ_ONLY}';
  end if;`
const CANNOT_CONNECT_NOW = '57P03'
/** The server is shutting down, or it crashed. */
const leaving = new Set(['57P01', '57P02', CANNOT_CONNECT_NOW])

/** Not an error of `pg`: the host takes no writes, or it does, and the URL asks for one that does not. */
class WrongHostError extends Error {
  readonly code = READ_ONLY
}

/** Not an error of `pg`: the database takes changes but confirms none, because a standby must have them first. */
export class CommitsWaitError extends Error {
  readonly code = CANNOT_CONNECT_NOW
}

/** SQLSTATE (PostgreSQL, appendix A). */
const COMPLETION_UNKNOWN = '40003'

/**
 * Not an error of `pg`: the database gave up waiting for a standby before it confirmed a commit. The change is there, but gone if this
 * server dies now: nobody may act on it until it is confirmed.
 */
export class UnconfirmedCommitError extends Error {
  readonly code = COMPLETION_UNKNOWN

  constructor() {
    super('no standby has confirmed the commit')
  }
}

/**
 * Whether a query's error means that its connection must not be used again, and that others to the same host may be no better: it does
 * not answer, was lost, or leads to a server that takes no writes any more.
 */
export function isConnectionFailure(error: unknown): error is Error {
  if (!(error instanceof pg.DatabaseError)) return error instanceof Error
  const state = sqlState(error) ?? ''
  return state === READ_ONLY || leaving.has(state) || state.startsWith('08')
}

/** Whether to try the next host, as libpq does: not if a host answered and refused us, for example for a wrong password. */
export function isHostUnusable(error: unknown): boolean {
  if (error instanceof CommitsWaitError) return false
  return !(error instanceof pg.DatabaseError) || sqlState(error) === CANNOT_CONNECT_NOW
}

/** One answer decides: whether a server is in recovery, and whether it takes writes. */
const ROLE = `select pg_is_in_recovery() as recovering, current_setting('transaction_read_only')::bool as read_only`

interface Role {
  recovering: boolean
  read_only: boolean
}

const suits: Record<SessionAttributes, (role: Role) => boolean> = {
  any: () => true,
  'read-write': (role) => !role.read_only,
  'read-only': (role) => role.read_only,
  primary: (role) => !role.recovering,
  standby: (role) => role.recovering,
  // Reads from a standby fall back to the primary through DATABASE_URL.
  'prefer-standby': (role) => role.recovering,
}

/**
 * How long to wait before trying again after no host could be used. Otherwise every player's call would make a connection, which costs a
 * standby 10 ms of CPU just when it is about to be promoted.
 */
const PAUSE_MILLIS = 200

/**
 * The hosts of a database. Connections go to one host at a time: the last one that was good. Connections of an earlier generation are
 * in doubt, since one of them failed in a way that the others may share.
 */
export class Hosts {
  readonly #url: DatabaseUrl
  #current = 0
  #generation = 0
  #outage: { error: unknown; until: number } | undefined

  constructor(url: DatabaseUrl) {
    this.#url = url
  }

  /** The URL to connect to now. */
  get current(): string {
    return this.#url.hosts[this.#current] ?? ''
  }

  get count(): number {
    return this.#url.hosts.length
  }

  get generation(): number {
    return this.#generation
  }

  /** Makes another host the current one, unless a caller already left this one. */
  leave(host: string): void {
    if (host === this.current) this.#current = (this.#current + 1) % this.count
  }

  /** No host can be used. */
  noteOutage(error: unknown): void {
    this.#outage = { error, until: performance.now() + PAUSE_MILLIS }
  }

  noteSuccess(): void {
    this.#outage = undefined
  }

  /** @throws the error of an outage that was just recorded */
  requireNoOutage(): void {
    if (this.#outage && performance.now() < this.#outage.until) throw this.#outage.error
  }

  /** Puts all connections of this generation in doubt. If many fail at once, only the first has this effect. */
  doubt(generation: number): void {
    if (generation === this.#generation) this.#generation += 1
  }

  /** @throws WrongHostError if the server is not one that the URL asks for */
  async requireSuitable(client: pg.ClientBase, timeoutMillis: number): Promise<void> {
    if (this.#url.session === 'any') return
    const statement: pg.QueryConfig & { query_timeout: number } = { text: ROLE, query_timeout: timeoutMillis }
    const { rows } = await client.query<Role>(statement)
    if (rows[0] && suits[this.#url.session](rows[0])) return
    const what = this.#url.session === 'read-write' ? 'takes no writes: it is a stand-by, or read-only' : `is not ${this.#url.session}`
    throw new WrongHostError(`the database server ${what}`)
  }
}
