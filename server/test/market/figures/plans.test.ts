import { type WalletAddress } from '@juicebar/contract/addresses'
import pg from 'pg'
import { afterAll, beforeAll, expect, it } from 'vitest'

import { defaultCatalogue } from '../../support/catalogue.ts'
import { addHeldPurchases } from '../../../bench/databases/held-purchases.ts'
import { connectDatabase, type DatabaseConnection } from '../../../src/database/connect.ts'
import { readCandles } from '../../../src/market/figures/candle-store.ts'
import { rollUpSales } from '../../../src/market/figures/roll-up-store.ts'
import { readSummary } from '../../../src/market/figures/summary-store.ts'
import { type TradePosition } from '../../../src/market/figures/trade.ts'
import { readTrades } from '../../../src/market/figures/trade-store.ts'
import { type EntryPosition } from '../../../src/market/profit/ledger-entry.ts'
import { readEntries } from '../../../src/market/profit/ledger-entry-store.ts'
import { type LongReadsOf, tellPlans, watchPlans } from '../../support/executed-plans.ts'
import { type FreshDatabase, freshDatabase } from '../../support/fresh-database.ts'

/** Enough for PostgreSQL to choose as it does for ten million, which `PLAN_SALES=10000000` tries. */
const SALES = Number(process.env['PLAN_SALES'] ?? 40_000)
const FILL_MILLIS = 120_000 + SALES
const SECONDS_APART = 20
/** Of the sales of one drink in a step of 5 minutes. */
const IN_STEP = 300 / SECONDS_APART
const PAGE = 5
/** Drinks that are for sale, and that were traded. */
const DRINKS = 3

let fresh: FreshDatabase
let connection: DatabaseConnection
let longReads: LongReadsOf
let longReadsOf: LongReadsOf

beforeAll(async () => {
  fresh = await freshDatabase()
  const client = new pg.Client({ connectionString: fresh.url })
  await client.connect()
  for (const table of ['sales', 'candles', 'purchases']) await client.query(`alter table ${table} set (autovacuum_enabled = off)`)
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
  await client.query('vacuum analyze')
  connection = connectDatabase(fresh.url, () => undefined)
  await addHeldPurchases(connection.pool.pg, { count: 10, sellers: 10 })
  await connection.close()
  await tellPlans(client)
  await client.end()
  connection = connectDatabase(fresh.url, () => undefined)
  longReadsOf = watchPlans(connection)
  longReads = watchPlans({ ...connection, pool: connection.readPool })
}, FILL_MILLIS)
afterAll(async () => {
  await connection.close()
  await fresh.drop()
})

it('a page of trades is a walk along an index, from any place, of all drinks and of one', async () => {
  const middle = await connection.readPool.query<TradePosition>(
    `select trade_time(settled_at) as "settledAt", purchase_id as "purchaseId", place from sales where ordinal = $1`,
    [SALES / 2 + 1],
  )
  for (const after of [undefined, middle.rows[0]!]) {
    for (const tokenType of [undefined, 'GRAPE_SODA']) {
      // A page of trades, and one more sale, which was undone.
      expect(await longReads(() => readTrades(connection.readPool, { tokenType, limit: PAGE, after }), PAGE + 2)).toEqual([])
    }
  }
})

it('a page of a player’s ledger is a walk along three indexes, from any place, however much the player traded', async () => {
  const both = { wallet: 'buyer' as WalletAddress, limit: PAGE }
  const most = 3 * (PAGE + 1)
  let after: EntryPosition | undefined
  expect(
    await longReads(async () => void ({ next: after } = await readEntries(connection.readPool, { ...both, after: undefined })), most),
  ).toEqual([])
  expect(after).toBeDefined()
  expect(await longReads(() => readEntries(connection.readPool, { ...both, after, upTo: BigInt(SALES) }), most)).toEqual([])
  const middle = { at: new Date(Date.now() - (SALES / 2) * SECONDS_APART * 1_000), purchaseId: null, place: null, orderId: 7n }
  expect(await longReads(() => readEntries(connection.readPool, { ...both, after: middle }), most)).toEqual([])
})

it('candles are a walk along the index, however many there are', async () => {
  const from = new Date(Date.now() - 2 * 3_600_000)
  const to = new Date(from.getTime() + 1_800_000)
  const query = { tokenType: 'GRAPE_SODA', step: '5m', from, to } as const
  expect(await longReads(() => readCandles(connection.readPool, query), 7)).toEqual([])
})

it('the summary reads a day of candles, and the trades of no more than one step of 5 minutes', async () => {
  const codes = defaultCatalogue.items.map(({ code }) => code)
  const most = DRINKS * (24 + 12 + IN_STEP + 1)
  expect(await longReads(() => readSummary(connection.readPool, codes), most)).toEqual([])
})

it('rolling up what was just sold reads the trades and candles of its steps, and nothing else', async () => {
  const { database, pool } = connection
  expect(await longReadsOf(() => rollUpSales(database), 1)).toEqual([])
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
  expect(await longReadsOf(async () => void (count = await rollUpSales(database)), 2 * 24)).toEqual([])
  expect(count).toBe(2)
})

it('a settlement writes nothing of it', async () => {
  // A connection of its own: what a transaction before has written may still be in these figures.
  const client = new pg.Client({ connectionString: fresh.url })
  await client.connect()
  await client.query('begin')
  const { rows } = await client.query<{ id: string }>(`select id from purchases where status = 'held' limit 1`)
  await client.query(`select outcome from settle_purchase($1, 'a signature', 1, '', 1, true)`, [rows[0]!.id])
  const written = await client.query<{ table: string }>(
    `select relname as table from pg_stat_xact_user_tables where n_tup_ins + n_tup_upd + n_tup_del > 0 order by relname`,
  )
  await client.query('rollback')
  await client.end()
  expect(written.rows.map(({ table }) => table)).toEqual([
    'balances',
    'events',
    'listings',
    'payments',
    'purchases',
    'sales_to_stamp',
    'transfers',
  ])
})
