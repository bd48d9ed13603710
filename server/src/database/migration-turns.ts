import type pg from 'pg'
import { delay } from '../runtime/repeat.ts'
import { SchemaMismatchError } from './migration-files.ts'
import { DEADLOCK, sqlState } from '../runtime/database-failures.ts'

/** SQLSTATE (PostgreSQL, appendix A). */
const LOCK_NOT_AVAILABLE = '55P03'

/** How long a step first waits for a lock, and all calls that need the same table with it; then twice as long each time. */
const FIRST_LOCK_MILLIS = 500
const MAX_LOCK_MILLIS = 16_000
/** The pause before it tries again, in which calls proceed. */
const PAUSE_MILLIS = 1_000

/** A statement that the driver waits for indefinitely, whatever the pool's limit for others. */
interface Unlimited extends pg.QueryConfig<unknown[]> {
  query_timeout: number
}

/** The longest that a timer can wait, 24 days. */
const UNLIMITED_MILLIS = 2 ** 31 - 1

export interface MigrationClient {
  query<Row extends pg.QueryResultRow>(text: string | Unlimited, values?: unknown[]): Promise<{ rows: Row[] }>
  /** @param failure ends the connection, even in the middle of a statement */
  release(failure?: Error): void
}

/** A migration, or the functions, while they are being applied. */
export interface MigrationStep {
  name: string
  /** Its place among those that were pending, from 1. */
  number: number
  of: number
  state: 'applying' | 'applied' | 'waiting for another server' | 'waiting for locks' | 'left to newer servers'
  /** The process of the database that applies it. */
  backend?: number
}

export interface MigrateOptions {
  /** Ends the connection, which rolls back everything uncommitted. */
  signal?: AbortSignal
  report?: (step: MigrationStep) => void
}

/**
 * Applies a step in a transaction of its own, however long that takes. Servers take turns by a lock on the table `migrations`, which the
 * database drops with its holder's connection.
 *
 * @param apply decides under the lock whether there is still something to apply, and calls `start` first if so. It returns whether there
 * was. It is called again after a transaction that had to wait too long for a lock.
 */
export async function inTurn(
  client: MigrationClient,
  step: Pick<MigrationStep, 'name' | 'number' | 'of'>,
  apply: (start: () => Promise<void>) => Promise<boolean>,
  { signal, report }: MigrateOptions,
): Promise<boolean> {
  const start = async () => {
    const { rows } = await client.query<{ backend: number }>('select pg_backend_pid() as backend')
    report?.({ ...step, state: 'applying', backend: rows[0]?.backend ?? 0 })
  }
  for (let lockMillis = FIRST_LOCK_MILLIS; ; lockMillis = Math.min(2 * lockMillis, MAX_LOCK_MILLIS)) {
    const outcome = await tryOnce(client, { name: step.name, lockMillis, apply: () => apply(start) })
    if (outcome === 'known') return false
    report?.({ ...step, state: outcome })
    if (outcome === 'applied') return true
    await delay(PAUSE_MILLIS, signal ?? new AbortController().signal)
  }
}

interface Turn {
  name: string
  lockMillis: number
  apply: () => Promise<boolean>
}

async function tryOnce(client: MigrationClient, { name, lockMillis, apply }: Turn): Promise<MigrationStep['state'] | 'known'> {
  let isOurTurn = false
  try {
    await client.query(`begin; ${sessionSettings(lockMillis)}; lock table migrations in exclusive mode`)
    isOurTurn = true
    const applied = await apply()
    await client.query('commit')
    return applied ? 'applied' : 'known'
  } catch (error) {
    // On a lost connection there is nothing to roll back, and the first error says more.
    await client.query('rollback').catch(() => undefined)
    if (error instanceof SchemaMismatchError) throw error
    if (!isLockConflict(error))
      throw new Error(`migration ${name} failed: ${error instanceof Error ? error.message : String(error)}`, { cause: error })
    return isOurTurn ? 'waiting for locks' : 'waiting for another server'
  }
}

/** Runs SQL that may take as long as it needs. */
export async function runUnlimited(client: MigrationClient, text: string): Promise<void> {
  await client.query({ text, query_timeout: UNLIMITED_MILLIS })
}

/**
 * Of one transaction, so that they reach the database through a connection pooler, too. A migration may take as long as it needs; if its
 * server dies or falls silent, the database notices within 20 s and lets another take over.
 */
function sessionSettings(lockMillis: number): string {
  const settings = {
    statement_timeout: 0,
    lock_timeout: lockMillis,
    idle_in_transaction_session_timeout: 20_000,
    client_connection_check_interval: 5_000,
    tcp_keepalives_idle: 5,
    tcp_keepalives_interval: 5,
    tcp_keepalives_count: 3,
  }
  return Object.entries(settings)
    .map(([name, value]) => `set local ${name} = ${value}`)
    .join('; ')
}

function isLockConflict(error: unknown): boolean {
  return [LOCK_NOT_AVAILABLE, DEADLOCK].includes(sqlState(error) ?? '')
}
