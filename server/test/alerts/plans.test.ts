import { expect, it } from 'vitest'
import { fireAlerts, pushSales } from '../../src/alerts/alert-store.ts'
import { leasePushes } from '../../src/alerts/push-store.ts'
import { useFilledDatabase } from '../support/executed-plans.ts'

/** Enough for PostgreSQL to choose as it does for many more. */
const PLAYERS = 5_000
const LISTINGS = 5_000
/** What is due, the kinds of drinks, and what one reads beside its rows. */
const FEW = 12
/** Pushes, after the tests before: five alerts fired, and three sales were told of. */
const WAITING = 8

/** A market where one costs 0.01 SOL or more, and everybody waits for less, with a browser that shows pushes. */
const tables = ['alerts', 'listings', 'players', 'sessions', 'push_subscriptions', 'pushes', 'sales']
const market = useFilledDatabase(tables, async (client) => {
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
})

it('looking whether alerts fire reads the floor of each drink, and no alert that waits for less', async () => {
  let fired = -1
  expect(await market.longReadsOfWrites(async () => void (fired = await fireAlerts(market.database, 500)), FEW)).toEqual([])
  expect(fired).toBe(0)
})

it('firing reads the alerts that fire', async () => {
  await market.pool.query(
    `update alerts set below_lamports = 20000000 where id in (select id from alerts where token_type = 'GRAPE_SODA' order by id limit 5)`,
  )
  let fired = -1
  expect(await market.longReadsOfWrites(async () => void (fired = await fireAlerts(market.database, 500)), FEW)).toEqual([])
  expect(fired).toBe(5)
})

it('telling sellers reads the new sales, and their browsers', async () => {
  let told = -1
  expect(await market.longReadsOfWrites(async () => void (told = await pushSales(market.database, 500)), FEW)).toEqual([])
  expect(told).toBe(3)
})

it('sending reads what waits, and the browsers that it is for', async () => {
  let leased = -1
  // The table has nothing but what waits: in one so small, PostgreSQL reads all of it for each browser.
  expect(await market.longReadsOfWrites(async () => void (leased = (await leasePushes(market.database, 50)).length), WAITING ** 2)).toEqual(
    [],
  )
  expect(leased).toBe(WAITING)
  expect(await market.longReadsOfWrites(() => leasePushes(market.database, 50), FEW)).toEqual([])
})
