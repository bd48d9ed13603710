import { createHash } from 'node:crypto'
import { mkdir, readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import { pino } from 'pino'
import { recordCatalogue } from '../../src/inventory/record-catalogue.ts'
import { connectDatabase } from '../../src/database/connect.ts'
import { migrate } from '../../src/database/migrate.ts'
import { openDataDir } from '../../src/embedded/data-dir.ts'
import { startEmbeddedPostgres } from '../../src/embedded/postgres.ts'
import { catalogue, tokens } from './catalogue.ts'
import { fillMarket } from './fill-market.ts'

const folder = fileURLToPath(new URL('../../../.cache/bench', import.meta.url))
const migrations = fileURLToPath(new URL('../../migrations', import.meta.url))
const functions = fileURLToPath(new URL('../../functions', import.meta.url))

export interface BenchDatabases {
  /** The URL of a market with this many active listings. It is created by the first run and kept. */
  market(listings: number): Promise<string>
  /** The URL of a new, empty database. */
  empty(): Promise<string>
  /** The URL of a new database of this name, which this SQL makes. */
  other(name: string, sql: string): Promise<string>
  stop(): Promise<void>
}

/** Starts the embedded PostgreSQL with its data in `.cache/bench`. */
export async function openBenchDatabases(say: (sentence: string) => void): Promise<BenchDatabases> {
  await mkdir(folder, { recursive: true })
  const dataDir = await openDataDir(folder)
  const postgres = await startEmbeddedPostgres({ dataDir: dataDir.path, log: pino({ level: 'error' }) })
  const fingerprint = await fingerprintMarket()
  const urlOf = (name: string) => new URL(`/${name}`, postgres.url).href
  const createBare = async (name: string) => {
    await run(postgres.url, `drop database if exists ${name} with (force)`)
    await run(postgres.url, `create database ${name}`)
  }
  const create = async (name: string) => {
    await createBare(name)
    const pool = new pg.Pool({ connectionString: urlOf(name), max: 1 })
    await migrate(pool, migrations)
    await pool.end()
    const { database, close } = connectDatabase(urlOf(name), () => undefined)
    await recordCatalogue(database, catalogue)
    await close()
    return urlOf(name)
  }

  return {
    market: async (listings) => {
      const name = `market_${listings}`
      if ((await readMark(postgres.url, name)) === fingerprint) return urlOf(name)
      say(`filling a market with ${listings.toLocaleString('en')} listings, once ...`)
      const url = await create(name)
      const client = new pg.Client({ connectionString: url })
      await client.connect()
      await fillMarket(client, listings)
      await client.query(`comment on database ${name} is '${fingerprint}'`)
      await client.end()
      return url
    },
    empty: () => create('empty'),
    other: async (name, sql) => {
      await createBare(name)
      await run(urlOf(name), sql)
      return urlOf(name)
    },
    stop: async () => {
      await postgres.stop()
      await dataDir.release()
    },
  }
}

/** A filled market is marked with this. One without it is unfinished, or of other migrations, functions or items, and is created again. */
async function fingerprintMarket(): Promise<string> {
  const hash = createHash('sha256').update(tokens.join())
  for (const folder of [migrations, functions]) {
    for (const file of (await readdir(folder)).sort()) hash.update(await readFile(join(folder, file)))
  }
  return hash.digest('hex')
}

async function readMark(adminUrl: string, name: string): Promise<string | null | undefined> {
  const rows = await run<{ mark: string | null }>(
    adminUrl,
    `select shobj_description(oid, 'pg_database') as mark from pg_database where datname = '${name}'`,
  )
  return rows[0]?.mark
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
