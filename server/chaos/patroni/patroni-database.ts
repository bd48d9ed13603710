import { randomBytes } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'

import pg from 'pg'

import { type StackDatabase } from '../stack/stack-database.ts'
import { startTcpProxy, type TcpProxy } from '../stack/tcp-proxy.ts'
import { type PatroniCluster, startCluster } from './cluster.ts'
import { type Programs } from './packages.ts'

/** A Patroni cluster as the database of a stack. */
export interface PatroniDatabase extends StackDatabase {
  cluster: PatroniCluster
  /** Between the servers and the balancer. */
  proxy: TcpProxy
  /** A database of the same cluster with a table `probe`, to see whether the cluster takes writes. */
  probeUrl: string
}

const BALANCER_MILLIS = 20_000
const POLL_MILLIS = 200
const PROBE_TABLE = 'create table probe (at timestamptz not null default now()); alter table probe owner to market'

export async function startPatroniDatabase(programs: Programs, folder: string): Promise<PatroniDatabase> {
  const cluster = await startCluster(programs, folder)
  try {
    const password = randomBytes(24).toString('hex')
    await createDatabases(cluster, password)
    const urlOf = (database: string) => `postgresql://market:${password}@127.0.0.1:${cluster.port}/${database}`
    const proxy = await startTcpProxy(urlOf('market'))
    return {
      cluster,
      proxy,
      serversUrl: proxy.url,
      url: urlOf('market'),
      probeUrl: urlOf('probe'),
      stop: async () => {
        await proxy.cut()
        await cluster.stop()
      },
    }
  } catch (error) {
    await cluster.stop()
    throw error
  }
}

/** Creates what docs/install.md tells to create, and the database for probes. */
async function createDatabases(cluster: PatroniCluster, password: string): Promise<void> {
  await asSuperuser(cluster, 'postgres', [
    `create role market login password '${password}'`,
    'create database market owner market',
    'create database probe',
  ])
  await asSuperuser(cluster, 'probe', [PROBE_TABLE])
}

async function asSuperuser(cluster: PatroniCluster, database: string, statements: readonly string[]): Promise<void> {
  const client = await connect(cluster, database)
  try {
    for (const statement of statements) await client.query(statement)
  } finally {
    await client.end()
  }
}

/** The balancer needs a moment until it has found the primary. */
async function connect({ port, superuserPassword }: PatroniCluster, database: string): Promise<pg.Client> {
  for (const deadline = Date.now() + BALANCER_MILLIS; ; await delay(POLL_MILLIS)) {
    const client = new pg.Client({ host: '127.0.0.1', port, user: 'postgres', password: superuserPassword, database })
    try {
      await client.connect()
      return client
    } catch (error) {
      if (Date.now() > deadline) throw error
    }
  }
}
