import { setTimeout as delay } from 'node:timers/promises'

import pg from 'pg'

import { createWallet } from '../../chaos/players/wallet.ts'
import { buyListing, type Outcome, type Sender, type Shop } from '../chain/buyer.ts'
import { type Buyer } from '../chain/buyer-api.ts'
import { type BenchDatabases } from '../databases/bench-databases.ts'
import { addListings, addSessions } from '../databases/listings-for-sale.ts'
import { type ChainRun, leastPerSecond, renderChainRuns } from '../measure/chain-runs.ts'
import { percentile } from '../measure/comparison.ts'
import { type EndpointReport } from '../servers/rpc-endpoints-process.ts'
import { type RpcEndpoints, startRpcEndpoints } from '../servers/start-rpc-endpoints.ts'
import { startServer } from '../servers/start-server.ts'

export interface ChainBudgetOptions {
  /** How long buyers come. */
  seconds: number
  /** Requests a second that an endpoint allows. */
  limits: number[]
  endpoints: number[]
  sends: Sender[]
  say: (sentence: string) => void
}

type Setup = Pick<ChainRun, 'limit' | 'endpoints' | 'sends'>

/** More buyers come than the goal asks for, because the excess must be refused without harm to the others. */
const EXCESS = 1.2
/** More than this two cores cannot offer. */
const MOST_OFFERED = 80
/** An abandoned hold costs so much that there is no need for many of them. */
const ABANDONED_SHARE = 0.04
/** A prime, so that those who abandon a purchase are not always the same. */
const BUYERS = 1_999
const ABANDONS_EVERY = 20
const HOLD_SECONDS = 30
const IDLE_MILLIS = 4_000
/** A share of the load's time that is left out of its rate, until deliveries keep up with holds. */
const RAMP = 0.1
const MOST_DRAIN_MILLIS = 150_000
const POLL_MILLIS = 500

/**
 * Purchases over the public API while RPC endpoints limit and count the server's requests: for each limit, with one endpoint and with
 * several, for payments that only the market can send and for those that wallets send, of which one buyer in twenty leaves after the offer or
 * the hold; and for holds that nobody pays.
 */
export async function benchmarkChainBudget(databases: BenchDatabases, options: ChainBudgetOptions): Promise<ChainRun[]> {
  const { limits, endpoints, sends, seconds, say } = options
  const runs: ChainRun[] = []
  const wallets = await Promise.all(Array.from({ length: BUYERS }, (_, index) => createWallet(1, `buyer ${index}`)))
  for (const sender of sends) {
    for (const limit of limits) {
      for (const count of endpoints) {
        say(`  ${limit} requests/s, endpoints: ${count}, sent by the ${sender} ...`)
        const run = await measure(await databases.empty(), wallets, { limit, endpoints: count, sends: sender }, seconds)
        runs.push(run)
        say(renderChainRuns([run]))
      }
    }
  }
  return runs
}

async function measure(databaseUrl: string, wallets: Buyer['wallet'][], setup: Setup, seconds: number): Promise<ChainRun> {
  const { limit, endpoints: count, sends } = setup
  const offeredPerSecond = offeredBy(setup)
  const pool = new pg.Pool({ connectionString: databaseUrl, max: 2 })
  const endpoints = await startRpcEndpoints(Array.from({ length: count }, () => limit))
  const chain = { endpoints: endpoints.urls, requestsPerSecond: limit, holdSeconds: HOLD_SECONDS }
  const product = await startServer({ role: 'product', databaseUrl, chain })
  try {
    const listings = await addListings(pool, Math.ceil(offeredPerSecond * seconds))
    const jwts = await addSessions(
      pool,
      wallets.map(({ address }) => address),
    )
    const buyers = wallets.map((wallet, index) => ({ wallet, jwt: jwts[index] ?? '', address: `10.0.${index >> 8}.${index & 255}` }))
    const shop = { url: `http://127.0.0.1:${product.port}`, sends, walletsRpcUrl: endpoints.walletsUrl }
    const idlePerSecond = await measureIdle(endpoints)
    const before = sumOf(await endpoints.report())
    const startedAt = Date.now()
    const { outcomes, errors } = await offer(shop, buyers, listings, offeredPerSecond)
    const endedAt = Date.now()
    const used = totalOf(sumOf(await endpoints.report())) - totalOf(before)
    const lateOutstanding = await countLate(pool)
    await outcomes
    const stillOpen = await drain(pool)
    const report = await endpoints.report()
    const drainedIdle = (idlePerSecond * (Date.now() - endedAt)) / 1000
    return {
      ...setup,
      offeredPerSecond,
      ...requestsBetween(before, sumOf(report), drainedIdle, await (sends === 'nobody' ? countEnded(pool) : countDelivered(pool))),
      budgetUsed: used / (limit * count * seconds),
      busyShare: shareOf(await outcomes, 'CHAIN_BUSY'),
      errors: Object.fromEntries(errors),
      busiestSecond: Math.max(...report.counts.map(({ busiestSecond }) => busiestSecond)),
      tooMany: report.counts.reduce((sum, { refused }) => sum + refused, 0),
      lateOutstanding,
      stillOpen,
      ...(await readDeliveries(pool, report, { startedAt, endedAt })),
    }
  } finally {
    product.stop()
    endpoints.stop()
    await pool.end()
  }
}

function offeredBy({ limit, endpoints, sends }: Setup): number {
  return sends === 'nobody' ? ABANDONED_SHARE * limit : Math.min(MOST_OFFERED, leastPerSecond(limit) * endpoints * EXCESS)
}

/** Lets buyers come at a steady rate, whatever becomes of those before them. Resolves once the last has come. */
async function offer(shop: Shop, buyers: Buyer[], listings: string[], perSecond: number) {
  const errors = new Map<string, number>()
  const failed = (code: string) => void errors.set(code, (errors.get(code) ?? 0) + 1)
  const under: Promise<Outcome>[] = []
  const startedAt = performance.now()
  for (const [turn, listing] of listings.entries()) {
    await delay(startedAt + (turn * 1000) / perSecond - performance.now())
    const buyer = buyers[turn % buyers.length]
    if (!buyer) throw new Error('the bench has no buyers')
    const abandons = turn % ABANDONS_EVERY === ABANDONS_EVERY - 1
    under.push(buyListing(shop, buyer, listing, { abandons, failed }))
  }
  await delay(startedAt + (listings.length * 1000) / perSecond - performance.now())
  return { outcomes: Promise.all(under), errors }
}

/** @returns the requests a second of a server that has nothing to do */
async function measureIdle(endpoints: RpcEndpoints): Promise<number> {
  await delay(IDLE_MILLIS / 4)
  const before = sumOf(await endpoints.report())
  await delay(IDLE_MILLIS)
  return (totalOf(sumOf(await endpoints.report())) - totalOf(before)) / (IDLE_MILLIS / 1000)
}

/** Waits until every purchase is final or ended. @returns how many are not when it gives up */
async function drain(pool: pg.Pool): Promise<number> {
  const deadline = performance.now() + MOST_DRAIN_MILLIS
  for (;;) {
    const open = await count(pool, `status = 'held' or (status = 'settled' and finalized_at is null)`)
    if (open === 0 || performance.now() > deadline) return open
    await delay(POLL_MILLIS)
  }
}

function countLate(pool: pg.Pool): Promise<number> {
  return count(pool, `reconcile_at <= now() and (status = 'ended' or finalized_at is not null)`)
}

function countDelivered(pool: pg.Pool): Promise<number> {
  return count(pool, `status = 'settled'`)
}

function countEnded(pool: pg.Pool): Promise<number> {
  return count(pool, `status = 'ended'`)
}

async function count(pool: pg.Pool, condition: string): Promise<number> {
  const { rows } = await pool.query<{ count: number }>(`select count(*)::int as count from purchases where ${condition}`)
  return rows[0]?.count ?? 0
}

async function readDeliveries(pool: pg.Pool, { confirmedAt }: EndpointReport, span: { startedAt: number; endedAt: number }) {
  const confirmed = new Map(confirmedAt)
  const { rows } = await pool.query<{ signature: string; at: number }>(
    `select signature, extract(epoch from settled_at)::float8 * 1000 as at from purchases where status = 'settled'`,
  )
  const rampedAt = span.startedAt + RAMP * (span.endedAt - span.startedAt)
  const within = rows.filter(({ at }) => at >= rampedAt && at < span.endedAt)
  const millis = rows.map(({ signature, at }) => Math.max(0, at - (confirmed.get(signature) ?? NaN))).sort((a, b) => a - b)
  return {
    deliveredPerSecond: (within.length * 1000) / (span.endedAt - rampedAt),
    p50: percentile(millis, 0.5),
    p99: percentile(millis, 0.99),
    expired: await count(pool, `end_reason = 'expired'`),
  }
}

type Methods = Record<string, number>

/** Requests for each delivered purchase, or ended hold, without those that an idle server sends as well while the last purchases become final. */
function requestsBetween(before: Methods, after: Methods, idle: number, purchases: number) {
  const counted = Object.entries(after).map(([method, requests]): [string, number] => [method, requests - (before[method] ?? 0)])
  const methodsEach = Object.fromEntries(counted.map(([method, requests]) => [method, requests / purchases]))
  return { requestsEach: (totalOf(after) - totalOf(before) - idle) / purchases, methodsEach }
}

function sumOf({ counts }: EndpointReport): Methods {
  const sum: Methods = {}
  for (const { methods } of counts) {
    for (const [method, requests] of Object.entries(methods)) sum[method] = (sum[method] ?? 0) + requests
  }
  return sum
}

function totalOf(methods: Methods): number {
  return Object.values(methods).reduce((sum, requests) => sum + requests, 0)
}

function shareOf(outcomes: Outcome[], code: string): number {
  return outcomes.filter((outcome) => outcome.kind === 'refused' && outcome.code === code).length / outcomes.length
}
