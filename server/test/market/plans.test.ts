import { type ListingSort } from '@juicebar/contract/schemas'
import { listingSorts } from '@juicebar/contract/schemas/market'
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type Catalogue } from '../../src/catalogue/catalogue.ts'
import { recordCatalogue } from '../../src/inventory/record-catalogue.ts'
import { catalogueOf, defaultCatalogue } from '../support/catalogue.ts'
import { fillMarket, randomWallet } from '../../bench/databases/fill-market.ts'
import { connectDatabase } from '../../src/database/connect.ts'
import { findCandidates, readMarketPage } from '../../src/market/market-store.ts'
import { formatCursor, readMarketQuery } from '../../src/market/market-query.ts'
import { type Step, useFilledDatabase } from '../support/executed-plans.ts'

/** Enough for PostgreSQL to choose as it does for a million, which `PLAN_LISTINGS=1000000` tries. */
const LISTINGS = Number(process.env['PLAN_LISTINGS'] ?? 20_000)
const FORMER_SELLERS = 20_000
const FILL_MILLIS = 60_000 + 2 * LISTINGS

interface Case {
  catalogue: Catalogue
  listings: number
  /** Of an item. */
  code: string
  /** In the name of one item, or of many. */
  word: string
  /** Ways in which any page may find listings. A walk that is not bounded is none of them. */
  always: Way[]
}

const cases: [items: string, Case][] = [
  ['three items', { catalogue: defaultCatalogue, listings: LISTINGS, code: 'GRAPE_SODA', word: 'apple', always: [] }],
  [
    '200 items',
    {
      catalogue: catalogueOf(200),
      listings: 4 * LISTINGS,
      code: 'ITEM_007',
      word: 'item 1',
      always: ['all', 'drink', 'drink alone', 'seller alone', 'tokens of a seller'],
    },
  ],
]

/** How a page may find listings: along an index of all of them, of a drink or of a seller's drink; `alone` reads no table. */
type Way = 'all' | 'drink' | 'drink alone' | 'seller alone' | 'tokens of a seller'

function scanOf(way: Way, sort: ListingSort): string {
  const key = sort.endsWith('unitPrice') ? '_unit_price' : sort.endsWith('price') ? '_price' : ''
  switch (way) {
    case 'all':
      return `Index Scan using ${key ? `listings_by${key}` : 'listings_newest'}`
    case 'drink':
      return `Index Scan using listings_by_token${key}`
    case 'drink alone':
      return `Index Only Scan using listings_by_token${key}`
    case 'seller alone':
      return `Index Only Scan using listings_by_seller_token${key}`
    case 'tokens of a seller':
      return 'Index Only Scan using listings_by_seller_token_unit_price'
  }
}

/** A listing that is shown, looked up by its id. */
const LOOKUP = 'Index Scan using listings_pkey'

/** Every way in which a plan reads a table. What is not bounded is marked: a walk must end at a limit, and nothing may be filtered out on it. */
function readsOf(step: Step, above?: Step): string[] {
  const below = (step.Plans ?? []).flatMap((part) => readsOf(part, step))
  if (step['Node Type'] === 'Bitmap Index Scan') return [`Bitmap Index Scan on ${step['Index Name']}`]
  if (!step['Relation Name'] || step['Node Type'] === 'Bitmap Heap Scan') return below
  const index = step['Index Name'] ? ` using ${step['Index Name']}` : ''
  const bounded = step.Filter === undefined && (above?.['Node Type'] === 'Limit' || step['Parent Relationship'] === 'SubPlan')
  return [...below, `${step['Node Type']}${index}${bounded ? '' : `, unbounded${step.Filter ? ` by ${step.Filter}` : ''}`}`]
}

/** How many pages of the tables `vacuum` has marked as visible to all: only those need not be read beside an index. */
const visibilities = [
  ['after a vacuum', 'relpages'],
  ['long after a vacuum', '0'],
] as const

describe.each(cases)('in a market of %s', (_items, { catalogue, listings, code, word, always }) => {
  let seller: string

  const market = useFilledDatabase(
    ['listings', 'sellers'],
    async (client, { database }) => {
      await recordCatalogue(database, catalogue)
      await fillMarket(client, listings)
      await client.query('insert into sellers select unnest($1::text[])', [Array.from({ length: FORMER_SELLERS }, randomWallet)])
      // What was sold long ago stays in the table, and no page may walk past it.
      await client.query(`update listings set status = 'sold', held_by = null, held_until = null, closed_at = now() where random() < 0.5`)
      // In the order in which they were listed, as in a market that grew: the planner then finds an index in this order the cheapest to walk.
      await client.query('cluster listings using listings_pkey')
      const { rows } = await client.query<{ seller: string }>('select seller from sellers limit 1')
      seller = rows[0]!.seller
    },
    FILL_MILLIS,
  )

  /** Terms of three characters and less are in no item's name. */
  const listed: [what: string, fields: () => Record<string, string>, ways: Way[]][] = [
    ['everything', () => ({}), ['all']],
    ['a drink', () => ({ tokenType: code }), ['drink', 'seller alone']],
    ['a seller', () => ({ seller }), ['drink', 'seller alone']],
    ["a seller's drink", () => ({ seller, tokenType: code }), ['drink', 'seller alone']],
    ['a drink by its name', () => ({ search: word }), ['drink', 'seller alone']],
    ['an address', () => ({ search: seller }), ['drink', 'seller alone']],
    ['three characters', () => ({ search: 'zq7' }), ['drink', 'seller alone']],
    ['three characters, of a drink', () => ({ search: 'zq7', tokenType: code }), ['drink', 'seller alone']],
    ['two characters', () => ({ search: 'q7' }), ['drink alone']],
    ['two characters, of a drink', () => ({ search: 'q7', tokenType: code }), ['drink alone']],
    ['one character', () => ({ search: 'z' }), ['drink alone']],
    ['one character, of a drink', () => ({ search: 'z', tokenType: code }), ['drink alone']],
  ]

  describe.each(visibilities)('%s', (_when, visiblePages) => {
    beforeAll(async () => {
      await market.pool.query(`update pg_class set relallvisible = ${visiblePages} where relname in ('listings', 'sellers')`)
    })

    describe.each(['force_custom_plan', 'force_generic_plan'])('under %s', (mode) => {
      beforeEach(async () => {
        await market.readPool.query(`set plan_cache_mode = ${mode}`)
        // Without the plans of the functions that a statement calls.
        await market.readPool.query('set auto_explain.log_nested_statements = off')
      })
      afterEach(() => expect(market.readPool.pg.totalCount, 'one connection, whose plans are these').toBe(1))

      it.each(listed)('pages of %s come from indexes, in every order and from any start', async (_what, fields, ways) => {
        for (const sort of listingSorts) {
          const query = { ...fields(), sort, limit: 2 }
          const allowed = ['Bitmap Index Scan on sellers_by_substring', LOOKUP, ...[...ways, ...always].map((way) => scanOf(way, sort))]
          const plans = await market.plansOfReads(async () => {
            const { next } = await readMarketPage(market.readPool, readMarketQuery(query, catalogue))
            if (next) await readMarketPage(market.readPool, readMarketQuery({ ...query, cursor: formatCursor(sort, next) }, catalogue))
          })
          const reads = plans.flatMap((plan) => readsOf(plan))
          expect(reads.length).toBeGreaterThan(0)
          expect({ sort, others: reads.filter((read) => !allowed.includes(read)) }).toEqual({ sort, others: [] })
        }
      })

      it('a quote walks along one index, no further than its limit, however little of it is for sale', async () => {
        for (const most of [1, 300]) {
          const wanted = { tokenType: code, amount: 1, excludeSeller: undefined }
          const plans = await market.plansOfReads(() => findCandidates(market.readPool, wanted, most))
          const reads = plans.flatMap((plan) => readsOf(plan))
          // The studio's rules are a row for each item at most.
          expect(reads.filter((read) => !read.startsWith('Seq Scan, unbounded by (token_type = '))).toEqual([scanOf('drink', 'unitPrice')])
        }
      })
    })
  })

  it("the product's own connection plans a page once, whatever is asked", async () => {
    const { readPool, close } = connectDatabase(market.url, () => undefined)
    for (const tokenType of [catalogue.items[0]!.code, code]) await readMarketPage(readPool, readMarketQuery({ tokenType }, catalogue))
    const { rows } = await readPool.query('select generic_plans, custom_plans from pg_prepared_statements')
    expect(rows).toEqual([{ generic_plans: 2n, custom_plans: 0n }])
    await close()
  })
})
