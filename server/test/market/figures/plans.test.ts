import { type WalletAddress } from '@juicebar/contract/addresses'
import pg from 'pg'
import { describe, expect, it } from 'vitest'
import { fillMarket } from '../../../bench/databases/fill-market.ts'
import { fillTrades, TRADER } from '../../../bench/databases/fill-trades.ts'
import { addHeldPurchases } from '../../../bench/databases/held-purchases.ts'
import { readCandles, readLevels, rollUpSales, readSummary, readTrades } from '../../../src/market/figure-store.ts'
import { type TradePosition } from '../../../src/market/figures.ts'
import { type EntryPosition } from '../../../src/market/profit.ts'
import { readEntries } from '../../../src/market/profit-store.ts'
import { createProfits } from '../../../src/market/read-profit.ts'
import { defaultCatalogue } from '../../support/catalogue.ts'
import { useFilledDatabase } from '../../support/executed-plans.ts'
import { useDatabase } from '../../support/fresh-database.ts'

const DRINK = 'GRAPE_SODA'
const codes = defaultCatalogue.items.map(({ code }) => code)

describe('in a market of many trades', () => {
  /** Enough for PostgreSQL to choose as it does for ten million, which `PLAN_SALES=10000000` tries. */
  const SALES = Number(process.env['PLAN_SALES'] ?? 40_000)
  const SECONDS_APART = 20
  /** Of the sales of one drink in a step of 5 minutes. */
  const IN_STEP = 300 / SECONDS_APART
  const PAGE = 5

  const market = useFilledDatabase(
    ['sales', 'candles', 'purchases'],
    async (client, { pool }) => {
      // The newest was sold a moment ago, each of the drinks in turn, and one in a thousand was undone.
      await client.query(
        `insert into sales (ordinal, stamped_at, purchase_id, place, is_reversal, listing_id, buyer, seller, token_type, amount, price_lamports,
           fee_lamports, fee_basis_points, signature, settled_at)
         select n, now(), md5((n - (n % 1000 = 0)::int)::text)::uuid, 1, n % 1000 = 0, gen_random_uuid(), 'buyer', 'seller',
           (array['APPLE_JUICE', 'GRAPE_SODA', 'ORANGE_JUICE'])[(n - (n % 1000 = 0)::int) % 3 + 1], 1, 1000000 + n % 77, 0, 0, 'signature ' || n,
           now() - ($1::bigint - n) * interval '${SECONDS_APART} s'
         from generate_series(1, $1::bigint) n`,
        [SALES],
      )
      await client.query('update sales_head set ordinal = $1', [SALES])
      await client.query(
        `insert into transfers (kind, token_type, amount, wallet_address, idempotency_key, created_at)
         select 'credit', 'APPLE_JUICE', 1, 'buyer', 'order ' || n, now() - n * interval '1 minute' from generate_series(1, $1::int / 10) n`,
        [SALES],
      )
      await client.query('vacuum analyze sales, transfers')
      while ((await client.query<{ count: number }>('select roll_up_sales(5000) as count')).rows[0]!.count > 0);
      await addHeldPurchases(pool.pg, { count: 10, sellers: 10 })
    },
    120_000 + SALES,
  )

  it('a page of trades is a walk along an index, from any place, of all drinks and of one', async () => {
    const middle = await market.readPool.query<TradePosition>(
      `select trade_time(settled_at) as "settledAt", purchase_id as "purchaseId", place from sales where ordinal = $1`,
      [SALES / 2 + 1],
    )
    for (const after of [undefined, middle.rows[0]!]) {
      for (const tokenType of [undefined, DRINK]) {
        // A page of trades, and one more sale, which was undone.
        expect(await market.longReads(() => readTrades(market.readPool, { tokenType, limit: PAGE, after }), PAGE + 2)).toEqual([])
      }
    }
  })

  it('a page of a player’s ledger is a walk along three indexes, from any place, however much the player traded', async () => {
    const longReadsAfter = async (after: EntryPosition | undefined, upTo?: bigint) => {
      let next: EntryPosition | undefined
      const asked = { wallet: 'buyer' as WalletAddress, limit: PAGE, after, ...(upTo !== undefined && { upTo }) }
      const long = await market.longReads(async () => void ({ next } = await readEntries(market.readPool, asked)), 3 * (PAGE + 1))
      expect(long).toEqual([])
      return next
    }
    const after = await longReadsAfter(undefined)
    expect(after).toBeDefined()
    await longReadsAfter(after, BigInt(SALES))
    const middle = { at: new Date(Date.now() - (SALES / 2) * SECONDS_APART * 1_000), purchaseId: null, place: null, orderId: 7n }
    await longReadsAfter(middle)
  })

  it('candles are a walk along the index, however many there are', async () => {
    const from = new Date(Date.now() - 2 * 3_600_000)
    const query = { tokenType: DRINK, step: '5m', from, to: new Date(from.getTime() + 1_800_000) } as const
    expect(await market.longReads(() => readCandles(market.readPool, query), 7)).toEqual([])
  })

  it('the summary reads a day of candles, and the trades of no more than one step of 5 minutes', async () => {
    const most = codes.length * (24 + 12 + IN_STEP + 1)
    expect(await market.longReads(() => readSummary(market.readPool, codes), most)).toEqual([])
  })

  it('rolling up what was just sold reads the trades and candles of its steps, and nothing else', async () => {
    const { database, pool } = market
    expect(await market.longReadsOfWrites(() => rollUpSales(database), 1)).toEqual([])
    const add = `
      insert into sales (ordinal, stamped_at, purchase_id, place, is_reversal, listing_id, buyer, seller, token_type, amount, price_lamports,
        fee_lamports, fee_basis_points, signature, settled_at)
      select $1, now(), purchase_id, place, $2, listing_id, buyer, seller, token_type, amount, price_lamports, 0, 0, signature, settled_at
      from sales where ordinal = $3`
    // As if it had been undone, and so had a sale long ago.
    await pool.query(add, [SALES + 1, true, SALES - 2])
    await pool.query(add, [SALES + 2, true, SALES / 2 + 1])
    await pool.query('update sales_head set ordinal = $1', [SALES + 2])
    let count = 0
    expect(await market.longReadsOfWrites(async () => void (count = await rollUpSales(database)), 2 * 24)).toEqual([])
    expect(count).toBe(2)
  })

  it('a settlement writes nothing of it', async () => {
    // A connection of its own: what a transaction before has written may still be in these figures.
    const client = new pg.Client({ connectionString: market.url })
    await client.connect()
    await client.query('begin')
    const { rows } = await client.query<{ id: string }>(`select id from purchases where status = 'held' limit 1`)
    await client.query(`select outcome from settle_purchase($1, 'a signature', 1, '', 1, true)`, [rows[0]!.id])
    const written = await client.query<{ table: string }>(
      `select relname as table from pg_stat_xact_user_tables where n_tup_ins + n_tup_upd + n_tup_del > 0 order by relname`,
    )
    await client.query('rollback')
    await client.end()
    const tables = ['balances', 'events', 'listings', 'payments', 'purchases', 'sales_to_stamp', 'transfers']
    expect(written.rows.map(({ table }) => table)).toEqual(tables)
  })
})

describe('in a market of many listings', () => {
  /** Enough for PostgreSQL to choose as it does for a million, which `PLAN_LISTINGS=1000000` tries. */
  const LISTINGS = Number(process.env['PLAN_LISTINGS'] ?? 20_000)
  /** Of all listings: those sold long ago stay in the table. */
  const SOLD = 0.8
  /** Listings that are for sale or held, of all drinks and of one. */
  let active: { all: number; drink: number }

  const market = useFilledDatabase(
    ['listings', 'sellers'],
    async (client) => {
      await fillMarket(client, LISTINGS)
      const close = `update listings set held_by = null, held_until = null, closed_at = now()`
      await client.query(`${close}, status = 'sold' where random() < $1`, [SOLD])
      // One drink is a rare one.
      await client.query(`${close}, status = 'removed' where status = 'active' and token_type = $1 and random() < 0.9`, [DRINK])
      await client.query('cluster listings using listings_pkey')
      const { rows } = await client.query<{ all: number; drink: number }>(
        `select count(*)::int as all, count(*) filter (where token_type = $1)::int as drink from listings where status = 'active'`,
        [DRINK],
      )
      active = rows[0]!
    },
    60_000 + LISTINGS / 2,
  )

  it('depth reads what is for sale of its drink, and nothing of what was sold or is another', async () => {
    expect(active.drink).toBeGreaterThan(20)
    expect(active.drink).toBeLessThan(active.all / 5)
    expect(await market.longReads(() => readLevels(market.readPool, DRINK), active.drink)).toEqual([])
  })

  it('the summary reads each listing that is for sale once, and none that was sold', async () => {
    expect(active.all).toBeLessThan(LISTINGS * (1 - SOLD) * 1.2)
    // A plan tells the mean of its loops, one for each drink, with two decimals.
    expect(await market.longReads(() => readSummary(market.readPool, codes), active.all + 1)).toEqual([])
  })
})

describe('the market that the figures are measured in', () => {
  const market = useDatabase()

  it('has as many trades as it is said to have, with their candles', async () => {
    const client = await market.pool.pg.connect()
    const count = `select (select count(*) from sales) as sales, (select sum(trades) from candles where step = '1d') as traded`
    for (const trades of [30, 30, 20]) {
      await fillTrades(client, trades)
      expect((await client.query(count)).rows[0]).toEqual({ sales: BigInt(trades), traded: String(trades) })
    }
    client.release()
    const { drinks } = await createProfits(market.connection)(TRADER)
    expect(drinks.map(({ tokenType }) => tokenType)).toEqual(codes.toSorted())
  })
})
