import { randomBytes } from 'node:crypto'

import pg from 'pg'
import { afterAll, beforeAll, inject } from 'vitest'

import { connectDatabase, type DatabaseConnection } from '../../src/database/connect.ts'
import { FEW_CONNECTIONS } from './few-connections.ts'

/** A test file's own database on a real PostgreSQL, migrated and empty. */
export interface FreshDatabase {
  url: string
  /** Closes its connections and deletes it. */
  drop(): Promise<void>
}

/** Copies the migrated database, or another template. */
export async function freshDatabase(template = inject('templateDatabase')): Promise<FreshDatabase> {
  const name = `test_${randomBytes(8).toString('hex')}`
  await administer(`create database ${name} template ${template}`)
  return {
    url: new URL(`/${name}`, inject('adminUrl')).href,
    drop: () => administer(untilUnused(name), `drop database ${name} with (force)`),
  }
}

/**
 * Waits up to a second for connections to close that have just been ended: if the database ended them as well, they would fail, and nobody
 * listens any more.
 */
const untilUnused = (name: string) => `
  do $$ begin
    for tries in 1..200 loop
      exit when not exists (select from pg_stat_activity where datname = '${name}');
      perform pg_sleep(0.005), pg_stat_clear_snapshot();
    end loop;
  end $$`

/** The database of a test file, with a server's connection to it. */
export type FileDatabase = Pick<FreshDatabase, 'url'> & Pick<DatabaseConnection, 'pool' | 'database'> & { connection: DatabaseConnection }

/** A database of its own for a test file, migrated and empty, from its first test to its last. */
export function useDatabase(): FileDatabase {
  const opened = {} as FileDatabase
  let fresh: FreshDatabase
  beforeAll(async () => {
    fresh = await freshDatabase()
    const connection = connectDatabase(fresh.url, () => undefined, FEW_CONNECTIONS)
    Object.assign(opened, { url: fresh.url, connection, pool: connection.pool, database: connection.database })
  })
  afterAll(async () => {
    await opened.connection.close()
    await fresh.drop()
  })
  return opened
}

async function administer(...statements: readonly string[]): Promise<void> {
  const client = new pg.Client({ connectionString: inject('adminUrl') })
  await client.connect()
  try {
    for (const statement of statements) await client.query(statement)
  } finally {
    await client.end()
  }
}
