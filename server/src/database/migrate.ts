import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'

import type pg from 'pg'

import { sqlState } from './refusals.ts'

/** SQLSTATE (PostgreSQL, appendix A). */
const UNDEFINED_COLUMN = '42703'

/** Another version's migrations were applied to the database. The message is for whoever runs the server. */
export class SchemaMismatchError extends Error {
  constructor(difference: string) {
    super(
      `This database was created by another version of this server: ${difference}. Start that version again, or, if the data is not ` +
        'needed, delete the data folder (with DATABASE_URL: the database) and start with an empty one.',
    )
    this.name = 'SchemaMismatchError'
  }
}

interface Migration {
  name: string
  sql: string
  checksum: string
}

/**
 * Applies the numbered `.sql` files of `folder` that this database has not seen, in order, each in a transaction of its own. Servers
 * that start together wait for each other on a table lock.
 *
 * @returns the names of the files it applied.
 * @throws SchemaMismatchError if other files were applied to the database, or a file has changed since it was applied.
 */
export async function migrate(pool: pg.Pool, folder: string): Promise<string[]> {
  const migrations = await readMigrations(folder)
  const client = await pool.connect()
  try {
    await ensureMigrationsTable(client)
    await requireSameVersion(client, migrations)
    const applied: string[] = []
    for (const migration of migrations) if (await applyOnce(client, migration)) applied.push(migration.name)
    return applied
  } finally {
    client.release()
  }
}

async function readMigrations(folder: string): Promise<Migration[]> {
  const names = (await readdir(folder)).filter((name) => /^\d{4}-.+\.sql$/.test(name)).sort()
  return Promise.all(
    names.map(async (name) => {
      // Git may check files out with other line ends.
      const sql = (await readFile(join(folder, name), 'utf8')).replaceAll('\r\n', '\n')
      return { name, sql, checksum: createHash('sha256').update(sql).digest('hex') }
    }),
  )
}

const CREATE_TABLE = `
  create table if not exists migrations (
    name text primary key,
    checksum text not null,
    applied_at timestamptz not null default now()
  );
  comment on table migrations is 'The migrations that were applied. A server whose own files differ from them does not start.';
  comment on column migrations.checksum is 'SHA-256 of the file, in hex.';
`

async function ensureMigrationsTable(client: pg.PoolClient): Promise<void> {
  if (await hasMigrationsTable(client)) return
  try {
    await client.query(CREATE_TABLE)
  } catch (error) {
    // Despite `if not exists` it fails, in several ways, if another server creates the table at the same moment.
    if (!(await hasMigrationsTable(client))) throw error
  }
}

async function hasMigrationsTable(client: pg.PoolClient): Promise<boolean> {
  const { rows } = await client.query<{ exists: boolean }>(`select to_regclass('migrations') is not null as exists`)
  return rows[0]?.exists === true
}

async function requireSameVersion(client: pg.PoolClient, migrations: readonly Migration[]): Promise<void> {
  const own = new Map(migrations.map(({ name, checksum }) => [name, checksum]))
  for (const { name, checksum } of await readApplied(client)) {
    if (!own.has(name)) throw new SchemaMismatchError(`it has migration ${name}, which this version lacks`)
    if (own.get(name) !== checksum) throw new SchemaMismatchError(`its migration ${name} differs from this version's`)
  }
}

async function readApplied(client: pg.PoolClient): Promise<Pick<Migration, 'name' | 'checksum'>[]> {
  try {
    return (await client.query<Pick<Migration, 'name' | 'checksum'>>('select name, checksum from migrations order by name')).rows
  } catch (error) {
    if (sqlState(error) === UNDEFINED_COLUMN) throw new SchemaMismatchError('it is older than 0.1.0')
    throw error
  }
}

async function applyOnce(client: pg.PoolClient, { name, sql, checksum }: Migration): Promise<boolean> {
  await client.query('begin')
  try {
    await client.query('lock table migrations in exclusive mode')
    const known = await client.query('select 1 from migrations where name = $1', [name])
    if (known.rowCount === 0) {
      await client.query(sql)
      await client.query('insert into migrations (name, checksum) values ($1, $2)', [name, checksum])
    }
    await client.query('commit')
    return known.rowCount === 0
  } catch (error) {
    await client.query('rollback')
    throw new Error(`migration ${name} failed`, { cause: error })
  }
}
