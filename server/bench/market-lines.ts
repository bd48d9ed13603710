import { listingSorts } from '@juicebar/contract/schemas'
import pg from 'pg'

import { readMarketQuery } from '../src/market/market-query.ts'
import { pageStatement } from '../src/market/market-store.ts'
import { type BenchDatabases } from './bench-database.ts'
import { type Request, runLoad } from './http-load.ts'
import { compare, type Line, percentile, runLanes, type Sample } from './pairs.ts'
import { type ServerProcess, startProcess } from './processes.ts'

const CONNECTIONS = 32
const SECONDS = 1.5
const DATABASE_LANES = 16
const MOST_SEARCH_MILLIS = 50
const path = '/api/marketplace/listings'

export interface MarketSizes {
  small: number
  large: number
}

/** Everything that only reads: the first page, other pages, and both at either size of the market. */
export async function marketLines(databases: BenchDatabases, sizes: MarketSizes, pairs: number): Promise<Line[]> {
  const smallUrl = await databases.market(sizes.small)
  const largeUrl = await databases.market(sizes.large)
  const small = await startProcess({ role: 'product', databaseUrl: smallUrl })
  const large = await startProcess({ role: 'product', databaseUrl: largeUrl })
  const bare = await startProcess({ role: 'bare', body: await (await fetch(`http://127.0.0.1:${large.port}${path}`)).text() })
  try {
    return [
      ...(await firstPageLines(large, bare, largeUrl, pairs)),
      ...(await pageLines(large, bare, largeUrl, pairs)),
      await compare(
        {
          name: `other pages, ${sizes.large.toLocaleString('en')} lots`,
          reference: `${sizes.small.toLocaleString('en')} lots`,
          unit: '/s',
          goal: { least: 0.9 },
          ours: () => load(large, otherPage),
          theirs: () => load(small, otherPage),
        },
        pairs,
      ),
      await searchLine(large, small, largeUrl, sizes, pairs),
    ]
  } finally {
    for (const server of [small, large, bare]) server.stop()
  }
}

async function firstPageLines(product: ServerProcess, bare: ServerProcess, databaseUrl: string, pairs: number): Promise<Line[]> {
  const firstPage = (): Request => ({ method: 'GET', path })
  const contest = {
    reference: 'bare Fastify, same bytes',
    unit: '/s',
    goal: { least: 0.9 },
    ours: () => load(product, firstPage),
    theirs: () => load(bare, firstPage),
  }
  const still = await compare({ ...contest, name: 'first page' }, pairs)
  const writes = await startProcess({ role: 'writes', databaseUrl, perSecond: 100 })
  const busy = await compare({ ...contest, name: 'first page, 100 writes/s' }, pairs)
  writes.stop()
  return [still, busy]
}

async function pageLines(product: ServerProcess, bare: ServerProcess, databaseUrl: string, pairs: number): Promise<Line[]> {
  const pool = new pg.Pool({ connectionString: databaseUrl, max: DATABASE_LANES })
  const contest = { name: 'other pages', unit: '/s', ours: () => load(product, otherPage) }
  const lines = [
    await compare(
      {
        ...contest,
        reference: 'bare Fastify, a first page',
        goal: { least: 0.2 },
        theirs: () => load(bare, () => ({ method: 'GET', path })),
      },
      pairs,
    ),
    await compare({ ...contest, reference: 'bare pg loop, same SQL', goal: { least: 0.55 }, theirs: () => askDatabase(pool) }, pairs),
  ]
  await pool.end()
  return lines
}

function askDatabase(pool: pg.Pool): Promise<Sample> {
  return runLanes(1_500, DATABASE_LANES, (turn) => {
    const query = readMarketQuery(pageFields(turn))
    if (query.scope.kind === 'nothing') throw new Error('the bench asks for pages with lots')
    return pool.query(pageStatement(query, query.scope))
  })
}

/** Pages somewhere within each sort, of the whole market and of one drink: never the same one twice in a row. */
function pageFields(turn: number) {
  const sort = listingSorts[turn % listingSorts.length] ?? 'newest'
  const spread = (turn * 7919) % 100_000
  const key =
    sort === 'newest' || sort === 'oldest' ? id(spread) : String((spread + 1) * (sort.endsWith('unitPrice') ? 100_000 : 1_000_000))
  const cursor = Buffer.from(JSON.stringify([sort, key, id(spread)])).toString('base64url')
  return { sort, cursor, ...(turn % 3 === 0 && { tokenType: 'APPLE_JUICE' }) }
}

/** An identifier of about now, so that `newest` has everything behind it. */
function id(spread: number): string {
  const hex = (Date.now() - spread).toString(16).padStart(12, '0')
  return `${hex.slice(0, 8)}-${hex.slice(8)}-7000-8000-000000000000`
}

function otherPage(turn: number): Request {
  return { method: 'GET', path: `${path}?${new URLSearchParams(pageFields(turn)).toString()}` }
}

function load(server: ServerProcess, next: (turn: number) => Request): Promise<Sample> {
  return runLoad({ port: server.port, connections: CONNECTIONS, seconds: SECONDS, next })
}

/** Every kind of search in every order, one after the other, as one person would wait for it. */
async function searchLine(
  large: ServerProcess,
  small: ServerProcess,
  databaseUrl: string,
  sizes: MarketSizes,
  pairs: number,
): Promise<Line> {
  const pool = new pg.Pool({ connectionString: databaseUrl, max: 1 })
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
  const searches = (server: ServerProcess) =>
    runLoad({
      port: server.port,
      connections: 1,
      requests: requests.length,
      next: (turn) => ({ method: 'GET', path: `${path}?${new URLSearchParams(requests[turn]).toString()}` }),
    })
  const slowest: number[] = []
  const line = await compare(
    {
      name: `searches, ${sizes.large.toLocaleString('en')} lots`,
      reference: `${sizes.small.toLocaleString('en')} lots`,
      unit: '/s',
      goal: { least: 0.9 },
      ours: async () => {
        const sample = await searches(large)
        slowest.push(percentile(sample.millis, 1))
        return sample
      },
      theirs: () => searches(small),
    },
    pairs,
  )
  const slow = slowest.filter((millis) => millis > MOST_SEARCH_MILLIS).length
  process.stderr.write(
    `the slowest search of each run: ${slowest.map((millis) => millis.toFixed(1)).join(', ')} ms (${slow} above ${MOST_SEARCH_MILLIS})\n`,
  )
  return line
}
