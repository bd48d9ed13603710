import pg from 'pg'
import { afterAll, beforeAll, expect, it } from 'vitest'

import { fillMarket } from '../../../bench/databases/fill-market.ts'
import { connectDatabase, type DatabaseConnection } from '../../../src/database/connect.ts'
import { readLevels } from '../../../src/market/figures/depth-store.ts'
import { readSummary } from '../../../src/market/figures/summary-store.ts'
import { type LongReadsOf, tellPlans, watchPlans } from '../../support/executed-plans.ts'
import { defaultCatalogue } from '../../support/catalogue.ts'
import { type FreshDatabase, freshDatabase } from '../../support/fresh-database.ts'

/** Enough for PostgreSQL to choose as it does for a million, which `PLAN_LISTINGS=1000000` tries. */
const LISTINGS = Number(process.env['PLAN_LISTINGS'] ?? 20_000)
const FILL_MILLIS = 60_000 + LISTINGS / 2
/** Of all listings: those sold long ago stay in the table. */
const SOLD = 0.8
const DRINK = 'GRAPE_SODA'
const codes = defaultCatalogue.items.map(({ code }) => code)

let fresh: FreshDatabase
let connection: DatabaseConnection
let longReads: LongReadsOf
/** Listings that are for sale or held, of all drinks and of one. */
let active: { all: number; drink: number }

beforeAll(async () => {
  fresh = await freshDatabase()
  const client = new pg.Client({ connectionString: fresh.url })
  await client.connect()
  await client.query('select setseed(0.5)')
  for (const table of ['listings', 'sellers']) await client.query(`alter table ${table} set (autovacuum_enabled = off)`)
  await fillMarket(client, LISTINGS)
  await client.query(`update listings set status = 'sold', held_by = null, held_until = null, closed_at = now() where random() < $1`, [
    SOLD,
  ])
  // One drink is a rare one.
  await client.query(
    `update listings set status = 'removed', held_by = null, held_until = null, closed_at = now() where status = 'active' and token_type = $1 and random() < 0.9`,
    [DRINK],
  )
  await client.query('cluster listings using listings_pkey')
  await client.query('vacuum analyze')
  const { rows } = await client.query<{ all: number; drink: number }>(
    `select count(*)::int as all, count(*) filter (where token_type = $1)::int as drink from listings where status = 'active'`,
    [DRINK],
  )
  active = rows[0]!
  await tellPlans(client)
  await client.end()
  connection = connectDatabase(fresh.url, () => undefined)
  longReads = watchPlans({ ...connection, pool: connection.readPool })
}, FILL_MILLIS)
afterAll(async () => {
  await connection.close()
  await fresh.drop()
})

it('depth reads what is for sale of its drink, and nothing of what was sold or is another', async () => {
  expect(active.drink).toBeGreaterThan(20)
  expect(active.drink).toBeLessThan(active.all / 5)
  expect(await longReads(() => readLevels(connection.readPool, DRINK), active.drink)).toEqual([])
})

it('the summary reads each listing that is for sale once, and none that was sold', async () => {
  expect(active.all).toBeLessThan(LISTINGS * (1 - SOLD) * 1.2)
  // A plan tells the mean of its loops, one for each drink, with two decimals.
  expect(await longReads(() => readSummary(connection.readPool, codes), active.all + 1)).toEqual([])
})
