import { applyFunctions, readFunctions } from './apply-functions.ts'
import {
  type AppliedMigration,
  isReplacement,
  type Migration,
  pendingMigrations,
  readMigrations,
  SchemaMismatchError,
} from './migration-files.ts'
import { inTurn, type MigrateOptions, type MigrationClient, runUnlimited } from './migration-turns.ts'
import { sqlState } from '../runtime/database-failures.ts'

/** SQLSTATE (PostgreSQL, appendix A). */
const UNDEFINED_COLUMN = '42703'

/** Where the connection of the migrations comes from. The database must not set its statements a time-out. */
export interface MigrationPool {
  connect(): Promise<MigrationClient>
}

/**
 * Applies the numbered `.sql` files of `folder` that this database has not seen, in order, each in a transaction of its own, and then the
 * functions in the folder `functions` beside it, if they have changed. Servers that start together take turns.
 *
 * @returns the names of the files it applied; `functions` for the functions.
 * @throws SchemaMismatchError if this server cannot run on the database: it was upgraded by a newer one, or a file has changed; the
 * signal's reason if it was aborted before the first file
 */
export async function migrate(pool: MigrationPool, folder: string, options: MigrateOptions = {}): Promise<string[]> {
  const migrations = await readMigrations(folder)
  const functions = await readFunctions(folder)
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
    const names = migrations.map(({ name }) => name)
    return (await applyFunctions(client, functions, names, options)) ? [...applied, 'functions'] : applied
  } finally {
    options.signal?.removeEventListener('abort', abort)
    if (!options.signal?.aborted) client.release()
  }
}

async function applyAll(client: MigrationClient, pending: readonly Migration[], options: MigrateOptions): Promise<string[]> {
  const applied: string[] = []
  for (const [index, migration] of pending.entries()) {
    const step = { name: migration.name, number: index + 1, of: pending.length }
    if (await inTurn(client, step, (start) => apply(client, migration, start), options)) applied.push(migration.name)
  }
  return applied
}

async function apply(client: MigrationClient, migration: Migration, start: () => Promise<void>): Promise<boolean> {
  const { name, sql, checksum, compatible } = migration
  const applied = await readApplied(client)
  if (applied.some((one) => one.name === name)) return false
  await start()
  if (!compatible && (await hasUpgradeServers(client))) await client.query('select upgrade_servers($1)', [name.slice(0, 4)])
  if (isReplacement(migration, applied)) {
    await replaceRows(client, migration)
  } else {
    await runUnlimited(client, sql)
    await client.query('insert into migrations (name, checksum, compatible) values ($1, $2, $3)', [name, checksum, compatible])
  }
  return true
}

/** A new database has no such function until the functions are applied. */
async function hasUpgradeServers(client: MigrationClient): Promise<boolean> {
  const { rows } = await client.query<{ exists: boolean }>(`select to_regproc('upgrade_servers') is not null as exists`)
  return rows[0]?.exists === true
}

/** Puts a migration in the place of those that it replaces, all of which were applied. */
async function replaceRows(client: MigrationClient, { name, checksum, compatible, replaces }: Migration): Promise<void> {
  const kept = replaces.find(({ keepsTime }) => keepsTime)?.name
  await client.query(
    `insert into migrations (name, checksum, compatible, applied_at)
      select $1, $2, $3, coalesce((select applied_at from migrations where name = $4), now())`,
    [name, checksum, compatible, kept],
  )
  await client.query('delete from migrations where name = any ($1)', [replaces.map((one) => one.name)])
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

async function ensureMigrationsTable(client: MigrationClient): Promise<void> {
  if (await hasMigrationsTable(client)) return
  // Despite `if not exists` it fails, in several ways, if another server creates the table at the same moment: then it is there.
  await client.query(CREATE_TABLE).catch(() => client.query(CREATE_TABLE))
}

async function hasMigrationsTable(client: MigrationClient): Promise<boolean> {
  const { rows } = await client.query<{ exists: boolean }>(
    `select exists (select from pg_attribute where attrelid = to_regclass('migrations') and attname = 'compatible') as exists`,
  )
  return rows[0]?.exists === true
}

async function readApplied(client: MigrationClient): Promise<AppliedMigration[]> {
  try {
    return (await client.query<AppliedMigration>('select name, checksum, compatible from migrations order by name')).rows
  } catch (error) {
    if (sqlState(error) === UNDEFINED_COLUMN) throw new SchemaMismatchError('it is older than 0.1.0')
    throw error
  }
}
