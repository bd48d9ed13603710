import pg from 'pg'

import { type BenchDatabases } from '../databases/bench-databases.ts'
import { addToProduct, makeTrades, requireDelivered } from '../databases/trades.ts'
import { asMillis, type Line, lineOf, type Sample } from '../measure/comparison.ts'
import { postgresCpu, processCpu } from '../measure/cpu.ts'
import { startServer } from '../servers/start-server.ts'
import { startRpcEndpoints } from '../servers/start-rpc-endpoints.ts'
import { HOLD_SECONDS, REQUESTS_PER_SECOND, runCoSigned, runTrades, type TradeTimes, TRADES, UNLIMITED, WARM_UP } from './run-trades.ts'

interface Samples {
  /** Purchases in a second of CPU time, from the first call to the delivery. */
  cpu: Sample[]
  /** Purchases in a second of calls. */
  rates: Sample[]
}

/** A payment that only the market can send, from the offer to the delivery, beside one that a wallet sends, in the same market. */
export async function benchmarkCoSigned(databases: BenchDatabases, pairs: number): Promise<Line[]> {
  const url = await databases.empty()
  const endpoints = await startRpcEndpoints([UNLIMITED])
  const pool = new pg.Pool({ connectionString: url, max: 2 })
  const chain = { endpoints: endpoints.urls, requestsPerSecond: REQUESTS_PER_SECOND, holdSeconds: HOLD_SECONDS }
  const server = await startServer({ role: 'product', databaseUrl: url, chain })
  const cpu = async () => (await processCpu(server.pid)) + (await postgresCpu(pool))
  const samples: Record<'market' | 'wallet', Samples> = { market: { cpu: [], rates: [] }, wallet: { cpu: [], rates: [] } }
  const run = async (sender: 'market' | 'wallet', turn: number) => {
    const trades = await addToProduct(pool, await makeTrades(TRADES, 2 * turn + (sender === 'market' ? 0 : 1)))
    await pool.query('analyze')
    const measured = { port: server.port, pool, trades, cpu }
    const times = await (sender === 'market' ? runCoSigned(measured) : runTrades({ ...measured, walletsUrl: endpoints.walletsUrl }))
    await requireDelivered(pool, 'wallet_address', trades)
    if (turn >= WARM_UP) keep(samples[sender], times)
  }
  try {
    for (let turn = 0; turn < WARM_UP + pairs; turn++) {
      for (const sender of turn % 2 ? (['market', 'wallet'] as const) : (['wallet', 'market'] as const)) await run(sender, turn)
    }
  } finally {
    server.stop()
    endpoints.stop()
    await pool.end()
  }
  const { market, wallet } = samples
  const reference = 'buy and confirm, sent by the wallet'
  return [
    asMillis(lineOf({ name: 'CPU of a co-signed purchase', reference, unit: 'ms', goal: { most: 1 } }, market.cpu, wallet.cpu)),
    lineOf({ name: 'co-signed purchases', reference, unit: '/s', goal: { least: 1 } }, market.rates, wallet.rates),
  ]
}

function keep({ cpu, rates }: Samples, { calls, pause, millis }: TradeTimes): void {
  cpu.push({ perSecond: (1000 * TRADES) / (calls.cpu + pause.cpu), millis })
  rates.push({ perSecond: (1000 * TRADES) / calls.millis, millis })
}
