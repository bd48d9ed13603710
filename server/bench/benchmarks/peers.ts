import { deepStrictEqual } from 'node:assert'
import { readFile } from 'node:fs/promises'

import pg from 'pg'

import { type BenchDatabases } from '../databases/bench-databases.ts'
import { catalogue } from '../databases/catalogue.ts'
import { addToPeer, addToProduct, makeTrades, requireDelivered, type Trade } from '../databases/trades.ts'
import { asMillis, type Line, lineOf, type Sample } from '../measure/comparison.ts'
import { postgresCpu, processCpu } from '../measure/cpu.ts'
import { type ServerProcess, startServer } from '../servers/start-server.ts'
import { type PeerName, peersFolder, startPeer } from '../servers/start-peer.ts'
import { startRpcEndpoints } from '../servers/start-rpc-endpoints.ts'
import { comparable, tradeOnce } from './trade-once.ts'
import { HOLD_SECONDS, REQUESTS_PER_SECOND, runTrades, TRADES, UNLIMITED, WARM_UP } from './run-trades.ts'

const IDLE_MILLIS = 3_000
/** Twice the purchases a second, for half of the CPU time. */
const GOALS = { rate: { least: 2 }, cpu: { most: 0.5 } }
const peers: Record<PeerName, string> = { 'express-prisma': 'Express and Prisma', 'nest-typeorm': 'NestJS and TypeORM' }

interface Contender {
  name: string
  server: ServerProcess
  pool: pg.Pool
  walletColumn: 'wallet' | 'wallet_address'
  rates: Sample[]
  /** Purchases in a second of CPU time. */
  cpu: Sample[]
}

/**
 * `buy/{id}` and `confirm-purchase` over HTTP beside the same two calls of plain servers: the same trades, in a database each on one PostgreSQL,
 * as many connections to it, and the same chain, whose endpoint answers after 20 ms.
 */
export async function benchmarkPeers(databases: BenchDatabases, pairs: number, say: (sentence: string) => void): Promise<Line[]> {
  const endpoints = await startRpcEndpoints([UNLIMITED])
  const contenders: Contender[] = []
  try {
    const [rpcUrl = ''] = endpoints.urls
    const productUrl = await databases.empty()
    const chain = { endpoints: endpoints.urls, requestsPerSecond: REQUESTS_PER_SECOND, holdSeconds: HOLD_SECONDS }
    const server = await startServer({ role: 'product', databaseUrl: productUrl, chain })
    const product = { name: 'product', server, pool: openPool(productUrl), walletColumn: 'wallet_address', rates: [], cpu: [] } as const
    contenders.push({ ...product, rates: [], cpu: [] })
    const schema = await readFile(`${peersFolder}/schema.sql`, 'utf8')
    const tokenNames = Object.fromEntries(catalogue.items.map(({ code, name }) => [code, name]))
    for (const name of Object.keys(peers) as PeerName[]) {
      const databaseUrl = await databases.other(name.replace('-', '_'), schema)
      const peer = await startPeer(name, { databaseUrl, rpcUrl, holdSeconds: HOLD_SECONDS, tokenNames }, say)
      contenders.push({ name, server: peer, pool: openPool(databaseUrl), walletColumn: 'wallet', rates: [], cpu: [] })
    }
    await requireSameAnswers(contenders, endpoints.walletsUrl)
    for (let run = 0; run < WARM_UP + pairs; run++) {
      say(`  trading, run ${run + 1} of ${WARM_UP + pairs} ...`)
      await measureInTurn(contenders, { run, walletsUrl: endpoints.walletsUrl, counts: run >= WARM_UP })
    }
    return linesOf(contenders)
  } finally {
    for (const { server, pool } of contenders) {
      server.stop()
      await pool.end()
    }
    endpoints.stop()
  }
}

function openPool(connectionString: string): pg.Pool {
  return new pg.Pool({ connectionString, max: 2 })
}

/** @throws AssertionError unless all answer a hold and a confirmation alike, but for what is random or a time */
async function requireSameAnswers(contenders: readonly Contender[], walletsUrl: string): Promise<void> {
  const answers = new Map<string, unknown>()
  const added = await addTrades(contenders, await makeTrades(2, -1))
  for (const { name, server } of contenders) {
    const [trade] = added
    if (!trade) throw new Error('there is nothing to trade')
    answers.set(name, comparable(await tradeOnce(server.port, trade, walletsUrl)))
  }
  const [[, ours] = [], ...others] = answers
  for (const [, theirs] of others) deepStrictEqual(theirs, ours)
}

async function addTrades(contenders: readonly Contender[], made: Omit<Trade, 'jwt'>[]): Promise<Trade[]> {
  const [product, ...others] = contenders
  if (!product) throw new Error('there is no product')
  const trades = await addToProduct(product.pool, made)
  for (const { pool } of others) await addToPeer(pool, trades)
  for (const { pool } of contenders) await pool.query('analyze')
  return trades
}

async function measureInTurn(
  contenders: readonly Contender[],
  { run, walletsUrl, counts }: { run: number; walletsUrl: string; counts: boolean },
): Promise<void> {
  const trades = await addTrades(contenders, await makeTrades(TRADES, run))
  const [product] = contenders
  const background = await measureBackground(contenders)
  // Whoever is first in one run is last in the next.
  for (const contender of run % 2 ? contenders.toReversed() : contenders) {
    const { server, pool, walletColumn } = contender
    const cpu = async () => (await processCpu(server.pid)) + (await postgresCpu(pool))
    const { calls, pause, millis } = await runTrades({ port: server.port, pool, trades, walletsUrl, cpu })
    await requireDelivered(pool, walletColumn, trades)
    if (!counts) continue
    contender.rates.push({ perSecond: (1000 * TRADES) / calls.millis, millis })
    // The product also does its other work while buyers pay, and while others are measured: that is its own.
    const used = contender === product ? calls.cpu + pause.cpu : calls.cpu - background * calls.millis
    contender.cpu.push({ perSecond: (1000 * TRADES) / used, millis })
  }
}

/** CPU milliseconds of PostgreSQL in a millisecond in which nobody buys. */
async function measureBackground([product]: readonly Contender[]): Promise<number> {
  if (!product) return NaN
  const before = await postgresCpu(product.pool)
  await new Promise((resolve) => setTimeout(resolve, IDLE_MILLIS))
  return ((await postgresCpu(product.pool)) - before) / IDLE_MILLIS
}

function linesOf([product, ...others]: readonly Contender[]): Line[] {
  if (!product) return []
  return others.flatMap((peer) => {
    const reference = peers[peer.name as PeerName]
    return [
      lineOf({ name: 'buying and confirming, over HTTP', reference, unit: '/s', goal: GOALS.rate }, product.rates, peer.rates),
      asMillis(lineOf({ name: 'CPU of buying and confirming', reference, unit: 'ms', goal: GOALS.cpu }, product.cpu, peer.cpu)),
    ]
  })
}
