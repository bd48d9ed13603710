import { writeFile } from 'node:fs/promises'

import { type BenchDatabases, openBenchDatabases } from './databases/bench-databases.ts'
import { benchmarkAudit } from './benchmarks/audit.ts'
import { benchmarkChainBudget } from './benchmarks/chain-budget.ts'
import { benchmarkCoSigned } from './benchmarks/co-signed.ts'
import { benchmarkEventStream } from './benchmarks/event-stream.ts'
import { benchmarkFigures } from './benchmarks/figures.ts'
import { benchmarkOrders } from './benchmarks/orders.ts'
import { benchmarkMarket, type MarketSizes } from './benchmarks/market.ts'
import { type ChainRun, goalsOf, isReached, renderChainRuns } from './measure/chain-runs.ts'
import { type Line } from './measure/comparison.ts'
import { benchmarkPage } from './benchmarks/page.ts'
import { benchmarkPeers } from './benchmarks/peers.ts'
import { benchmarkMetrics } from './benchmarks/metrics.ts'
import { benchmarkPurchase } from './benchmarks/purchase.ts'
import { benchmarkSettlement } from './benchmarks/settlement.ts'
import { benchmarkSignIn } from './benchmarks/sign-in.ts'
import { benchmarkStart } from './benchmarks/start.ts'
import { benchmarkWebhooks } from './benchmarks/webhooks.ts'
import { isMet, renderTable } from './measure/table.ts'

/**
 * `npm run bench` runs all benchmarks on a PostgreSQL of its own in `.cache/bench`. `-- live` runs one of market, figures, settlement, purchase,
 * co-signed, peers, sign-in, orders, live, start, page, webhooks, metrics, chain and audit; `-- --pairs=9` runs more pairs; `-- --json=lines.json` writes JSON to a file,
 * and `-- --json` prints it. For chain, `--seconds`, `--limits`, `--endpoints` and `--sends` choose what is measured:
 * `-- chain --seconds=10 --limits=10,50 --endpoints=1`; for audit, `--purchases`; for figures, `--trades`.
 */
const given = process.argv.slice(2)
const [named] = given.filter((argument) => !argument.startsWith('--'))
const options = new Map(
  given.map((argument) => argument.replace(/^--/, '').split('=')).map(([name = '', value = 'yes']) => [name, value] as const),
)
const pairs = Number(options.get('pairs') ?? 5)
const only = named ?? options.get('only')
/** More than two cores can use. */
const AUDIT_LIMIT = 2_000
const sizes: MarketSizes = { small: 1_000, large: [100_000, 1_000_000] }
const senders = ['market', 'wallet', 'nobody'] as const
const listOf = (name: string, fallback: string) => (options.get(name) ?? fallback).split(',')

/** A part or an option that is not known, which is a mistake, and no reason to measure for an hour. */
function requireKnown(parts: readonly string[]): void {
  const known = ['pairs', 'only', 'json', 'seconds', 'limits', 'endpoints', 'sends', 'purchases', 'trades']
  const unknown = [...options.keys()].find((name) => !parts.includes(name) && !known.includes(name))
  const part = only !== undefined && !parts.includes(only) ? only : undefined
  if (unknown === undefined && part === undefined) return
  process.stderr.write(
    `There is no ${part ?? `--${unknown}`}. Parts: ${parts.join(', ')}. Options: ${known.map((name) => `--${name}`).join(', ')}.\n`,
  )
  process.exit(1)
}

const say = (sentence: string) => void process.stderr.write(`${sentence}\n`)
const lines: Line[] = []
const chainRuns: ChainRun[] = []
const benchmarks: Record<string, (databases: BenchDatabases) => Promise<unknown>> = {
  market: async (databases) => lines.push(...(await benchmarkMarket(databases, sizes, pairs))),
  figures: async (databases) =>
    lines.push(...(await benchmarkFigures(databases, { trades: Number(options.get('trades') ?? 1_000_000), pairs }))),
  settlement: async (databases) => lines.push(...(await benchmarkSettlement(databases, pairs))),
  purchase: async (databases) => lines.push(...(await benchmarkPurchase(databases, pairs))),
  'co-signed': async (databases) => lines.push(...(await benchmarkCoSigned(databases, pairs))),
  peers: async (databases) => lines.push(...(await benchmarkPeers(databases, pairs, say))),
  'sign-in': async (databases) => lines.push(...(await benchmarkSignIn(databases, pairs))),
  orders: async (databases) => lines.push(...(await benchmarkOrders(databases, pairs))),
  live: async () => lines.push(...(await benchmarkEventStream(pairs))),
  start: async (databases) => lines.push(...(await benchmarkStart(databases, pairs))),
  page: async (databases) => lines.push(...(await benchmarkPage(databases, pairs, say))),
  webhooks: async (databases) => lines.push(...(await benchmarkWebhooks(databases, pairs))),
  metrics: async (databases) => lines.push(...(await benchmarkMetrics(databases, pairs))),
  audit: async (databases) =>
    lines.push(...(await benchmarkAudit(databases, { purchases: Number(options.get('purchases') ?? 100_000), limit: AUDIT_LIMIT, say }))),
  chain: async (databases) => chainRuns.push(...(await benchmarkChainBudget(databases, chainOptions()))),
}
requireKnown(Object.keys(benchmarks))
const databases = await openBenchDatabases(say)
try {
  for (const [name, run] of Object.entries(benchmarks)) {
    if (only && only !== name) continue
    say(`measuring: ${name} ...`)
    await run(databases)
  }
} finally {
  await databases.stop()
}
const json = options.get('json')
const measured = [
  ...lines.map((line) => ({ ...line, met: isMet(line) })),
  ...chainRuns.map((run) => ({ ...run, goals: goalsOf(run, chainRuns).map((goal) => ({ ...goal, met: isReached(goal) })) })),
]
const text = JSON.stringify(measured, undefined, 2)
if (json && json !== 'yes') await writeFile(json, `${text}\n`)
const tables = [lines.length > 0 && renderTable(lines), chainRuns.length > 0 && renderChainRuns(chainRuns)].filter(
  (table) => table !== false,
)
process.stdout.write(`${json === 'yes' ? text : tables.join('\n\n')}\n`)
process.exit()

function chainOptions() {
  return {
    seconds: Number(options.get('seconds') ?? 60),
    limits: listOf('limits', '10,50,200').map(Number),
    endpoints: listOf('endpoints', '1,2').map(Number),
    sends: listOf('sends', senders.join()).map((name) => senders.find((sender) => sender === name) ?? 'market'),
    say,
  }
}
