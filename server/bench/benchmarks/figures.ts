import pg from 'pg'
import { TOKEN } from '../databases/catalogue.ts'
import { type BenchDatabases } from '../databases/bench-databases.ts'
import { connectDatabase } from '../../src/database/connect.ts'
import { createProfits } from '../../src/market/read-profit.ts'
import { fillTrades, TRADER, TRADER_TRADES } from '../databases/fill-trades.ts'
import { asMillis, compare, type Line, runConcurrently } from '../measure/comparison.ts'
import { runLoad } from '../measure/http-load.ts'
import { startServer } from '../servers/start-server.ts'

const LISTINGS = 100_000
const CONNECTIONS = 32
const SECONDS = 1.5
/** In one run. */
const PROFITS = 3
const HOUR = 3_600_000
const root = '/api/marketplace'
const page = `${root}/listings`

/** What is answered from memory, which must cost no more than a first page of as many bytes; of each, one that many players look at. */
const fromMemory: [name: string, path: string, least: number][] = [
  ['candles of a week, from memory', `${root}/candles?tokenType=${TOKEN}&step=1h`, 0.7],
  ['depth, from memory', `${root}/depth?tokenType=${TOKEN}`, 0.5],
  ['summary, from memory', `${root}/summary`, 0.9],
  ['trades, from memory', `${root}/trades?tokenType=${TOKEN}`, 0.9],
]

/** Trades, candles, depth and summary of a market with so many trades, beside its pages of listings; and the profit of a player with many. */
export async function benchmarkFigures(
  databases: BenchDatabases,
  { trades: count, pairs }: { trades: number; pairs: number },
): Promise<Line[]> {
  const url = await databases.market(LISTINGS)
  const client = new pg.Client({ connectionString: url })
  try {
    await client.connect()
    await fillTrades(client, count)
  } finally {
    await client.end()
  }
  const server = await startServer({ role: 'product', databaseUrl: url })
  const load = (next: (turn: number) => string) =>
    runLoad({ port: server.port, connections: CONNECTIONS, seconds: SECONDS, next: (turn) => ({ method: 'GET', path: next(turn) }) })
  const readJson = async (path: string): Promise<unknown> => (await fetch(`http://127.0.0.1:${server.port}${path}`)).json()
  try {
    const lines: Line[] = []
    for (const [name, path, least] of fromMemory) {
      const comparison = { name, reference: 'first page, same server', unit: '/s', goal: { least } }
      lines.push(await compare({ ...comparison, ours: () => load(() => path), theirs: () => load(() => page) }, pairs))
    }
    const listings = await cursorsOf(readJson, page)
    const trades = await cursorsOf(readJson, `${root}/trades`)
    const otherPages = () => load((turn) => `${page}?cursor=${listings[turn % listings.length]}`)
    const comparison = { reference: 'other pages, same server', unit: '/s', goal: { least: 0.5 }, theirs: otherPages }
    const start = Date.now()
    lines.push(
      await compare(
        {
          ...comparison,
          name: 'other candles',
          // A page of listings is stored text; 168 candles are rows that become text.
          goal: { least: 0.2 },
          // Never the same twice in a row, and none from memory.
          ours: () =>
            load(
              (turn) =>
                `${root}/candles?tokenType=${TOKEN}&step=1h&from=${timeText(start - (168 + turn) * HOUR - turn)}&to=${timeText(start - turn * HOUR)}`,
            ),
        },
        pairs,
      ),
      await compare(
        {
          ...comparison,
          name: 'other pages of trades',
          ours: () => load((turn) => `${root}/trades?cursor=${trades[turn % trades.length]}`),
        },
        pairs,
      ),
    )
    lines.push(await benchmarkProfit(url, Math.min(count, TRADER_TRADES), pairs))
    return lines
  } finally {
    server.stop()
  }
}

/** How long the profit of a player takes who has traded much, read page by page, beside all the rows in one statement. */
async function benchmarkProfit(url: string, trades: number, pairs: number): Promise<Line> {
  const connection = connectDatabase(url, () => undefined)
  // A reader of its own each time: one that is asked again pauses, so that nobody else waits.
  const readProfit = async () => {
    const { drinks } = await createProfits(connection)(TRADER)
    if (drinks.reduce((sum, { bought }) => sum + bought.amount, 0) < trades) throw new Error('not every trade was counted')
  }
  const reference = 'its rows in one statement'
  const rows = {
    name: 'rows of a player',
    text: 'select settled_at, token_type, amount, price_lamports from sales where buyer = $1',
    values: [TRADER],
  }
  try {
    return asMillis(
      await compare(
        {
          name: `profit of a player with ${trades.toLocaleString('en')} trades`,
          reference,
          unit: 'ms',
          goal: { most: 5 },
          ours: () => runConcurrently(PROFITS, 1, readProfit),
          theirs: () => runConcurrently(PROFITS, 1, () => connection.readPool.query(rows)),
        },
        pairs,
      ),
    )
  } finally {
    await connection.close()
  }
}

function timeText(millis: number): string {
  return new Date(millis).toISOString()
}

/** Where the second and later pages of a list begin. */
async function cursorsOf(readJson: (path: string) => Promise<unknown>, path: string): Promise<string[]> {
  const cursors: string[] = []
  while (cursors.length < 20) {
    const cursor = cursors.at(-1)
    const reply = await readJson(cursor === undefined ? path : `${path}?cursor=${cursor}`)
    const next = typeof reply === 'object' && reply !== null && 'nextCursor' in reply ? reply.nextCursor : null
    if (typeof next !== 'string') break
    cursors.push(next)
  }
  return cursors
}
