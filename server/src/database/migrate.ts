import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'

import type pg from 'pg'

/**
 * Applies the numbered `.sql` files of `folder` that this database has not seen, each in a transaction of its own.
 * Nodes that start together queue on a table lock. Gives the names it applied.
 */
export async function migrate(pool: pg.Pool, folder: string): Promise<string[]> {
  const files = (await readdir(folder)).filter((name) => /^\d{4}-.+\.sql$/.test(name)).sort()
  const client = await pool.connect()
  try {
    await ensureMigrationsTable(client)
    const applied: string[] = []
    for (const name of files) {
      if (await applyOnce(client, name, await readFile(join(folder, name), 'utf8'))) applied.push(name)
    }
    return applied
  } finally {
    client.release()
  }
}

async function ensureMigrationsTable(client: pg.PoolClient): Promise<void> {
  try {
    await client.query('create table if not exists migrations (name text primary key, applied_at timestamptz not null default now())')
  } catch (error) {
    // In spite of `if not exists` it fails, in several ways, where another node makes the table at the same moment.
    const { rows } = await client.query<{ there: boolean }>(`select to_regclass('migrations') is not null as there`)
    if (!rows[0]?.there) throw error
  }
}

async function applyOnce(client: pg.PoolClient, name: string, sql: string): Promise<boolean> {
  await client.query('begin')
  try {
    await client.query('lock table migrations in exclusive mode')
    const known = await client.query('select 1 from migrations where name = $1', [name])
    if (known.rowCount === 0) {
      await client.query(sql)
      await client.query('insert into migrations (name) values ($1)', [name])
    }
    await client.query('commit')
    return known.rowCount === 0
  } catch (error) {
    await client.query('rollback')
    throw new Error(`migration ${name} failed`, { cause: error })
  }
}
