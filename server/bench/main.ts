import { writeFile } from 'node:fs/promises'

import { openBenchDatabases } from './databases/bench-databases.ts'
import { liveLines } from './benchmarks/event-stream.ts'
import { marketLines, type MarketSizes } from './benchmarks/market.ts'
import { type Line } from './measure/comparison.ts'
import { settlementLines } from './benchmarks/settlement.ts'
import { signInLines } from './benchmarks/sign-in.ts'
import { isMet, renderTable } from './measure/table.ts'

/**
 * `npm run bench`, with `-- --json=lines.json` for JSON in a file (`--json` alone prints it), `-- --pairs=9` for more pairs and
 * `-- --only=live` for one part: market, settlement, sign-in or live. Uses its own PostgreSQL in `.cache/bench`.
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

const tell = (sentence: string) => void process.stderr.write(`${sentence}\n`)
const databases = await openBenchDatabases(tell)
const parts: Record<string, () => Promise<Line[]>> = {
  market: () => marketLines(databases, sizes, pairs),
  settlement: () => settlementLines(databases, pairs),
  'sign-in': () => signInLines(databases, pairs),
  live: () => liveLines(pairs),
}
const lines: Line[] = []
try {
  for (const [name, run] of Object.entries(parts)) {
    if (only && only !== name) continue
    tell(`measuring: ${name} ...`)
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
