import { randomBytes } from 'node:crypto'

import pg from 'pg'
import { inject } from 'vitest'

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
    drop: () => administer(`drop database ${name} with (force)`),
  }
}

async function administer(sql: string): Promise<void> {
  const client = new pg.Client({ connectionString: inject('adminUrl') })
  await client.connect()
  try {
    await client.query(sql)
  } finally {
    await client.end()
  }
}
