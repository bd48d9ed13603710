import { expect, it } from 'vitest'
import { migrate } from '../../src/database/migrate.ts'
import { submitRefund } from '../../src/purchases/cases/refund-case.ts'
import { runAudit } from '../../src/studio/audit/run-audits.ts'
import {
  appleJuice,
  casesOf,
  hold,
  list,
  openTradingWorld,
  readPurchase,
  reconcileUntil,
  sendByWallet,
  signPayment,
  untilStatus,
} from '../purchases/trading-world.ts'
import { freshDatabase } from '../support/fresh-database.ts'
import { migrationsFolder, stepsSinceRelease } from '../support/migrations-folder.ts'
import { createOldMarket } from './market-0.1.0.ts'
import { expectSchemaOfToday } from './schema-of-today.ts'

it('a market of 0.1.0 is upgraded with all that is under way: nothing is lost, and what was paid is delivered', async () => {
  const world = await openTradingWorld({ database: await freshDatabase('template0') })
  const old = await createOldMarket(world)
  const [seller, buyer, rival] = [await old.createWallet(), await old.createWallet(), await old.createWallet()]

  const settled = await old.hold(seller, buyer, await old.list(seller))
  await old.settle(settled)
  const final = await old.hold(seller, buyer, await old.list(seller))
  await old.settle(final, { final: true })
  const unpaid = await old.hold(seller, buyer, await old.list(seller))
  const paid = await old.hold(seller, buyer, await old.list(seller))
  const paidPayment = await old.sign(paid)
  await sendByWallet(world, paidPayment)
  const submitted = await old.hold(seller, buyer, await old.list(seller), { serverSends: true })
  const submittedPayment = await old.sign(submitted)
  await old.record(submitted, submittedPayment)
  const lapsing = await old.hold(seller, buyer, await old.list(seller), { serverSends: true, seconds: -1 })
  const lapsed = await old.hold(seller, buyer, await old.list(seller), { seconds: -1 })
  await old.endHold(lapsed, 'lapsed')
  await old.settle(await old.hold(seller, rival, lapsed.listing))
  await old.payLate(lapsed)
  const cancelled = await old.hold(seller, buyer, await old.list(seller))
  await old.endHold(cancelled, 'cancelled')
  await old.remove(await old.list(seller))

  const applied = await migrate(world.connection.migrationPool, migrationsFolder)
  expect(applied).toEqual(stepsSinceRelease)
  await expectSchemaOfToday(world.databaseUrl)

  // What was under way goes on.
  await untilStatus(world, paid.id, 'settled')
  await untilStatus(world, submitted.id, 'settled')
  await untilStatus(world, lapsing.id, 'ended')
  expect(await readPurchase(world, paid.id)).toMatchObject({ signature: paidPayment.signature })
  expect(await readPurchase(world, unpaid.id)).toMatchObject({ status: 'held', reference: unpaid.reference })
  await sendByWallet(world, await old.sign(unpaid))
  await untilStatus(world, unpaid.id, 'settled')

  // What had ended stays so, and its listing is for sale.
  expect(await readPurchase(world, lapsed.id)).toMatchObject({ status: 'ended', endReason: 'lapsed' })
  const again = await hold(world, rival, cancelled.listing)
  await sendByWallet(world, await signPayment(world, rival, again))
  await untilStatus(world, again.purchaseId, 'settled')

  // The seller returns what came too late.
  const [late, ...others] = await casesOf(world, buyer.address)
  expect({ late, others }).toMatchObject({ late: { kind: 'late', status: 'open', purchaseId: lapsed.id }, others: [] })
  const refund = await world.signRefund(seller, { caseId: late?.caseId ?? '' })
  await submitRefund(world.deps, seller.address, late?.caseId ?? '', refund.base64)
  await reconcileUntil(world, async () => expect(await casesOf(world, buyer.address)).toMatchObject([{ status: 'refunded' }]))

  // New things happen as well.
  await list(world, buyer, { divisible: true })

  expect(await appleJuice(world, buyer)).toBe(100 + 5 * 10 - 10)
  expect(await appleJuice(world, rival)).toBe(100 + 2 * 10)
  expect(await appleJuice(world, seller)).toBe(100 - 8 * 10)
  await world.connection.pool.query('select stamp_sales(100)')
  expect((await world.connection.pool.query('select count(*)::int as sales from sales')).rows).toEqual([{ sales: 7 }])
  expect(await runAudit(world.deps, { full: true })).toMatchObject({
    ok: true,
    violations: [],
    unchecked: [],
    purchases: { settled: 7, held: 0, ended: 3, openCases: 0 },
  })
  await world.close()
}, 120_000)
