import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'

import pg from 'pg'
import { pino } from 'pino'

import { migrate } from '../src/database/migrate.ts'
import { startEmbeddedPostgres } from '../src/embedded/postgres/postgres.ts'
import { printSchema } from './print-schema.ts'
import { printTableTypes } from './print-table-types.ts'
import { readCatalog } from './read-catalog.ts'

/** `npm run schema`: migrates an empty database of its own and writes what that is, as SQL to read and as types for the query builder. */
const server = (path: string) => fileURLToPath(new URL(`../${path}`, import.meta.url))

const folder = await mkdtemp(join(tmpdir(), 'juicebar-schema-'))
const postgres = await startEmbeddedPostgres({ dataDir: folder, log: pino({ level: 'error' }) })
const pool = new pg.Pool({ connectionString: postgres.url, max: 1 })
pool.on('error', () => undefined)
try {
  await migrate(pool, server('migrations'))
  const client = await pool.connect()
  await writeFile(server('schema.sql'), printSchema(await readCatalog(client)))
  await writeFile(server('src/database/schema.ts'), await printTableTypes(postgres.url))
  await untilAlone(client)
  client.release()
} finally {
  await pool.end()
  await postgres.stop()
  await rm(folder, { recursive: true })
}

/** A pool says that it has ended before its connections have. One that loses its database then would end this process. */
async function untilAlone(client: pg.PoolClient): Promise<void> {
  const others = `select from pg_stat_activity where backend_type = 'client backend' and pid <> pg_backend_pid()`
  while ((await client.query(others)).rowCount !== 0) await delay(20)
}
