import { writeFile } from 'node:fs/promises'

import { openBenchDatabases } from './databases/bench-databases.ts'
import { benchmarkEventStream } from './benchmarks/event-stream.ts'
import { benchmarkMarket, type MarketSizes } from './benchmarks/market.ts'
import { type Line } from './measure/comparison.ts'
import { benchmarkSettlement } from './benchmarks/settlement.ts'
import { benchmarkSignIn } from './benchmarks/sign-in.ts'
import { isMet, renderTable } from './measure/table.ts'

/**
 * `npm run bench` runs all benchmarks on a PostgreSQL of its own in `.cache/bench`. `-- --only=live` runs one of market, settlement,
 * sign-in and live; `-- --pairs=9` runs more pairs; `-- --json=lines.json` writes JSON to a file, and `-- --json` prints it.
 */
const options = new Map(
  process.argv
    .slice(2)
    .map((argument) => argument.replace(/^--/, '').split('='))
    .map(([name, value]) => [name, value ?? 'yes']),
)
const pairs = Number(options.get('pairs') ?? 5)
const only = options.get('only')
const sizes: MarketSizes = { small: 1_000, large: [100_000, 1_000_000] }

const say = (sentence: string) => void process.stderr.write(`${sentence}\n`)
const databases = await openBenchDatabases(say)
const benchmarks: Record<string, () => Promise<Line[]>> = {
  market: () => benchmarkMarket(databases, sizes, pairs),
  settlement: () => benchmarkSettlement(databases, pairs),
  'sign-in': () => benchmarkSignIn(databases, pairs),
  live: () => benchmarkEventStream(pairs),
}
const lines: Line[] = []
try {
  for (const [name, run] of Object.entries(benchmarks)) {
    if (only && only !== name) continue
    say(`measuring: ${name} ...`)
    lines.push(...(await run()))
  }
} finally {
  await databases.stop()
}
const json = options.get('json')
const text = JSON.stringify(
  lines.map((line) => ({ ...line, met: isMet(line) })),
  undefined,
  2,
)
if (json && json !== 'yes') await writeFile(json, `${text}\n`)
process.stdout.write(`${json === 'yes' ? text : renderTable(lines)}\n`)
process.exit()
