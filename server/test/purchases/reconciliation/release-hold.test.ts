import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'

import { cancelHold } from '../../../src/purchases/hold/cancel-hold.ts'
import { reconcileOnce } from '../../../src/purchases/reconciliation/reconcile-round.ts'
import { closePaymentWindow, expectStillHeld, makeDue } from '../reconciling.ts'
import {
  chainBut,
  expectAllAddsUp,
  hold,
  list,
  openTradingWorld,
  readPurchase,
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

beforeAll(async () => {
  world = await openTradingWorld()
  ;[seller, stranger] = await Promise.all([world.createWallet(), world.createWallet()])
})

beforeEach(async () => void (buyer = await world.createWallet()))

afterAll(async () => {
  await expectAllAddsUp(world)
  await world.close()
})

const holdForWallet = async (listingId: string) => hold(world, buyer, listingId, 'wallet')

describe("a hold that the buyer's wallet may have paid", () => {
  it('does not end before no payment can land any more, and is settled by one that lands until then', async () => {
    const purchase = await holdForWallet(await list(world, seller))
    const payment = await signPayment(world, buyer, purchase)
    await closePaymentWindow(world, purchase)
    await expectStillHeld(world, purchase)
    await sendByWallet(world, payment)
    await untilStatus(world, purchase.purchaseId, 'settled')
  })

  it('ends some time after its cancellation, and frees its listing', async () => {
    const listingId = await list(world, seller)
    const purchase = await holdForWallet(listingId)
    await cancelHold(world.deps, buyer.address, purchase.purchaseId)
    await expectStillHeld(world, purchase)
    await untilStatus(world, purchase.purchaseId, 'ended')
    expect(await readPurchase(world, purchase.purchaseId)).toMatchObject({ endReason: 'cancelled' })
    await expect(hold(world, stranger, listingId)).resolves.toMatchObject({ status: 'held' })
  })

  it('stays, however often it is reconciled, while a payment signed in time can still land', async () => {
    const purchase = await hold(world, buyer, await list(world, seller), 'wallet')
    const payment = await signPayment(world, buyer, purchase)
    await closePaymentWindow(world, purchase)
    for (let round = 0; round < 4; round++) {
      await makeDue(world, purchase)
      await reconcileOnce(world.deps)
      expect(await readPurchase(world, purchase.purchaseId)).toMatchObject({ status: 'held' })
    }
    await sendByWallet(world, payment)
    await untilStatus(world, purchase.purchaseId, 'settled')
  })

  it('stays while a candidate cannot be read', async () => {
    const purchase = await hold(world, buyer, await list(world, seller), 'wallet')
    const signature = await sendByWallet(world, await signPayment(world, buyer, purchase))
    const unread = chainBut(world, { transaction: async () => undefined })
    await world.connection.pool.query('update purchases set pay_before = now(), release_height = 0 where id = $1', [purchase.purchaseId])
    await vi.waitFor(async () => expect((await world.chain.statuses([signature])).get(signature)?.commitment).toBe('finalized'), waiting)
    await makeDue(world, purchase)
    await reconcileOnce(unread)
    expect(await readPurchase(world, purchase.purchaseId)).toMatchObject({ status: 'held' })
    await untilStatus(world, purchase.purchaseId, 'settled')
  })
})
