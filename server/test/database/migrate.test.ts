import pg from 'pg'
import { expect, it, onTestFinished, vi } from 'vitest'

import { migrate } from '../../src/database/migrate.ts'
import { freshDatabase } from '../support/fresh-database.ts'

const folder = new URL('../../migrations', import.meta.url).pathname

async function openEmptyDatabase() {
  const empty = await freshDatabase('template0')
  const pool = new pg.Pool({ connectionString: empty.url })
  onTestFinished(async () => {
    await pool.end()
    await empty.drop()
  })
  return pool
}

it('nodes that start together on an empty database migrate it once', async () => {
  const pool = await openEmptyDatabase()
  const applied = await Promise.all(Array.from({ length: 4 }, () => migrate(pool, folder)))
  expect(applied.flat().toSorted()).toEqual([...new Set(applied.flat())].toSorted())
  expect(applied.flat()).not.toHaveLength(0)
})

it('a node goes on where another one makes the table of migrations at the same moment', async () => {
  const pool = await openEmptyDatabase()
  const other = await pool.connect()
  await other.query('begin')
  await other.query('create table migrations (name text primary key, applied_at timestamptz not null default now())')
  const migrated = migrate(pool, folder)
  await vi.waitFor(async () => {
    const { rowCount } = await pool.query(`select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`)
    expect(rowCount).toBe(1)
  })
  await other.query('commit')
  other.release()
  expect(await migrated).not.toHaveLength(0)
})
