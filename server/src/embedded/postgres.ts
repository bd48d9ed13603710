import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import { type BaseLogger } from 'pino'
import { findFreePort } from './free-port.ts'
import { readSecretFile, writeFileAtomically } from './data-dir.ts'
import { supervise } from './supervise.ts'
import { installBinaries } from './postgres-binaries.ts'
import { ensureCluster, SUPERUSER, chooseLocation, type Location } from './postgres-cluster.ts'
import { type ServerPlan, ServerStartError, startServer } from './postgres-server.ts'

export interface EmbeddedPostgres {
  /** Contains the password. Stays the same until `stop`, even if the server is restarted. */
  url: string
  /** Tells these files from a copy of them, such as a restored backup. */
  files: string
  /** Shuts the server down and waits for its end. */
  stop(): Promise<void>
}

interface Options {
  /** A folder that no other process uses. */
  dataDir: string
  log: Pick<BaseLogger, 'info' | 'warn' | 'error'>
}

const DATABASE = 'juicebar'
const RETRY_MILLIS = 15_000
const RETRY_PAUSE_MILLIS = 200

/** After a hard kill the dead server's processes and shared memory can remain for about 2 s. */
const STILL_BUSY = /shared memory block .* still in use|lock file .* already exists|is another (postmaster|postgres)/
const PORT_TAKEN = /could not bind|could not create any TCP\/IP sockets/

/**
 * Starts a PostgreSQL server on 127.0.0.1 with its data in `dataDir`. It is restarted if it dies and stops when this process ends,
 * however that happens.
 * @throws Error, with a sentence that says what to do, if this machine cannot run one
 */
export async function startEmbeddedPostgres({ dataDir, log }: Options): Promise<EmbeddedPostgres> {
  const location = await chooseLocation(dataDir)
  const binaries = await installBinaries(location.folder)
  const password = await readSecretFile(join(dataDir, 'POSTGRES_PASSWORD'))
  const cluster = await ensureCluster(location, binaries, password)
  const planFor = (port: number) => ({
    location,
    cluster,
    binary: binaries.postgres,
    port,
    adminUrl: databaseUrl(password, port, 'postgres'),
  })

  const { plan, server } = await startOnFreePort(location, planFor)
  await ensureDatabase(plan.adminUrl)
  log.info({ folder: location.folder, port: plan.port }, 'the embedded PostgreSQL is running')
  const stop = supervise(server, { name: 'the embedded PostgreSQL', start: () => startServer(plan), log })
  return { url: databaseUrl(password, plan.port, DATABASE), files: await filesOf(cluster), stop }
}

/** A file that is copied gets another number, and is born later. Changing its owner or its mode alters neither. */
async function filesOf(cluster: string): Promise<string> {
  const { ino, birthtimeNs } = await stat(join(cluster, 'PG_VERSION'), { bigint: true })
  return `${ino} ${birthtimeNs}`
}

function databaseUrl(password: string, port: number, database: string): string {
  return `postgresql://${SUPERUSER}:${password}@127.0.0.1:${port}/${database}`
}

async function startOnFreePort(location: Location, planFor: (port: number) => ServerPlan) {
  const portFile = join(location.folder, 'postgres-port')
  let preferred = await readPort(portFile)
  for (const deadline = Date.now() + RETRY_MILLIS; ;) {
    const plan = planFor(await findFreePort(preferred))
    try {
      const server = await startServer(plan)
      await writeFileAtomically(portFile, `${plan.port}\n`)
      return { plan, server }
    } catch (error) {
      if (!(error instanceof ServerStartError) || Date.now() >= deadline) throw error
      if (PORT_TAKEN.test(error.output)) preferred = undefined
      else if (!STILL_BUSY.test(error.output)) throw error
      await delay(RETRY_PAUSE_MILLIS)
    }
  }
}

async function readPort(file: string): Promise<number | undefined> {
  const port = Number(await readFile(file, 'utf8').catch(() => ''))
  return Number.isInteger(port) && port > 0 && port < 65_536 ? port : undefined
}

async function ensureDatabase(adminUrl: string): Promise<void> {
  const client = new pg.Client({ connectionString: adminUrl })
  await client.connect()
  try {
    const known = await client.query('select from pg_database where datname = $1', [DATABASE])
    if (known.rowCount === 0) await client.query(`create database ${DATABASE}`)
  } finally {
    await client.end()
  }
}
