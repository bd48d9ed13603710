import pg from 'pg'
import { afterAll, beforeAll, expect, it } from 'vitest'

import { fireAlerts, pushSales } from '../../src/alerts/alert-store.ts'
import { leasePushes } from '../../src/alerts/push/push-store.ts'
import { connectDatabase, type DatabaseConnection } from '../../src/database/connect.ts'
import { type LongReadsOf, tellPlans, watchPlans } from '../support/executed-plans.ts'
import { type FreshDatabase, freshDatabase } from '../support/fresh-database.ts'

/** Enough for PostgreSQL to choose as it does for many more. */
const PLAYERS = 5_000
const LISTINGS = 5_000
/** What is due, the kinds of drinks, and what one reads beside its rows. */
const FEW = 12
/** Pushes, after the tests before: five alerts fired, and three sales were told of. */
const WAITING = 8

let fresh: FreshDatabase
let connection: DatabaseConnection
let longReadsOf: LongReadsOf

/** A market where one costs 0.01 SOL or more, and everybody waits for less, with a browser that shows pushes. */
beforeAll(async () => {
  fresh = await freshDatabase()
  const client = new pg.Client({ connectionString: fresh.url })
  await client.connect()
  const tables = ['alerts', 'listings', 'players', 'sessions', 'push_subscriptions', 'pushes', 'sales']
  for (const table of tables) await client.query(`alter table ${table} set (autovacuum_enabled = off)`)
  await client.query(`insert into players (wallet_address) select 'player ' || n from generate_series(1, $1::integer) n`, [PLAYERS])
  await client.query(
    `insert into alerts (wallet_address, token_type, below_lamports)
     select 'player ' || n, (array['APPLE_JUICE', 'GRAPE_SODA', 'ORANGE_JUICE'])[n % 3 + 1], 1000000 + n from generate_series(1, $1::integer) n`,
    [PLAYERS],
  )
  await client.query(
    `insert into listings (seller, token_type, amount, price_lamports)
     select 'seller ' || n, (array['APPLE_JUICE', 'GRAPE_SODA', 'ORANGE_JUICE'])[n % 3 + 1], 1, 10000000 + n % 77 * 1000000
     from generate_series(1, $1::integer) n`,
    [LISTINGS],
  )
  await client.query(
    `with opened as (
       insert into sessions (id, wallet_address, expires_at)
       select gen_random_uuid(), 'player ' || n, now() + interval '1 day' from generate_series(1, $1::integer) n returning id, wallet_address
     )
     insert into push_subscriptions (session_id, wallet_address, endpoint, p256dh, auth)
     select id, wallet_address, 'https://push.example/' || id, '', '' from opened`,
    [PLAYERS],
  )
  await client.query(
    `insert into sales (ordinal, stamped_at, purchase_id, place, is_reversal, listing_id, buyer, seller, token_type, amount, price_lamports,
       fee_lamports, fee_basis_points, signature, settled_at)
     select n, now(), gen_random_uuid(), 1, false, gen_random_uuid(), 'buyer', 'player ' || n, 'APPLE_JUICE', 1, 1000000, 0, 0, 'signature ' || n, now()
     from generate_series(1, $1::integer) n`,
    [PLAYERS],
  )
  await client.query('update sales_head set ordinal = $1', [PLAYERS])
  await client.query('update pushes_head set ordinal = $1', [PLAYERS - 3])
  await client.query('vacuum analyze')
  await tellPlans(client)
  await client.end()
  connection = connectDatabase(fresh.url, () => undefined)
  longReadsOf = watchPlans(connection)
}, 120_000)
afterAll(async () => {
  await connection.close()
  await fresh.drop()
})

it('looking whether alerts fire reads the floor of each drink, and no alert that waits for less', async () => {
  let fired = -1
  expect(await longReadsOf(async () => void (fired = await fireAlerts(connection.database, 500)), FEW)).toEqual([])
  expect(fired).toBe(0)
})

it('firing reads the alerts that fire', async () => {
  await connection.pool.query(
    `update alerts set below_lamports = 20000000 where id in (select id from alerts where token_type = 'GRAPE_SODA' order by id limit 5)`,
  )
  let fired = -1
  expect(await longReadsOf(async () => void (fired = await fireAlerts(connection.database, 500)), FEW)).toEqual([])
  expect(fired).toBe(5)
})

it('telling sellers reads the new sales, and their browsers', async () => {
  let told = -1
  expect(await longReadsOf(async () => void (told = await pushSales(connection.database, 500)), FEW)).toEqual([])
  expect(told).toBe(3)
})

it('sending reads what waits, and the browsers that it is for', async () => {
  let leased = -1
  // The table has nothing but what waits: in one so small, PostgreSQL reads all of it for each browser.
  expect(await longReadsOf(async () => void (leased = (await leasePushes(connection.database, 50)).length), WAITING ** 2)).toEqual([])
  expect(leased).toBe(WAITING)
  expect(await longReadsOf(() => leasePushes(connection.database, 50), FEW)).toEqual([])
})
