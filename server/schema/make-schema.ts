import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import { pino } from 'pino'
import { migrate } from '../src/database/migrate.ts'
import { startEmbeddedPostgres } from '../src/embedded/postgres.ts'
import { printSchema } from './print-schema.ts'
import { printTableTypes } from './print-table-types.ts'
import { readCatalog } from './read-catalog.ts'

/** The database as migrations and functions leave it. */
interface Schema {
  /** To read. */
  sql: string
  /** The types of the query builder, in TypeScript. */
  types: string
}

/**
 * Migrates an empty database of its own, and prints what that is. However it ends, the database is stopped.
 *
 * @param dataDir an empty folder for the database
 * @param migrations the folder of the migrations; the functions lie beside it
 * @throws Error if a migration fails, or makes something that cannot be printed
 */
export async function makeSchema({ dataDir, migrations }: { dataDir: string; migrations: string }): Promise<Schema> {
  const postgres = await startEmbeddedPostgres({ dataDir, log: pino({ level: 'error' }) })
  try {
    return await printDatabase(postgres.url, migrations)
  } finally {
    await postgres.stop()
  }
}

async function printDatabase(url: string, migrations: string): Promise<Schema> {
  const pool = new pg.Pool({ connectionString: url, max: 1 })
  pool.on('error', () => undefined)
  try {
    await migrate(pool, migrations)
    return await withClient(pool, async (client) => {
      const schema = { sql: printSchema(await readCatalog(client)), types: await printTableTypes(url) }
      await untilAlone(client)
      return schema
    })
  } finally {
    await pool.end()
  }
}

/** A pool waits at its end for every client that was not given back. */
async function withClient<Result>(pool: pg.Pool, print: (client: pg.PoolClient) => Promise<Result>): Promise<Result> {
  const client = await pool.connect()
  try {
    return await print(client)
  } finally {
    client.release()
  }
}

/** A pool says that it has ended before its connections have. One that loses its database then would end this process. */
async function untilAlone(client: pg.PoolClient): Promise<void> {
  const others = `select from pg_stat_activity where backend_type = 'client backend' and pid <> pg_backend_pid()`
  while ((await client.query(others)).rowCount !== 0) await delay(20)
}
