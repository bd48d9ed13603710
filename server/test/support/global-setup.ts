import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import { pino } from 'pino'
import { type TestProject } from 'vitest/node'
import { migrate } from '../../src/database/migrate.ts'
import { startEmbeddedPostgres } from '../../src/embedded/postgres.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** Connects to the database of PostgreSQL itself, from which others are created. */
    adminUrl: string
    /** A migrated database from which others are copied; nothing connects to it. */
    templateDatabase: string
  }
}

const TEMPLATE = 'juicebar_template'
const migrations = fileURLToPath(new URL('../../migrations', import.meta.url))

/** Starts one real PostgreSQL for all test files and migrates the database that theirs are copied from. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const folder = await mkdtemp(join(tmpdir(), 'juicebar-test-'))
  const postgres = await startEmbeddedPostgres({ dataDir: folder, log: pino({ level: 'error' }) })
  await forgetDurability(postgres.url)
  await makeTemplate(postgres.url)
  project.provide('adminUrl', postgres.url)
  project.provide('templateDatabase', TEMPLATE)
  return async () => {
    await postgres.stop()
    await rm(folder, { recursive: true })
  }
}

/** Nobody reads this cluster after a crash. Tests that kill a database start one of their own. */
async function forgetDurability(adminUrl: string): Promise<void> {
  const admin = new pg.Client({ connectionString: adminUrl })
  await admin.connect()
  for (const setting of ['fsync', 'synchronous_commit', 'full_page_writes']) await admin.query(`alter system set ${setting} = off`)
  await admin.query('select pg_reload_conf()')
  await admin.end()
}

async function makeTemplate(adminUrl: string): Promise<void> {
  const admin = new pg.Client({ connectionString: adminUrl })
  await admin.connect()
  await admin.query(`create database ${TEMPLATE}`)
  await admin.end()
  const pool = new pg.Pool({ connectionString: databaseUrl(adminUrl, TEMPLATE) })
  await migrate(pool, migrations)
  await pool.end()
}

function databaseUrl(adminUrl: string, database: string): string {
  return new URL(`/${database}`, adminUrl).href
}
