import { readFile } from 'node:fs/promises'

import pg from 'pg'
import { expect, it, onTestFinished } from 'vitest'

import { migrate } from '../../src/database/migrate.ts'
import { SchemaMismatchError } from '../../src/database/migration-files.ts'
import { type MigrationStep } from '../../src/database/migration-turns.ts'
import { freshDatabase } from '../support/fresh-database.ts'
import { applyMigrationsOf010, migrationsFolder, stepsSinceRelease } from '../support/migrations-folder.ts'

async function openEmptyDatabase() {
  const fresh = await freshDatabase('template0')
  const pool = new pg.Pool({ connectionString: fresh.url })
  // A pool says that it has ended before its connections have: dropping the database may end them first.
  pool.on('error', () => undefined)
  onTestFinished(async () => {
    await pool.end()
    await fresh.drop()
  })
  return pool
}

async function openDatabaseOf020() {
  const pool = await openEmptyDatabase()
  await pool.query(await readFile(new URL('0.2.0.sql', import.meta.url), 'utf8'))
  return pool
}

const readApplied = async (pool: pg.Pool) => (await pool.query<{ name: string }>('select * from migrations order by name')).rows
const newMigrations = stepsSinceRelease.slice(0, -1)

it('servers that start together on a database of 0.2.0 replace its migrations once', async () => {
  const pool = await openDatabaseOf020()
  const applied = await Promise.all(Array.from({ length: 4 }, () => migrate(pool, migrationsFolder)))
  expect(applied.flat().toSorted()).toEqual(stepsSinceRelease)
  const names = (await readApplied(pool)).map(({ name }) => name)
  expect(names.map((name) => name.slice(0, 4))).toEqual([
    '0001',
    '0002',
    '0003',
    '0004',
    '0005',
    ...newMigrations.map((name) => name.slice(0, 4)),
  ])
})

it('servers of 0.2.0 write nothing any more', async () => {
  const pool = await openDatabaseOf020()
  const write = `begin; set local application_name = 'juicebar 0031'; update listings set amount = 1 where false; commit`
  await pool.query(write)
  await migrate(pool, migrationsFolder)
  const client = await pool.connect()
  await expect(client.query(write)).rejects.toMatchObject({ code: 'JB002' })
  client.release(true)
})

it('a server that is stopped while it replaces them leaves them as they were, and the next one goes on', async () => {
  const pool = await openDatabaseOf020()
  const before = await readApplied(pool)
  // What servers of 0.2.0 have begun to write is waited for.
  const older = await pool.connect()
  await older.query('begin; update listings set amount = 1 where false')
  const steps: MigrationStep[] = []
  const stopping = new AbortController()
  const stopped = migrate(pool, migrationsFolder, { signal: stopping.signal, report: (step) => steps.push(step) })
  await expect.poll(() => steps.map(({ state }) => state), { timeout: 10_000 }).toContain('waiting for locks')
  stopping.abort()
  await expect(stopped).rejects.toThrow()
  expect(steps[0]).toMatchObject({ name: stepsSinceRelease[0], number: 1, of: newMigrations.length, state: 'applying' })
  expect(await readApplied(pool)).toEqual(before)
  await older.query('commit')
  older.release()
  expect(await migrate(pool, migrationsFolder)).toEqual(stepsSinceRelease)
})

it('a database between releases is refused, and nothing is applied to it', async () => {
  const pool = await openEmptyDatabase()
  await applyMigrationsOf010(pool)
  await pool.query(`insert into migrations (name, checksum) values ('0006-holds.sql', $1)`, [
    '6736d0eb21196d0c9bdc06ca007248d8a56e7eb00f9f6488a87772416853f99a',
  ])
  const refusal = migrate(pool, migrationsFolder)
  await expect(refusal).rejects.toThrow(SchemaMismatchError)
  await expect(refusal).rejects.toThrow(
    'it has 1 of the 23 migrations of 0.2.0. Databases between releases are not supported: 0.2.0 must run on it first',
  )
  expect((await pool.query(`select to_regclass('purchase_items') is null as missing`)).rows).toEqual([{ missing: true }])
})
