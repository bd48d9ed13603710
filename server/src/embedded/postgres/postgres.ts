import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'

import pg from 'pg'
import { type BaseLogger } from 'pino'

import { findFreePort } from '../free-port.ts'
import { keepRunning } from '../supervise.ts'
import { ensureCluster, SUPERUSER } from './cluster.ts'
import { choosePlace, type Place } from './location.ts'
import { installPrograms } from './binaries.ts'
import { ServerRefusal, startServer, type ServerPlan } from './server.ts'
import { readSecretFile, writeFileSafely } from '../data-dir/secret-file.ts'

export interface EmbeddedPostgres {
  /** Stays the same until `stop`, also when the server died and was started again. Holds the password. */
  url: string
  /** Ends the sessions, writes everything out and waits for the server's end. */
  stop(): Promise<void>
}

interface Options {
  /** A folder that this process alone uses. */
  dataDir: string
  log: Pick<BaseLogger, 'info' | 'warn' | 'error'>
}

const DATABASE = 'juicebar'
const RETRY_MILLIS = 15_000
const RETRY_PAUSE_MILLIS = 200

/** After a hard kill the dead server's processes and shared memory may stay for about 2 s. */
const STILL_BUSY = /shared memory block .* still in use|lock file .* already exists|is another (postmaster|postgres)/
const PORT_TAKEN = /could not bind|could not create any TCP\/IP sockets/

/**
 * Starts a real PostgreSQL on 127.0.0.1 that keeps its data in a folder and stops when this process ends, however it ends.
 * A server that dies is started again. Throws a sentence where this machine cannot run one.
 */
export async function startEmbeddedPostgres({ dataDir, log }: Options): Promise<EmbeddedPostgres> {
  const place = await choosePlace(dataDir)
  const programs = await installPrograms(place.folder)
  const password = await readSecretFile(join(dataDir, 'POSTGRES_PASSWORD'))
  const cluster = await ensureCluster(place, programs, password)
  const planFor = (port: number) => ({
    place,
    cluster,
    program: programs.postgres,
    port,
    adminUrl: databaseUrl(password, port, 'postgres'),
  })

  const { plan, server } = await startOnFreePort(place, planFor)
  await ensureDatabase(plan.adminUrl)
  log.info({ folder: place.folder, port: plan.port }, 'embedded PostgreSQL runs')
  const stop = keepRunning(server, { name: 'embedded PostgreSQL', start: () => startServer(plan), log })
  return { url: databaseUrl(password, plan.port, DATABASE), stop }
}

function databaseUrl(password: string, port: number, database: string): string {
  return `postgresql://${SUPERUSER}:${password}@127.0.0.1:${port}/${database}`
}

async function startOnFreePort(place: Place, planFor: (port: number) => ServerPlan) {
  const portFile = join(place.folder, 'postgres-port')
  let preferred = await readPort(portFile)
  for (const deadline = Date.now() + RETRY_MILLIS; ;) {
    const plan = planFor(await findFreePort(preferred))
    try {
      const server = await startServer(plan)
      await writeFileSafely(portFile, `${plan.port}\n`)
      return { plan, server }
    } catch (error) {
      if (!(error instanceof ServerRefusal) || Date.now() >= deadline) throw error
      if (PORT_TAKEN.test(error.complaint)) preferred = undefined
      else if (!STILL_BUSY.test(error.complaint)) throw error
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
