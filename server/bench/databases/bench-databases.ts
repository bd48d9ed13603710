import { createHash } from 'node:crypto'
import { mkdir, readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

import pg from 'pg'
import { pino } from 'pino'

import { migrate } from '../../src/database/migrate.ts'
import { openDataDir } from '../../src/embedded/data-dir/data-dir.ts'
import { startEmbeddedPostgres } from '../../src/embedded/postgres/postgres.ts'
import { fillMarket } from './fill-market.ts'

const folder = fileURLToPath(new URL('../../../.cache/bench', import.meta.url))
const migrations = fileURLToPath(new URL('../../migrations', import.meta.url))

export interface BenchDatabases {
  /** The URL of a market with so many active listings; made at the first run and kept. */
  market(lots: number): Promise<string>
  /** The URL of a new, empty database. */
  empty(): Promise<string>
  stop(): Promise<void>
}

/** Starts the bench's own PostgreSQL, the one that the product embeds, with its data in `.cache/bench`. */
export async function openBenchDatabases(tell: (sentence: string) => void): Promise<BenchDatabases> {
  await mkdir(folder, { recursive: true })
  const dataDir = await openDataDir(folder)
  const postgres = await startEmbeddedPostgres({ dataDir: dataDir.path, log: pino({ level: 'error' }) })
  const tables = await fingerprintTables()
  const urlOf = (name: string) => new URL(`/${name}`, postgres.url).href
  const create = async (name: string) => {
    await run(postgres.url, `drop database if exists ${name} with (force)`)
    await run(postgres.url, `create database ${name}`)
    const pool = new pg.Pool({ connectionString: urlOf(name), max: 1 })
    await migrate(pool, migrations)
    await pool.end()
    return urlOf(name)
  }

  return {
    market: async (lots) => {
      const name = `market_${lots}`
      if ((await readNote(postgres.url, name)) === tables) return urlOf(name)
      tell(`filling a market with ${lots.toLocaleString('en')} listings, once ...`)
      const url = await create(name)
      const client = new pg.Client({ connectionString: url })
      await client.connect()
      await fillMarket(client, lots)
      await client.query(`comment on database ${name} is '${tables}'`)
      await client.end()
      return url
    },
    empty: () => create('trades'),
    stop: async () => {
      await postgres.stop()
      await dataDir.release()
    },
  }
}

/** What a filled market is marked with: it is made anew where it was left unfinished or the tables have changed since. */
async function fingerprintTables(): Promise<string> {
  const hash = createHash('sha256')
  for (const file of (await readdir(migrations)).sort()) hash.update(await readFile(join(migrations, file)))
  return hash.digest('hex')
}

async function readNote(adminUrl: string, name: string): Promise<string | null | undefined> {
  const rows = await run<{ note: string | null }>(
    adminUrl,
    `select shobj_description(oid, 'pg_database') as note from pg_database where datname = '${name}'`,
  )
  return rows[0]?.note
}

async function run<Row extends pg.QueryResultRow>(url: string, sql: string): Promise<Row[]> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return (await client.query<Row>(sql)).rows
  } finally {
    await client.end()
  }
}
