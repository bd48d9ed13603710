import { randomBytes } from 'node:crypto'

import pg from 'pg'
import { inject } from 'vitest'

/** A migrated, empty database of a test file's own, on a real PostgreSQL. */
export interface FreshDatabase {
  url: string
  /** Ends what is still connected, and deletes it. */
  drop(): Promise<void>
}

/** Makes a copy of the migrated database, or of another one. */
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
