import pg from 'pg'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { addHeldPurchases } from '../../bench/databases/held-purchases.ts'
import { connectDatabase, type DatabaseConnection } from '../../src/database/connect.ts'
import { readMarket } from '../../src/metrics/market-readings.ts'
import { type LongReadsOf, tellPlans, watchPlans } from '../support/executed-plans.ts'
import { type FreshDatabase, freshDatabase } from '../support/fresh-database.ts'

const PAST = 3_000
const OPEN = 20
/** What is open is read, and a few rows besides. */
const FEW = 2 * OPEN

let fresh: FreshDatabase
let connection: DatabaseConnection
let longReadsOf: LongReadsOf

/** A market with a long past: nothing of it may be read to say how the market is. */
beforeAll(async () => {
  fresh = await freshDatabase()
  const client = new pg.Client({ connectionString: fresh.url })
  await client.connect()
  for (const table of ['purchases', 'cases', 'webhook_messages']) await client.query(`alter table ${table} set (autovacuum_enabled = off)`)
  connection = connectDatabase(fresh.url, () => undefined)
  await addHeldPurchases(connection.pool.pg, { count: PAST, sellers: PAST })
  await client.query(`select settle_purchase(id, 'settled ' || id, 1, '', 1, true) from purchases`)
  await client.query('update purchases set finalized_at = now(), reconcile_at = null')
  await client.query(`
    insert into cases (purchase_id, kind, status, signature, lamports, deliverable, seller, closed_at)
    select id, 'late', 'refunded', 'case ' || id, 1, false, sellers[1], now() from purchases`)
  await client.query(`insert into webhook_messages (type, body) select 'sale.settled', '{}' from generate_series(1, ${PAST})`)
  await client.query(`
    insert into webhooks (url, events, delivered_to)
    select 'https://receiver.example/' || n, '{sale.settled,case.opened}', (select max(ordinal) - 1 from webhook_messages) from generate_series(1, 5) n`)
  await addHeldPurchases(connection.pool.pg, { count: OPEN, sellers: OPEN })
  await client.query('truncate sales_to_stamp, webhook_outbox')
  await client.query('vacuum analyze')
  await tellPlans(client)
  await client.end()
  longReadsOf = watchPlans({ ...connection, pool: connection.watchPool })
})
afterAll(async () => {
  await connection.close()
  await fresh.drop()
})

it('a scrape reads what is open and nothing of the past', async () => {
  expect(await longReadsOf(() => readMarket(connection.watchPool), FEW)).toEqual([])
  const reading = await readMarket(connection.watchPool)
  expect(reading).toMatchObject({ openCases: {}, waitForStudio: 0, webhooks: { on: 5 }, paused: false, stampingLag: null })
  expect(reading.webhookLag).toBeGreaterThan(0)
})
