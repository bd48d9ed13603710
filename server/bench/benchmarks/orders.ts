import { randomUUID } from 'node:crypto'
import { MAX_ORDERS } from '@juicebar/contract/limits'
import { tokens } from '../databases/catalogue.ts'
import { mayHaveSigner } from '../../src/chain/transactions/keys.ts'
import { type BenchDatabases } from '../databases/bench-databases.ts'
import { randomWallet } from '../databases/fill-market.ts'
import { type Line, percentile, type Sample } from '../measure/comparison.ts'
import { runLoad } from '../measure/http-load.ts'
import { STUDIO_KEY } from '../servers/product-server.ts'
import { startServer } from '../servers/start-server.ts'

/** What a game may need on its busiest evening, through one key. */
const NEEDED_PER_SECOND = 5_000
const CALLS = 30
const CONNECTIONS = 4
const WALLETS = 20_000
const WARM_UPS = 2

/** Credits of many wallets, 500 in a call, through one key with a daily limit, against the number that is needed. */
export async function benchmarkOrders(databases: BenchDatabases, pairs: number): Promise<Line[]> {
  const product = await startServer({ role: 'product', databaseUrl: await databases.empty() })
  try {
    const key = await createKey(product.port)
    const wallets = Array.from({ length: WALLETS }, randomWallet).filter(mayHaveSigner)
    const run = (): Promise<Sample> =>
      runLoad({
        port: product.port,
        connections: CONNECTIONS,
        requests: CALLS,
        next: (turn) => ({ method: 'POST', path: '/api/studio/orders', jwt: key, body: { orders: ordersOf(turn, wallets) } }),
      })
    for (let warmUp = 0; warmUp < WARM_UPS; warmUp++) await run()
    const samples: Sample[] = []
    for (let count = 0; count < pairs; count++) samples.push(await run())
    return [lineOf(samples)]
  } finally {
    product.stop()
  }
}

function lineOf(samples: readonly Sample[]): Line {
  const ascending = (values: number[]) => values.toSorted((a, b) => a - b)
  const ours = MAX_ORDERS * percentile(ascending(samples.map(({ perSecond }) => perSecond)), 0.5)
  const millis = ascending(samples.flatMap((sample) => sample.millis))
  return {
    name: `credits of one key, ${MAX_ORDERS} a call`,
    reference: 'needed',
    ours,
    theirs: NEEDED_PER_SECOND,
    unit: '/s',
    ratio: ours / NEEDED_PER_SECOND,
    goal: { least: 1 },
    p50: percentile(millis, 0.5),
    p99: percentile(millis, 0.99),
  }
}

function ordersOf(turn: number, wallets: readonly string[]) {
  return Array.from({ length: MAX_ORDERS }, (_, index) => ({
    direction: 'credit',
    walletAddress: wallets[(turn * 7919 + index * 31) % wallets.length],
    tokenType: tokens[index % tokens.length],
    amount: 1,
    idempotencyKey: randomUUID(),
    reason: 'bench',
  }))
}

async function createKey(port: number): Promise<string> {
  const reply = await fetch(`http://127.0.0.1:${port}/api/studio/keys`, {
    method: 'POST',
    headers: { authorization: `Bearer ${STUDIO_KEY}`, 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'bench', scopes: ['credit'], dailyCreditLimit: Number.MAX_SAFE_INTEGER }),
  })
  const { key }: { key: { secret: string } } = JSON.parse(await reply.text())
  return key.secret
}
