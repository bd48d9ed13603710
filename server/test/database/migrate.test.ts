import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

import pg from 'pg'
import { describe, expect, it, onTestFinished } from 'vitest'

import { connectDatabase } from '../../src/database/connect.ts'
import { migrate } from '../../src/database/migrate.ts'
import { SchemaMismatchError } from '../../src/database/migration-files.ts'
import { freshDatabase } from '../support/fresh-database.ts'
import { migrationsFolder as folder, newerMigrations } from '../support/migrations-folder.ts'

async function openEmptyDatabase() {
  const empty = await freshDatabase('template0')
  const pool = new pg.Pool({ connectionString: empty.url })
  // A pool says that it has ended before its connections have: dropping the database may end them first.
  pool.on('error', () => undefined)
  onTestFinished(async () => {
    await pool.end()
    await empty.drop()
  })
  return pool
}

it('servers that start together on an empty database migrate it once', async () => {
  const pool = await openEmptyDatabase()
  const applied = await Promise.all(Array.from({ length: 4 }, () => migrate(pool, folder)))
  expect(applied.flat().toSorted()).toEqual([...new Set(applied.flat())].toSorted())
  expect(applied.flat()).not.toHaveLength(0)
})

it('a server continues if another one creates the table of migrations at the same moment', async () => {
  const pool = await openEmptyDatabase()
  const other = await pool.connect()
  await other.query('begin')
  await other.query(
    'create table migrations (name text primary key, checksum text not null, applied_at timestamptz not null default now())',
  )
  const migrated = migrate(pool, folder)
  const blocked = `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
  await expect.poll(async () => (await pool.query(blocked)).rowCount).toBe(1)
  await other.query('commit')
  other.release()
  expect(await migrated).not.toHaveLength(0)
})

describe('a database of another version is refused', () => {
  it.each([
    ['it has no checksums', 'alter table migrations drop column checksum', 'it is older than 0.1.0'],
    [
      'a file that it applied has changed',
      `update migrations set checksum = 'of another text' where name like '0004-%'`,
      "its migration 0004-listings.sql differs from this version's",
    ],
    [
      'it applied a file that this version lacks',
      `insert into migrations (name, checksum) values ('9999-later.sql', 'of a later version')`,
      'it has migration 9999-later.sql, which this version lacks',
    ],
  ])('because %s', async (_why, change, difference) => {
    const pool = await openEmptyDatabase()
    await migrate(pool, folder)
    await pool.query(change)
    const refusal = migrate(pool, folder)
    await expect(refusal).rejects.toThrow(SchemaMismatchError)
    await expect(refusal).rejects.toThrow(`This database was created by another version of this server: ${difference}. Start that version`)
  })

  it('and nothing is applied to it', async () => {
    const pool = await openEmptyDatabase()
    await migrate(pool, folder)
    await pool.query(`delete from migrations where name like '0005-%'; update migrations set checksum = '' where name like '0001-%'`)
    await expect(migrate(pool, folder)).rejects.toThrow(SchemaMismatchError)
    expect((await pool.query(`select from migrations where name like '0005-%'`)).rowCount).toBe(0)
  })
})

it('a migration that is stopped while it waits for its connection gives it back and applies nothing', async () => {
  const pool = await openEmptyDatabase()
  const stopping = new AbortController()
  const slowPool = {
    connect: async () => {
      const client = await pool.connect()
      stopping.abort()
      return client
    },
  }
  await expect(migrate(slowPool, folder, { signal: stopping.signal })).rejects.toThrow('aborted')
  expect(pool.totalCount).toBe(0)
  expect((await pool.query(`select from pg_class where relname = 'migrations'`)).rowCount).toBe(0)
})

it('a database whose tables a migration holds is busy, not away', async () => {
  const { url, drop } = await freshDatabase()
  const connection = connectDatabase(url, () => undefined)
  onTestFinished(() => connection.close().then(drop))
  const migration = await connection.migrationPool.connect()
  await migration.query('begin')
  const { rows } = await migration.query<{ all: string }>(
    `select string_agg(oid::regclass::text, ', ') as "all" from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r'`,
  )
  await migration.query(`lock table ${rows[0]?.all} in access exclusive mode`)
  await connection.probe()
  const failed: unknown[] = []
  const stop = connection.watchCommits({ failed: (error) => void failed.push(error), outageOf: () => undefined })
  const commits = `select from pg_stat_activity where application_name = 'juicebar-watch' and query like '%pg_logical_emit_message%' and state = 'idle'`
  await expect.poll(async () => failed.length || (await connection.pool.query(commits)).rowCount).toBe(1)
  await stop()
  expect(failed).toEqual([])
  await migration.query('rollback')
  migration.release()
})

it('a file checked out with other line ends is the same file', async () => {
  const pool = await openEmptyDatabase()
  await migrate(pool, folder)
  const copy = await newerMigrations({})
  for (const part of [copy, join(copy, '../functions')]) {
    for (const name of await readdir(part)) {
      await writeFile(join(part, name), (await readFile(join(part, name), 'utf8')).replaceAll('\n', '\r\n'))
    }
  }
  expect(await migrate(pool, copy)).toEqual([])
})
