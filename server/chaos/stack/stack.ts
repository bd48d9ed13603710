import { randomBytes } from 'node:crypto'
import { chmod, mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'

import { catalogueFile } from '../catalogue.ts'
import { type FaultProxy, startFaultProxy } from '../chain-faults/fault-proxy.ts'
import { type FaultRates } from '../chain-faults/faults.ts'
import { createChainClient } from '../players/chain-client.ts'
import { GAME_ORIGIN } from '../studio/shop.ts'
import { STARTING_LAMPORTS } from '../players/player.ts'
import { createWallet } from '../players/wallet.ts'
import { type ApiServer, createApiServer } from './api-server.ts'
import { type ChainKind, type ChainProcess, startChainProcess } from './chain-process.ts'
import { buildVersion, type Version } from './version.ts'
import { watchReadiness } from './ready-servers.ts'
import { startReaper } from './reaper.ts'
import { type CommitFaults, type CommitRates, createCommitFaults } from './commit-faults.ts'
import { between } from '../seeded-random.ts'
import { type StackDatabase } from './stack-database.ts'
import { startTcpProxy } from './tcp-proxy.ts'

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
  /** Between each server and the database, if the scenario has any. */
  commitFaults: readonly CommitFaults[]
  studioApiKey: string
  /** Receives the fee, if there is one. */
  feeWallet: string
  /** In hundredths of a percent; 0 without a fee. */
  feeBasisPoints: number
  /** The folder of the servers' logs. */
  folder: string
  /** Stops everything and deletes the folder, unless the logs are to be kept. */
  stop(options: { keepLogs: boolean }): Promise<void>
}

export interface StackOptions<Database extends StackDatabase> {
  seed: number
  rates: FaultRates
  /** Undefined for connections to the database that work. */
  commitRates: CommitRates | undefined
  chain: ChainKind
  slotMillis: number
  takesFee: boolean
  holdSeconds: number
  drainSeconds: number
  /** Starts the database, which may use a subfolder `data` and write logs. */
  startDatabase(folder: string): Promise<Database>
}

const SERVERS = 2
const FEE_BASIS_POINTS = 250
/** How long a server is down that was killed at a chosen moment. */
const DOWN_MILLIS = { low: 100, high: 1_500 }

/** Builds the server into a temporary folder and starts everything. */
export async function startStack<Database extends StackDatabase>(options: StackOptions<Database>): Promise<Stack<Database>> {
  const { seed, rates, commitRates, slotMillis, takesFee, holdSeconds, drainSeconds } = options
  const folder = await mkdtemp(join(tmpdir(), 'juicebar-chaos-'))
  // PostgreSQL never runs as root, and would get a folder elsewhere, which nobody deletes, if it could not pass through this one.
  await chmod(folder, 0o711)
  const reaper = await startReaper(folder, { deletes: false })
  await mkdir(join(folder, 'data'))
  const version = await buildVersion(folder)
  const [database, chain] = await Promise.all([
    options.startDatabase(folder),
    startChainProcess({ kind: options.chain, localProgram: version.chainProgram, slotMillis }),
  ])
  const servers: ApiServer[] = []
  let kills = 0
  const kill = (server: number) => {
    kills += 1
    void servers[server]?.killFor(between(seed, ['killed', kills], DOWN_MILLIS.low, DOWN_MILLIS.high))
  }
  const proxy = await startFaultProxy({ target: chain.rpcUrl, seed, rates, slotMillis, chain: options.chain, kill })
  const commitFaults = commitRates
    ? range(SERVERS).map((server) => createCommitFaults({ seed, server, rates: commitRates, kill: () => kill(server) }))
    : []
  const lines = await Promise.all(commitFaults.map(({ tap }) => startTcpProxy(database.serversUrl, tap)))
  const studioApiKey = randomBytes(24).toString('hex')
  const env = {
    JWT_SECRET: randomBytes(32).toString('hex'),
    STUDIO_API_KEY: studioApiKey,
    REFERENCE_SECRET: randomBytes(32).toString('hex'),
    PUBLIC_ORIGIN: 'http://localhost',
    HOLD_SECONDS: String(holdSeconds),
    // All players of a run come from one network.
    NETWORK_HOLDS: '10000',
    CHECKOUT_ORIGINS: GAME_ORIGIN,
    DEMO: 'off',
    LOG_LEVEL: 'warn',
    DRAIN_SECONDS: String(drainSeconds),
    ...(catalogueFile !== undefined && { CATALOGUE: resolve(catalogueFile) }),
  }
  const feeWallet = await fundFeeWallet(chain.rpcUrl, seed)
  const fee = { MARKET_FEE_BPS: String(FEE_BASIS_POINTS), MARKET_FEE_WALLET: feeWallet }
  for (const index of range(SERVERS)) {
    const own = { DATABASE_URL: lines[index]?.url ?? database.serversUrl, SOLANA_RPC_URL: proxy.urlsFor(index) }
    const logFile = join(folder, `server-${index + 1}.log`)
    servers.push(await createApiServer({ version, env: { ...env, ...own, ...(takesFee && fee) }, logFile }))
  }
  await Promise.all(servers.map((server) => server.start()))
  const ready = watchReadiness(servers.map(({ url }) => url))

  return {
    servers,
    urls: ready.urls,
    version,
    proxy,
    chain,
    database,
    commitFaults,
    studioApiKey,
    feeWallet,
    feeBasisPoints: takesFee ? FEE_BASIS_POINTS : 0,
    folder,
    stop: async ({ keepLogs }) => {
      ready.stop()
      await Promise.all(servers.map((server) => server.kill()))
      await Promise.all([database.stop(), chain.stop(), proxy.stop(), ...lines.map((line) => line.cut())])
      await reaper.reap()
      await rm(join(folder, 'data'), { recursive: true, force: true })
      if (!keepLogs) await rm(folder, { recursive: true, force: true })
    },
  }
}

function range(count: number): number[] {
  return Array.from({ length: count }, (_, index) => index)
}

/** As rich as a player: the servers ask for its balance when they start. */
async function fundFeeWallet(rpcUrl: string, seed: number): Promise<string> {
  const { address } = await createWallet(seed, 'studio')
  await createChainClient(rpcUrl).call('requestAirdrop', [address, STARTING_LAMPORTS])
  return address
}
