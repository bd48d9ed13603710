import type pg from 'pg'

import { pause } from '../repeat.ts'
import { type AppliedMigration, type Migration, pendingMigrations, readMigrations, SchemaMismatchError } from './migration-files.ts'
import { sqlState } from './refusals.ts'

/** SQLSTATEs (PostgreSQL, appendix A). */
const UNDEFINED_COLUMN = '42703'
const LOCK_NOT_AVAILABLE = '55P03'
const DEADLOCK = '40P01'

/** How long a migration first waits for a lock, and all calls that need the same table with it; then twice as long each time. */
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

interface Client {
  query<Row extends pg.QueryResultRow>(text: string | Unlimited, values?: unknown[]): Promise<{ rows: Row[] }>
  /** @param failure ends the connection, even in the middle of a statement */
  release(failure?: Error): void
}

/** Where the connection of the migrations comes from. The database must not set its statements a time-out. */
export interface MigrationPool {
  connect(): Promise<Client>
}

/** The migration that is being applied. */
export interface MigrationStep {
  name: string
  /** Its place among those that were pending, from 1. */
  number: number
  of: number
  state: 'applying' | 'applied' | 'waiting for another server' | 'waiting for locks'
  /** The process of the database that applies it. */
  backend?: number
}

export interface MigrateOptions {
  /** Ends the connection, which rolls back everything uncommitted. */
  signal?: AbortSignal
  report?: (step: MigrationStep) => void
}

/**
 * Applies the numbered `.sql` files of `folder` that this database has not seen, in order, each in a transaction of its own, however
 * long it takes. Servers that start together take turns by a lock, which the database drops with its holder's connection.
 *
 * @returns the names of the files it applied.
 * @throws SchemaMismatchError if this server cannot run on the database: it was upgraded by a newer one, or a file has changed; the
 * signal's reason if it was aborted before the first file
 */
export async function migrate(pool: MigrationPool, folder: string, options: MigrateOptions = {}): Promise<string[]> {
  const migrations = await readMigrations(folder)
  const client = await pool.connect()
  const abort = () => client.release(new Error('the migration was stopped'))
  options.signal?.addEventListener('abort', abort)
  if (options.signal?.aborted) abort()
  try {
    options.signal?.throwIfAborted()
    await ensureMigrationsTable(client)
    const pending = pendingMigrations(migrations, await readApplied(client))
    const applied = await applyAll(client, pending, options)
    pendingMigrations(migrations, await readApplied(client))
    return applied
  } finally {
    options.signal?.removeEventListener('abort', abort)
    if (!options.signal?.aborted) client.release()
  }
}

async function applyAll(client: Client, pending: readonly Migration[], { signal, report }: MigrateOptions): Promise<string[]> {
  const applied: string[] = []
  for (const [index, migration] of pending.entries()) {
    const step = { name: migration.name, number: index + 1, of: pending.length }
    const start = (backend: number) => report?.({ ...step, state: 'applying', backend })
    for (let lockMillis = FIRST_LOCK_MILLIS; ; lockMillis = Math.min(2 * lockMillis, MAX_LOCK_MILLIS)) {
      const outcome = await applyOnce(client, migration, { lockMillis, start })
      if (outcome === 'applied') applied.push(migration.name)
      if (outcome !== 'known') report?.({ ...step, state: outcome })
      if (outcome === 'applied' || outcome === 'known') break
      await pause(PAUSE_MILLIS, signal ?? new AbortController().signal)
    }
  }
  return applied
}

interface Turn {
  lockMillis: number
  start: (backend: number) => void
}

async function applyOnce(client: Client, migration: Migration, { lockMillis, start }: Turn): Promise<MigrationStep['state'] | 'known'> {
  const { name, sql, checksum, compatible } = migration
  let isOurTurn = false
  try {
    await client.query(`begin; ${sessionSettings(lockMillis)}; lock table migrations in exclusive mode`)
    isOurTurn = true
    const { rows } = await client.query<{ known: boolean; guarded: boolean; backend: number }>(
      `select exists (select from migrations where name = $1) as known, to_regproc('upgrade_servers') is not null as guarded,
        pg_backend_pid() as backend`,
      [name],
    )
    const known = rows[0]?.known === true
    if (!known) {
      start(rows[0]?.backend ?? 0)
      if (!compatible && rows[0]?.guarded) await client.query('select upgrade_servers($1)', [name.slice(0, 4)])
      await client.query({ text: sql, query_timeout: UNLIMITED_MILLIS })
      await client.query('insert into migrations (name, checksum, compatible) values ($1, $2, $3)', [name, checksum, compatible])
    }
    await client.query('commit')
    return known ? 'known' : 'applied'
  } catch (error) {
    // On a lost connection there is nothing to roll back, and the first error says more.
    await client.query('rollback').catch(() => undefined)
    if (!isLockConflict(error))
      throw new Error(`migration ${name} failed: ${error instanceof Error ? error.message : String(error)}`, { cause: error })
    return isOurTurn ? 'waiting for locks' : 'waiting for another server'
  }
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

const CREATE_TABLE = `
  create table if not exists migrations (
    name text primary key,
    checksum text not null,
    applied_at timestamptz not null default now()
  );
  alter table migrations add column if not exists compatible boolean not null default false;
  comment on table migrations is 'The migrations that were applied. A server whose own files differ from them does not start.';
  comment on column migrations.checksum is 'SHA-256 of the file, in hex.';
  comment on column migrations.compatible is 'Servers that do not know this migration may run on the database.';
`

async function ensureMigrationsTable(client: Client): Promise<void> {
  if (await hasMigrationsTable(client)) return
  // Despite `if not exists` it fails, in several ways, if another server creates the table at the same moment: then it is there.
  await client.query(CREATE_TABLE).catch(() => client.query(CREATE_TABLE))
}

async function hasMigrationsTable(client: Client): Promise<boolean> {
  const { rows } = await client.query<{ exists: boolean }>(
    `select exists (select from pg_attribute where attrelid = to_regclass('migrations') and attname = 'compatible') as exists`,
  )
  return rows[0]?.exists === true
}

async function readApplied(client: Client): Promise<AppliedMigration[]> {
  try {
    return (await client.query<AppliedMigration>('select name, checksum, compatible from migrations order by name')).rows
  } catch (error) {
    if (sqlState(error) === UNDEFINED_COLUMN) throw new SchemaMismatchError('it is older than 0.1.0')
    throw error
  }
}
