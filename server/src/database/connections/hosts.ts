import type pg from 'pg'

import { WrongHostError } from './connection-failure.ts'
import { type DatabaseUrl, type SessionAttributes } from './database-url.ts'

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
