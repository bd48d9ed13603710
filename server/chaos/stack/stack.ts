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
import { type FaultProxy, type FaultRates, startFaultProxy } from '../chain-faults/fault-proxy.ts'
import { type ApiNode, createNode } from './api-server.ts'

/** The real product: two API servers, one PostgreSQL, and one chain behind the proxy that makes it misbehave. */
export interface Stack {
  nodes: readonly ApiNode[]
  proxy: FaultProxy
  chain: ChainProcess
  databaseUrl: string
  studioApiKey: string
  /** Where the servers' logs are. */
  folder: string
  /** Kills the database server as `kill -9` does it; it comes back by itself, from what it had written out. */
  killDatabase(): Promise<void>
  /** Ends everything; keeps the folder where asked to. */
  stop(options: { keepLogs: boolean }): Promise<void>
}

export interface StackOptions {
  seed: number
  rates: FaultRates
  slotMillis: number
  holdSeconds: number
}

const NODES = 2
const serverFolder = fileURLToPath(new URL('../..', import.meta.url))

/** Builds the server from its sources into a folder of its own and starts it. */
export async function startStack({ seed, rates, slotMillis, holdSeconds }: StackOptions): Promise<Stack> {
  const folder = await mkdtemp(join(tmpdir(), 'juicebar-chaos-'))
  const programs = await buildServer(folder)
  const dataDir = join(folder, 'data')
  await mkdir(dataDir)
  const [postgres, chain] = await Promise.all([
    startEmbeddedPostgres({ dataDir, log: pino({ level: 'silent' }) }),
    startChainProcess(join(programs, 'local-chain-process.js'), slotMillis),
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
    createNode({ program: join(programs, 'main.js'), env, logFile: join(folder, `node-${index + 1}.log`) })
  const nodes = await Promise.all(Array.from({ length: NODES }, createNumbered))
  await Promise.all(nodes.map((node) => node.start()))

  return {
    nodes,
    proxy,
    chain,
    databaseUrl: postgres.url,
    studioApiKey,
    folder,
    killDatabase: () => killPostmaster(postgres.url),
    stop: async ({ keepLogs }) => {
      await Promise.all(nodes.map((node) => node.kill()))
      await Promise.all([postgres.stop(), chain.stop(), proxy.stop()])
      await rm(dataDir, { recursive: true, force: true })
      if (!keepLogs) await rm(folder, { recursive: true, force: true })
    },
  }
}

/** The server as it is delivered, beside all that it looks for by a relative path. */
async function buildServer(folder: string): Promise<string> {
  const server = join(folder, 'server')
  const programs = join(server, 'dist')
  await mkdir(server)
  await build({ configFile: join(serverFolder, 'vite.config.ts'), logLevel: 'warn', build: { outDir: programs } })
  await cp(join(serverFolder, 'migrations'), join(server, 'migrations'), { recursive: true })
  await cp(join(serverFolder, 'package.json'), join(server, 'package.json'))
  await symlink(join(serverFolder, '..', 'node_modules'), join(folder, 'node_modules'))
  return programs
}

/** Its process id stands in the first line of its lock file. */
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
