import { listingSorts } from '@juicebar/contract/schemas/market'
import pg from 'pg'
import { catalogue, TOKEN, tokens } from '../databases/catalogue.ts'
import { formatCursor, type MarketQuery, readMarketQuery } from '../../src/market/market-query.ts'
import { pageStatement } from '../../src/market/market-store.ts'
import { type BenchDatabases } from '../databases/bench-databases.ts'
import { type Request, runLoad } from '../measure/http-load.ts'
import { compare, type Line, percentile, runConcurrently, type Sample } from '../measure/comparison.ts'
import { findPgbench, type Pgbench } from '../measure/pgbench.ts'
import { type ServerProcess, startServer } from '../servers/start-server.ts'

const CONNECTIONS = 32
const SECONDS = 1.5
const DATABASE_CONCURRENCY = 16
/** Enough to keep two cores busy; more would only prepare more statements in each run. */
const PGBENCH_CLIENTS = 8
const PGBENCH_SECONDS = 3
/** The setting of the product's read pool. */
const ONE_PLAN = '-c plan_cache_mode=force_generic_plan'
/** How many random listings of a market pages start at. */
const STARTS = 1_000
/** A quote of so many drinks needs about ten listings. */
const MAX_QUOTED = 5_000
const MAX_SEARCH_MILLIS = 50
const path = '/api/marketplace/listings'

/** How many listings the markets have. */
export interface MarketSizes {
  small: number
  large: number[]
}

/** A filled market, and the product over it. */
interface Market {
  listings: number
  url: string
  server: ServerProcess
  starts: PageStart[]
}

/** A listing that a page can start at, in any order. */
interface PageStart {
  id: string
  price: string
  unitPrice: string
}

/** First pages and other pages of the largest market, quotes compared with pages, and pages and searches of every market with those of the smallest. */
export async function benchmarkMarket(databases: BenchDatabases, sizes: MarketSizes, pairs: number): Promise<Line[]> {
  const markets: Market[] = []
  for (const listings of [sizes.small, ...sizes.large]) markets.push(await openMarket(databases, listings))
  const [small, ...large] = markets
  const largest = large.at(-1)
  if (!small || !largest) throw new Error('there is no market to measure')
  const bare = await startServer({ role: 'bare', body: await (await fetch(`http://127.0.0.1:${largest.server.port}${path}`)).text() })
  try {
    const lines = [...(await firstPageLines(largest, bare, pairs)), ...(await pageLines(largest, bare, pairs))]
    for (const market of large) lines.push(await quoteLine(market, pairs))
    for (const market of large) lines.push(await pagesBySizeLine(market, small, pairs), await searchLine(market, small, pairs))
    return lines
  } finally {
    for (const { stop } of [...markets.map((market) => market.server), bare]) stop()
  }
}

async function openMarket(databases: BenchDatabases, listings: number): Promise<Market> {
  const url = await databases.market(listings)
  const pool = new pg.Pool({ connectionString: url, max: 1 })
  const { rows } = await pool.query<PageStart>(
    `select id, price_lamports as price, unit_lamports as "unitPrice" from listings where status = 'active' order by random() limit ${STARTS}`,
  )
  await pool.end()
  return { listings, url, server: await startServer({ role: 'product', databaseUrl: url }), starts: rows }
}

function nameBySize(what: string, market: Market, small: Market) {
  return {
    name: `${what}, ${market.listings.toLocaleString('en')} listings`,
    reference: `${small.listings.toLocaleString('en')} listings`,
  }
}

function pagesBySizeLine(market: Market, small: Market, pairs: number): Promise<Line> {
  const comparison = { ...nameBySize('other pages', market, small), unit: '/s', goal: { least: 0.9 } }
  return compare({ ...comparison, ours: () => loadPages(market), theirs: () => loadPages(small) }, pairs)
}

async function firstPageLines({ server, url }: Market, bare: ServerProcess, pairs: number): Promise<Line[]> {
  const firstPage = (): Request => ({ method: 'GET', path })
  const comparison = {
    reference: 'bare Fastify, same bytes',
    unit: '/s',
    goal: { least: 0.9 },
    ours: () => load(server, firstPage),
    theirs: () => load(bare, firstPage),
  }
  const still = await compare({ ...comparison, name: 'first page' }, pairs)
  const writes = await startServer({ role: 'writes', databaseUrl: url, perSecond: 100 })
  const busy = await compare({ ...comparison, name: 'first page, 100 writes/s' }, pairs)
  writes.stop()
  return [still, busy]
}

async function pageLines(market: Market, bare: ServerProcess, pairs: number): Promise<Line[]> {
  const pool = new pg.Pool({ connectionString: market.url, max: DATABASE_CONCURRENCY, options: ONE_PLAN })
  const pgbench = await findPgbench()
  const comparison = { name: 'other pages', unit: '/s', ours: () => loadPages(market) }
  const database = { ...comparison, goal: { least: 0.55 } }
  const firstPage = (): Request => ({ method: 'GET', path })
  const lines = [
    await compare(
      { ...comparison, reference: 'bare Fastify, a first page', goal: { least: 0.2 }, theirs: () => load(bare, firstPage) },
      pairs,
    ),
    await compare({ ...database, reference: 'bare pg loop, same SQL', theirs: () => askDatabase(pool, market) }, pairs),
  ]
  if (pgbench)
    lines.push(await compare({ ...database, reference: 'pgbench, same SQL', theirs: () => askByPgbench(pgbench, market) }, pairs))
  await pool.end()
  return lines
}

function askDatabase(pool: pg.Pool, market: Market): Promise<Sample> {
  return runConcurrently(1_500, DATABASE_CONCURRENCY, (turn) => pool.query(pageOf(market, turn).statement))
}

/** The same kinds of pages. They start at random prices, which pgbench draws as `fillMarket` does, or at given ids when sorted by age. */
function askByPgbench(pgbench: Pgbench, market: Market): Promise<Sample> {
  const draw = '\\set price random(1, 100000) * 1000000\n\\set unit :price / random(1, 1000)\n'
  const scripts = Array.from({ length: 2 * listingSorts.length }, (_, turn) => {
    const { query, statement } = pageOf(market, turn)
    const drawn = query.sort.endsWith('unitPrice') ? ':unit' : query.sort.endsWith('price') ? ':price' : undefined
    const literal = (value: unknown) => (drawn && value === query.cursor?.key ? drawn : sqlLiteral(value))
    return `${draw}${statement.text.replaceAll(/\$(\d+)/g, (_all, position) => literal(statement.values?.[Number(position) - 1]))};\n`
  })
  return pgbench.run({ url: market.url, options: ONE_PLAN }, scripts, PGBENCH_CLIENTS, { seconds: PGBENCH_SECONDS })
}

function sqlLiteral(value: unknown): string {
  return typeof value === 'number' ? String(value) : `'${Array.isArray(value) ? `{${value.join(',')}}` : String(value)}'`
}

function pageOf(market: Market, turn: number): { query: MarketQuery; statement: pg.QueryConfig<unknown[]> } {
  const query = readMarketQuery(pageFields(market, turn), catalogue)
  if (query.scope.kind === 'none') throw new Error('the bench requests only pages with listings')
  return { query, statement: pageStatement(query, query.scope) }
}

/** Pages from all over the market, in every order, of all tokens and of one, never the same twice in a row. */
function pageFields({ starts }: Market, turn: number) {
  const sort = listingSorts[turn % listingSorts.length] ?? 'newest'
  const start = starts[(turn * 7919) % starts.length]
  if (!start) throw new Error('the market is empty')
  const key = sort.endsWith('unitPrice') ? start.unitPrice : sort.endsWith('price') ? start.price : start.id
  return { sort, cursor: formatCursor(sort, { key, id: start.id }), ...(turn % 3 === 0 && { tokenType: TOKEN }) }
}

function loadPages(market: Market): Promise<Sample> {
  return load(market.server, (turn) => ({ method: 'GET', path: `${path}?${new URLSearchParams(pageFields(market, turn)).toString()}` }))
}

function load(server: ServerProcess, next: (turn: number) => Request): Promise<Sample> {
  return runLoad({ port: server.port, connections: CONNECTIONS, seconds: SECONDS, next })
}

/** Quotes of a few drinks and of thousands, of every drink, never the same twice in a row. */
function quoteLine(market: Market, pairs: number): Promise<Line> {
  const loadQuotes = () =>
    load(market.server, (turn) => {
      const tokenType = tokens[turn % tokens.length] ?? ''
      const amount = String(1 + ((turn * 7919) % MAX_QUOTED))
      return { method: 'GET', path: `/api/marketplace/quote?${new URLSearchParams({ tokenType, amount }).toString()}` }
    })
  return compare(
    {
      name: `quotes, ${market.listings.toLocaleString('en')} listings`,
      reference: 'other pages, same market',
      unit: '/s',
      goal: { least: 0.33 },
      ours: loadQuotes,
      theirs: () => loadPages(market),
    },
    pairs,
  )
}

/** Every kind of search in every order, one after another. */
async function searchLine(market: Market, small: Market, pairs: number): Promise<Line> {
  const pool = new pg.Pool({ connectionString: market.url, max: 1 })
  const { rows } = await pool.query<{ seller: string }>('select seller from listings group by seller order by count(*) desc limit 1')
  await pool.end()
  const seller = rows[0]?.seller ?? ''
  const terms = ['z', 'q7', 'zzz', seller.slice(3, 6), seller.slice(3, 9), seller, 'juice', 'soda', 'app', 'zqzqzqzq', '100%', 'le']
  const requests = terms.flatMap((search) =>
    listingSorts.flatMap((sort) => [
      { search, sort },
      { search, sort, tokenType: 'GRAPE_SODA' },
      { search, sort, seller },
    ]),
  )
  const searches = ({ server }: Market) =>
    runLoad({
      port: server.port,
      connections: 1,
      requests: requests.length,
      next: (turn) => ({ method: 'GET', path: `${path}?${new URLSearchParams(requests[turn]).toString()}` }),
    })
  const slowest: number[] = []
  const ours = async () => {
    const sample = await searches(market)
    slowest.push(percentile(sample.millis, 1))
    return sample
  }
  const comparison = { ...nameBySize('searches', market, small), unit: '/s', goal: { least: 0.9 } }
  const line = await compare({ ...comparison, ours, theirs: () => searches(small) }, pairs)
  const slow = slowest.filter((millis) => millis > MAX_SEARCH_MILLIS).length
  process.stderr.write(
    `the slowest search of each run: ${slowest.map((millis) => millis.toFixed(1)).join(', ')} ms (${slow} above ${MAX_SEARCH_MILLIS})\n`,
  )
  return line
}
