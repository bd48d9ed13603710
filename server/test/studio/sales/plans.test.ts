import pg from 'pg'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { connectDatabase, type DatabaseConnection } from '../../../src/database/connect.ts'
import { findOrders } from '../../../src/inventory/ledger-store.ts'
import { listSalesFrom, stampSales, readFigures } from '../../../src/studio/sales/sale-store.ts'
import { addHeldPurchases } from '../../../bench/databases/held-purchases.ts'
import { type LongReadsOf, tellPlans, watchPlans } from '../../support/executed-plans.ts'
import { type FreshDatabase, freshDatabase } from '../../support/fresh-database.ts'

/** Enough for PostgreSQL to choose as it does for ten million, which `PLAN_SALES=10000000` tries. */
const SALES = Number(process.env['PLAN_SALES'] ?? 20_000)
const FILL_MILLIS = 60_000 + SALES / 10
const PURCHASES = 300
/** What settles at the same time, and what one reads of a page beside its rows. */
const FEW = 10
const PAGE = 5
const SECONDS_APART = 60

let fresh: FreshDatabase
let connection: DatabaseConnection
let longReadsOf: LongReadsOf

beforeAll(async () => {
  fresh = await freshDatabase()
  const client = new pg.Client({ connectionString: fresh.url })
  await client.connect()
  for (const table of ['sales', 'sales_to_stamp', 'purchases']) await client.query(`alter table ${table} set (autovacuum_enabled = off)`)
  await client.query(
    `insert into sales (ordinal, stamped_at, purchase_id, place, is_reversal, listing_id, buyer, seller, token_type, amount, price_lamports,
       fee_lamports, fee_basis_points, signature, settled_at)
     select n, now(), gen_random_uuid(), 1, n % 1000 = 0, gen_random_uuid(), 'buyer ' || n % 100, 'seller', 'APPLE_JUICE', 1, 1000000, 0, 0,
       'signature ' || n, '2030-01-01'::timestamptz + n * interval '${SECONDS_APART} s'
     from generate_series(1, $1::bigint) n`,
    [SALES],
  )
  await client.query('update sales_head set ordinal = $1', [SALES])
  await client.query(
    `insert into transfers (kind, token_type, amount, wallet_address, idempotency_key, created_at)
     select 'credit', 'APPLE_JUICE', 1, 'wallet', 'plan ' || n, '2030-01-01'::timestamptz + n * interval '${SECONDS_APART} s'
     from generate_series(1, $1::bigint) n`,
    [SALES],
  )
  connection = connectDatabase(fresh.url, () => undefined)
  await addHeldPurchases(connection.pool.pg, { count: PURCHASES, sellers: PURCHASES })
  await client.query(`select settle_purchase(id, 'settled ' || id, 1, '', 1, true) from purchases`)
  while ((await stampSales(connection.database, 100)) > 0);
  await client.query('vacuum analyze')
  await tellPlans(client)
  await client.end()
  await connection.close()
  connection = connectDatabase(fresh.url, () => undefined)
  longReadsOf = watchPlans(connection)
}, FILL_MILLIS)
afterAll(async () => {
  await connection.close()
  await fresh.drop()
})

it('a page of sales is a walk along the index, from any place', async () => {
  const { database } = connection
  for (const ordinal of [0, SALES / 2, SALES]) {
    const page = () => listSalesFrom(database, { ordinal: BigInt(ordinal), stampedAt: 0n }, PAGE)
    expect(await longReadsOf(page, PAGE)).toEqual([])
  }
})

it('putting what was just settled in order reads nothing else', async () => {
  const { database, pool } = connection
  expect(await longReadsOf(() => stampSales(database, 1_000), FEW)).toEqual([])
  const { rows } = await pool.query<{ id: string }>('select id from purchases limit 2')
  // As if they had been settled under another name: the sales of an earlier test's purchase are not looked for here.
  await pool.query('delete from sales where purchase_id = any($1::uuid[])', [rows.map(({ id }) => id)])
  await pool.query('insert into sales_to_stamp (purchase_id, is_reversal) select unnest($1::uuid[]), false', [rows.map(({ id }) => id)])
  let stamped = 0
  expect(await longReadsOf(async () => void (stamped = await stampSales(database, 1_000)), FEW)).toEqual([])
  expect(stamped).toBe(2)
})

it('the figures of some hours read the sales and orders of these hours, and who was undone', async () => {
  const { database } = connection
  const hours = { from: new Date('2030-01-03T00:00:00Z'), to: new Date('2030-01-03T02:00:00Z') }
  const most = (2 * 3600) / SECONDS_APART
  for (const group of ['day', 'hour', 'tokenType'] as const) {
    const reads = await longReadsOf(() => readFigures(database, hours, group), most)
    expect(reads.filter((read) => !read.includes('sales_undone'))).toEqual([])
  }
})

it('whether an idempotency key is known is a look at these keys, in one namespace as in another', async () => {
  const { database } = connection
  const keys = [1, SALES / 2, SALES].map((n) => `plan ${n}`)
  for (const namespace of ['', 'of a key with a daily limit']) {
    const find = () => database.transaction().execute(async (tx) => (await findOrders(tx, namespace, [...keys, 'never used'])).size)
    expect(await longReadsOf(async () => expect(await find()).toBe(keys.length), FEW)).toEqual([])
  }
})
