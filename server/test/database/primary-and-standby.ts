import { execFileSync } from 'node:child_process'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import { migrate } from '../../src/database/migrate.ts'
import { findFreePort } from '../../src/embedded/free-port.ts'
import { installBinaries } from '../../src/embedded/postgres-binaries.ts'
import { ensureCluster, SUPERUSER, chooseLocation, clusterFolder, type Location } from '../../src/embedded/postgres-cluster.ts'
import { startServer } from '../../src/embedded/postgres-server.ts'
import { type ChildService } from '../../src/embedded/supervise.ts'

/** One of two real PostgreSQL servers. */
export interface Node {
  url: string
  port: number
  /** Runs SQL on this very server. */
  run<Row extends pg.QueryResultRow>(sql: string, values?: unknown[]): Promise<Row[]>
}

export interface PrimaryAndStandby {
  primary: Node
  /** A hot stand-by that replicates from the primary by streaming, asynchronously. */
  standby: Node
  stop(): Promise<void>
}

const PASSWORD = 'password'
const DATABASE = 'market'
const migrations = fileURLToPath(new URL('../../migrations', import.meta.url))

/** Starts a primary with a migrated database, and a stand-by made from its base backup. */
export async function startPrimaryAndStandby(): Promise<PrimaryAndStandby> {
  const folder = await mkdtemp(join(tmpdir(), 'juicebar-standby-'))
  const places = await Promise.all(['primary', 'standby'].map((name) => createPlace(folder, name)))
  const [primaryPlace, standbyPlace] = places as [Location, Location]
  const binaries = await installBinaries(primaryPlace.folder)
  const start = async (location: Location) => {
    const port = await findFreePort()
    const plan = { location, cluster: clusterFolder(location), binary: binaries.postgres, port, adminUrl: urlOf(port, 'postgres') }
    return { service: await startServer(plan), node: openNode(port) }
  }

  await ensureCluster(primaryPlace, binaries, PASSWORD)
  const primary = await start(primaryPlace)
  await createMarket(primary.node)
  await copyCluster(primary.node, primaryPlace, standbyPlace)
  const standby = await start(standbyPlace)
  return { primary: primary.node, standby: standby.node, stop: () => stopAll([standby.service, primary.service], [...places, folder]) }
}

async function createPlace(folder: string, name: string): Promise<Location> {
  const path = join(folder, name)
  execFileSync('chmod', ['711', folder])
  await mkdir(path)
  return chooseLocation(path)
}

function urlOf(port: number, database: string): string {
  return `postgresql://${SUPERUSER}:${PASSWORD}@127.0.0.1:${port}/${database}`
}

function openNode(port: number): Node {
  const url = urlOf(port, DATABASE)
  return {
    url,
    port,
    run: async (sql, values) => {
      const client = new pg.Client({ connectionString: url })
      await client.connect()
      try {
        return (await client.query(sql, values)).rows
      } finally {
        await client.end()
      }
    },
  }
}

async function createMarket({ url, port }: Node): Promise<void> {
  const admin = new pg.Client({ connectionString: urlOf(port, 'postgres') })
  await admin.connect()
  await admin.query(`create database ${DATABASE}`)
  await admin.end()
  const pool = new pg.Pool({ connectionString: url })
  await migrate(pool, migrations)
  await pool.end()
}

/** What `pg_basebackup` does, which the embedded PostgreSQL lacks. */
async function copyCluster({ url, port }: Node, from: Location, to: Location): Promise<void> {
  const cluster = clusterFolder(to)
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  await client.query(`select pg_backup_start('stand-by', true)`)
  execFileSync('cp', ['-a', clusterFolder(from), cluster])
  const { rows } = await client.query<{ labelfile: string }>('select labelfile from pg_backup_stop(false)')
  await client.end()
  await rm(join(cluster, 'postmaster.pid'))
  await writeFile(join(cluster, 'backup_label'), rows[0]?.labelfile ?? '')
  await writeFile(join(cluster, 'standby.signal'), '')
  const primary = `host=127.0.0.1 port=${port} user=${SUPERUSER} password=${PASSWORD}`
  await writeFile(join(cluster, 'postgresql.auto.conf'), `primary_conninfo = '${primary}'\n`)
  execFileSync('chown', ['-R', '--reference', cluster, cluster])
}

async function stopAll(services: readonly ChildService[], folders: readonly (Location | string)[]): Promise<void> {
  for (const service of services) await service.stop()
  for (const folder of folders) await rm(typeof folder === 'string' ? folder : folder.folder, { recursive: true, force: true })
}
