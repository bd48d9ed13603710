import type pg from 'pg'
import { expect, it, onTestFinished } from 'vitest'
import { migrate } from '../../src/database/migrate.ts'
import { submitRefund } from '../../src/purchases/cases/refund-case.ts'
import { runAudit } from '../../src/studio/audit/run-audits.ts'
import { readNewestPurchases } from '../../src/studio/recovery/recovery-store.ts'
import {
  appleJuice,
  casesOf,
  expectAllAddsUp,
  hold,
  list,
  openTradingWorld,
  readPurchase,
  reconcileUntil,
  sendByWallet,
  type TradingWorld,
  untilStatus,
} from '../purchases/trading-world.ts'
import { freshDatabase } from '../support/fresh-database.ts'
import { migrationsFolder, stepsSinceRelease } from '../support/migrations-folder.ts'
import { createMarketOf020, FIRST_CODES } from './market-0.2.0.ts'
import { expectSchemaOfToday } from './schema-of-today.ts'

type Pool = TradingWorld['connection']['pool']

async function rowsOf<Row extends pg.QueryResultRow>(pool: Pool, sql: string): Promise<Row[]> {
  return (await pool.query<Row>(sql)).rows
}

/** The rows of all tables that hold what happened on the market, without how listings look in replies. */
async function readEverything(pool: Pool) {
  const tables = await rowsOf<{ name: string }>(
    pool,
    `select relname as name from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r'
      and relname not in ('migrations', 'function_sets') order by 1`,
  )
  const read = async ({ name }: { name: string }) =>
    [
      name,
      await rowsOf<{ row: Record<string, unknown> }>(
        pool,
        `select to_jsonb(t) - 'reply_json' as row from ${name} t order by t::text collate "C"`,
      ),
    ] as const
  return Object.fromEntries(await Promise.all(tables.map(read)))
}

it('a market of 0.2.0 is upgraded with all that is under way: no row changes but one, and what was paid is delivered', async () => {
  const world = await openTradingWorld({ database: await freshDatabase('template0') })
  onTestFinished(() => world.close())
  const { pool, migrationPool } = world.connection
  const old = await createMarketOf020(world)
  const [seller, buyer, rival] = [await old.createWallet(), await old.createWallet(), await old.createWallet()]
  await pool.query(`insert into webhooks (url, events, delivered_to) values ('https://game.example/hook', '{sale.settled}', 0)`)
  await pool.query(
    `insert into alerts (wallet_address, token_type, below_lamports) values ($1, 'APPLE_JUICE', 1), ($1, 'APPLE_JUICE', 1000000)`,
    [rival.address],
  )
  await pool.query('select beat()')

  const settled = await old.hold({ listing: await old.list(seller), seller, buyer })
  await old.settle(settled)
  await pool.query('select stamp_sales(100), roll_up_sales(100)')
  const divisible = await old.list(seller, { divisible: true })
  const part = await old.hold({ listing: divisible, amount: 4, seller, buyer })
  const payment = await old.sign(part)
  await sendByWallet(world, payment)
  const unpaid = await old.hold({ listing: await old.list(seller), seller, buyer })
  const lapsing = await old.hold({ listing: await old.list(seller), seller, buyer }, { serverSends: true, seconds: -1 })
  const listing = await old.list(seller)
  const lapsed = await old.hold({ listing, seller, buyer })
  await old.endHold(lapsed)
  await old.settle(await old.hold({ listing, seller, buyer: rival }))
  await old.payLate(lapsed)
  const linked = await old.list(seller)
  const link = await old.makePayLink(linked)
  const byLink = await old.hold({ listing: linked, seller, buyer: rival }, { link })
  await pool.query(`insert into pauses (message, actor) values ('The bar is being cleaned.', 'studio')`)

  const before = await readEverything(pool)
  expect(await migrate(migrationPool, migrationsFolder)).toEqual(stepsSinceRelease)
  // Columns and tables were added, and what only the market would have paid for is due: the chain must prove that nothing came.
  const due = { server_sends: false, reconcile_at: expect.any(String) as string }
  for (const { row } of before['purchases'] ?? []) if (row['id'] === lapsing.id) Object.assign(row, due)
  expect(await readEverything(pool)).toMatchObject(before)
  // The idempotency keys of its orders count for every studio key.
  expect(await rowsOf(pool, 'select from transfers where namespace is not null')).toEqual([])
  await expectSchemaOfToday(world.databaseUrl)
  expect(await migrate(migrationPool, migrationsFolder)).toEqual([])
  expect((await readNewestPurchases(world.database, new Date(), 100)).map(({ hasCode }) => hasCode)).toEqual(Array(7).fill(true))
  expect(await rowsOf(pool, `select applied_at from migrations where name like '0032-%'`)).toEqual([{ applied_at: new Date(FIRST_CODES) }])

  // What the studio has paused stays so, until it opens.
  await expect(hold(world, rival, divisible)).rejects.toMatchObject({ code: 'PAUSED' })
  await pool.query('delete from pauses')

  // What was under way goes on.
  await untilStatus(world, part.id, 'settled')
  await untilStatus(world, lapsing.id, 'ended')
  expect(await readPurchase(world, part.id)).toMatchObject({ signature: payment.signature, amount: 4 })
  expect(await readPurchase(world, unpaid.id)).toMatchObject({ status: 'held', reference: unpaid.reference })
  for (const open of [unpaid, byLink]) {
    await sendByWallet(world, await old.sign(open))
    await untilStatus(world, open.id, 'settled')
  }
  const [late, ...others] = await casesOf(world, buyer.address)
  expect({ late, others }).toMatchObject({ late: { kind: 'late', status: 'open', purchaseId: lapsed.id }, others: [] })
  const refund = await world.signRefund(seller, { caseId: late?.caseId ?? '' })
  await submitRefund(world.deps, seller.address, late?.caseId ?? '', refund.base64)
  await reconcileUntil(world, async () => expect(await casesOf(world, buyer.address)).toMatchObject([{ status: 'refunded' }]))

  // New things happen as well.
  await list(world, seller, { price: 10_000_000n })
  expect(await rowsOf(pool, `select fire_alerts(100, '{}') as fired`)).toEqual([{ fired: 1 }])
  await pool.query('select stamp_sales(100)')
  await pool.query('select roll_up_sales(100)')
  expect(await rowsOf(pool, 'select count(*)::int as sales from sales')).toEqual([{ sales: 5 }])
  expect(await rowsOf(pool, `select sum(trades)::int as trades from candles where step = '5m'`)).toEqual([{ trades: 5 }])
  expect(await rowsOf(pool, 'select count(*)::int as notes from webhook_outbox')).toEqual([{ notes: 5 }])

  expect(await appleJuice(world, buyer)).toBe(100 + 10 + 4 + 10)
  expect(await appleJuice(world, rival)).toBe(100 + 2 * 10)
  expect(await appleJuice(world, seller)).toBe(100 - 7 * 10)
  await expectAllAddsUp(world)
  expect(await runAudit(world.deps, { full: true })).toMatchObject({
    unchecked: [],
    purchases: { settled: 5, held: 0, ended: 2, openCases: 0 },
  })
}, 60_000)
