import { randomBytes } from 'node:crypto'
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'

import { catalogueFile } from '../catalogue.ts'
import { type FaultProxy, startFaultProxy } from '../chain-faults/fault-proxy.ts'
import { type FaultRates } from '../chain-faults/faults.ts'
import { createChainClient } from '../players/chain-client.ts'
import { STARTING_LAMPORTS } from '../players/player.ts'
import { createWallet } from '../players/wallet.ts'
import { type ApiServer, createApiServer } from './api-server.ts'
import { type ChainProcess, startChainProcess } from './chain-process.ts'
import { buildVersion, type Version } from './version.ts'
import { watchReadiness } from './ready-servers.ts'
import { startReaper } from './reaper.ts'
import { type StackDatabase } from './stack-database.ts'

/** The real product: two API servers, a database, and one chain behind the fault proxy. */
export interface Stack<Database extends StackDatabase = StackDatabase> {
  servers: readonly ApiServer[]
  /** The servers that are ready for calls. */
  urls(): readonly string[]
  /** The version that the servers start with. */
  version: Version
  proxy: FaultProxy
  chain: ChainProcess
  database: Database
  studioApiKey: string
  /** Receives the fee that one of the servers takes: what is agreed with one is paid and confirmed with the other. */
  feeWallet: string
  /** The folder of the servers' logs. */
  folder: string
  /** Stops everything and deletes the folder, unless the logs are to be kept. */
  stop(options: { keepLogs: boolean }): Promise<void>
}

export interface StackOptions<Database extends StackDatabase> {
  seed: number
  rates: FaultRates
  slotMillis: number
  holdSeconds: number
  drainSeconds: number
  /** Starts the database, which may use a subfolder `data` and write logs. */
  startDatabase(folder: string): Promise<Database>
}

const SERVERS = 2
const FEE_BASIS_POINTS = 250

/** Builds the server into a temporary folder and starts everything. */
export async function startStack<Database extends StackDatabase>(options: StackOptions<Database>): Promise<Stack<Database>> {
  const { seed, rates, slotMillis, holdSeconds, drainSeconds } = options
  const folder = await mkdtemp(join(tmpdir(), 'juicebar-chaos-'))
  const reaper = await startReaper(folder, { deletes: false })
  await mkdir(join(folder, 'data'))
  const version = await buildVersion(folder)
  const [database, chain] = await Promise.all([options.startDatabase(folder), startChainProcess(version.chainProgram, slotMillis)])
  const proxy = await startFaultProxy({ target: chain.rpcUrl, seed, rates, slotMillis })
  const studioApiKey = randomBytes(24).toString('hex')
  const env = {
    DATABASE_URL: database.serversUrl,
    SOLANA_RPC_URL: proxy.url,
    JWT_SECRET: randomBytes(32).toString('hex'),
    STUDIO_API_KEY: studioApiKey,
    REFERENCE_SECRET: randomBytes(32).toString('hex'),
    PUBLIC_ORIGIN: 'http://localhost',
    HOLD_SECONDS: String(holdSeconds),
    // All players of a run come from one network.
    NETWORK_HOLDS: '10000',
    DEMO: 'off',
    LOG_LEVEL: 'warn',
    DRAIN_SECONDS: String(drainSeconds),
    ...(catalogueFile !== undefined && { CATALOGUE: resolve(catalogueFile) }),
  }
  const feeWallet = await fundFeeWallet(chain.rpcUrl, seed)
  const fee = { MARKET_FEE_BPS: String(FEE_BASIS_POINTS), MARKET_FEE_WALLET: feeWallet }
  const createNumbered = (_: unknown, index: number) =>
    createApiServer({ version, env: index === 0 ? env : { ...env, ...fee }, logFile: join(folder, `server-${index + 1}.log`) })
  const servers = await Promise.all(Array.from({ length: SERVERS }, createNumbered))
  await Promise.all(servers.map((server) => server.start()))
  const ready = watchReadiness(servers.map(({ url }) => url))

  return {
    servers,
    urls: ready.urls,
    version,
    proxy,
    chain,
    database,
    studioApiKey,
    feeWallet,
    folder,
    stop: async ({ keepLogs }) => {
      ready.stop()
      await Promise.all(servers.map((server) => server.kill()))
      await Promise.all([database.stop(), chain.stop(), proxy.stop()])
      await reaper.reap()
      await rm(join(folder, 'data'), { recursive: true, force: true })
      if (!keepLogs) await rm(folder, { recursive: true, force: true })
    },
  }
}

/** As rich as a player: the servers ask for its balance when they start. */
async function fundFeeWallet(rpcUrl: string, seed: number): Promise<string> {
  const { address } = await createWallet(seed, 'studio')
  await createChainClient(rpcUrl).call('requestAirdrop', [address, STARTING_LAMPORTS])
  return address
}
