import { randomBytes } from 'node:crypto'
import { cp, mkdir, mkdtemp, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

import pg from 'pg'
import { pino } from 'pino'
import { build } from 'vite'

import { startEmbeddedPostgres } from '../../src/embedded/postgres/postgres.ts'
import { type ChainProcess, startChainProcess } from './chain-process.ts'
import { type FaultProxy, startFaultProxy } from '../chain-faults/fault-proxy.ts'
import { type FaultRates } from '../chain-faults/faults.ts'
import { type ApiServer, createApiServer } from './api-server.ts'

/** The real product: two API servers, one PostgreSQL, and one chain behind the fault proxy. */
export interface Stack {
  servers: readonly ApiServer[]
  proxy: FaultProxy
  chain: ChainProcess
  databaseUrl: string
  studioApiKey: string
  /** The folder of the servers' logs. */
  folder: string
  /** Kills PostgreSQL with SIGKILL. It restarts by itself and recovers from its write-ahead log. */
  killDatabase(): Promise<void>
  /** Stops everything and deletes the folder, unless the logs are to be kept. */
  stop(options: { keepLogs: boolean }): Promise<void>
}

export interface StackOptions {
  seed: number
  rates: FaultRates
  slotMillis: number
  holdSeconds: number
}

const SERVERS = 2
const serverFolder = fileURLToPath(new URL('../..', import.meta.url))

/** Builds the server into a temporary folder and starts everything. */
export async function startStack({ seed, rates, slotMillis, holdSeconds }: StackOptions): Promise<Stack> {
  const folder = await mkdtemp(join(tmpdir(), 'juicebar-chaos-'))
  const dist = await buildServer(folder)
  const dataDir = join(folder, 'data')
  await mkdir(dataDir)
  const [postgres, chain] = await Promise.all([
    startEmbeddedPostgres({ dataDir, log: pino({ level: 'silent' }) }),
    startChainProcess(join(dist, 'local-chain-process.js'), slotMillis),
  ])
  const proxy = await startFaultProxy({ target: chain.rpcUrl, seed, rates, slotMillis })
  const studioApiKey = randomBytes(24).toString('hex')
  const env = {
    DATABASE_URL: postgres.url,
    SOLANA_RPC_URL: proxy.url,
    JWT_SECRET: randomBytes(32).toString('hex'),
    STUDIO_API_KEY: studioApiKey,
    PUBLIC_ORIGIN: 'http://localhost',
    HOLD_SECONDS: String(holdSeconds),
    DEMO: 'off',
    LOG_LEVEL: 'warn',
  }
  const createNumbered = (_: unknown, index: number) =>
    createApiServer({ program: join(dist, 'main.js'), env, logFile: join(folder, `server-${index + 1}.log`) })
  const servers = await Promise.all(Array.from({ length: SERVERS }, createNumbered))
  await Promise.all(servers.map((server) => server.start()))

  return {
    servers,
    proxy,
    chain,
    databaseUrl: postgres.url,
    studioApiKey,
    folder,
    killDatabase: () => killPostmaster(postgres.url),
    stop: async ({ keepLogs }) => {
      await Promise.all(servers.map((server) => server.kill()))
      await Promise.all([postgres.stop(), chain.stop(), proxy.stop()])
      await rm(dataDir, { recursive: true, force: true })
      if (!keepLogs) await rm(folder, { recursive: true, force: true })
    },
  }
}

/** Builds the server as it is shipped, together with everything that it finds by a relative path. @returns the folder of its programs */
async function buildServer(folder: string): Promise<string> {
  const server = join(folder, 'server')
  const dist = join(server, 'dist')
  await mkdir(server)
  await build({ configFile: join(serverFolder, 'vite.config.ts'), logLevel: 'warn', build: { outDir: dist } })
  await cp(join(serverFolder, 'migrations'), join(server, 'migrations'), { recursive: true })
  await cp(join(serverFolder, 'package.json'), join(server, 'package.json'))
  await cp(join(serverFolder, '..', 'SECURITY.md'), join(folder, 'SECURITY.md'))
  await symlink(join(serverFolder, '..', 'node_modules'), join(folder, 'node_modules'))
  return dist
}

/** Reads the process id from the first line of PostgreSQL's lock file. */
async function killPostmaster(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 2_000, query_timeout: 2_000 })
  client.on('error', () => undefined)
  try {
    await client.connect()
    const { rows } = await client.query<{ text: string }>(`select pg_read_file('postmaster.pid') as text`)
    const pid = Number(rows[0]?.text.split('\n')[0])
    if (Number.isInteger(pid) && pid > 1) process.kill(pid, 'SIGKILL')
  } finally {
    await client.end().catch(() => undefined)
  }
}
