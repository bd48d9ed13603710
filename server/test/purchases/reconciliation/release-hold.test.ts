import { type Purchase } from '@juicebar/contract/schemas'
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'

import { cancelHold } from '../../../src/purchases/hold/cancel-hold.ts'
import { reconcileOnce } from '../../../src/purchases/reconciliation/reconcile-round.ts'
import {
  chainBut,
  expectAllAddsUp,
  hold,
  list,
  openTradingWorld,
  readPurchase,
  runOutOfTime,
  sendByWallet,
  signPayment,
  type TradingWorld,
  untilStatus,
  waiting,
  type Wallet,
} from '../trading-world.ts'

let world: TradingWorld
let seller: Wallet
let buyer: Wallet
let stranger: Wallet
let price = 10_000_000n

beforeAll(async () => {
  world = await openTradingWorld()
  ;[seller, stranger] = await Promise.all([world.createWallet(), world.createWallet()])
})

beforeEach(async () => void (buyer = await world.createWallet()))

afterAll(async () => {
  await expectAllAddsUp(world)
  await world.close()
})

async function listAnew(): Promise<string> {
  price += 1_000_000n
  return list(world, seller, { price })
}

const holdForWallet = async (listingId: string) => hold(world, buyer, listingId, 'wallet')

async function expectUnpaid(purchase: Purchase): Promise<void> {
  await reconcileOnce(world.deps)
  expect(await readPurchase(world, purchase.purchaseId)).toMatchObject({ status: 'held' })
}

describe('the end of a hold that a wallet may have paid by itself', () => {
  it('comes only when the chain has proved that no payment can land, and a payment until then still counts', async () => {
    const purchase = await holdForWallet(await listAnew())
    const payment = await signPayment(world, buyer, purchase)
    await runOutOfTime(world, purchase.purchaseId)
    await expectUnpaid(purchase)
    await sendByWallet(world, payment)
    await untilStatus(world, purchase.purchaseId, 'settled')
  })

  it('frees the lot in the end', async () => {
    const listingId = await listAnew()
    const purchase = await holdForWallet(listingId)
    await cancelHold(world.deps, buyer.address, purchase.purchaseId)
    await expectUnpaid(purchase)
    await untilStatus(world, purchase.purchaseId, 'ended')
    expect(await readPurchase(world, purchase.purchaseId)).toMatchObject({ endReason: 'cancelled' })
    await expect(hold(world, stranger, listingId)).resolves.toMatchObject({ status: 'held' })
  })
})

describe('a hold that a wallet may have paid by itself', () => {
  it('stays, however often it is looked at, while a payment signed in time can still land', async () => {
    const purchase = await hold(world, buyer, await listAnew(), 'wallet')
    const payment = await signPayment(world, buyer, purchase)
    await runOutOfTime(world, purchase.purchaseId)
    for (let look = 0; look < 4; look++) {
      await world.connection.pool.query('update purchases set reconcile_at = now() where id = $1', [purchase.purchaseId])
      await reconcileOnce(world.deps)
      expect(await readPurchase(world, purchase.purchaseId)).toMatchObject({ status: 'held' })
    }
    await sendByWallet(world, payment)
    await untilStatus(world, purchase.purchaseId, 'settled')
  })

  it('stays while a transaction that may pay for it cannot be read', async () => {
    const purchase = await hold(world, buyer, await listAnew(), 'wallet')
    const signature = await sendByWallet(world, await signPayment(world, buyer, purchase))
    const unread = chainBut(world, { transaction: async () => undefined })
    await world.connection.pool.query('update purchases set pay_before = now(), release_height = 0 where id = $1', [purchase.purchaseId])
    await vi.waitFor(async () => expect((await world.chain.statuses([signature])).get(signature)?.commitment).toBe('finalized'), waiting)
    await world.connection.pool.query('update purchases set reconcile_at = now() where id = $1', [purchase.purchaseId])
    await reconcileOnce(unread)
    expect(await readPurchase(world, purchase.purchaseId)).toMatchObject({ status: 'held' })
    await untilStatus(world, purchase.purchaseId, 'settled')
  })
})
