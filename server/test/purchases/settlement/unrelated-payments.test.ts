import { lamports } from '@juicebar/contract/money'
import { type Purchase } from '@juicebar/contract/schemas'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { confirmPurchase } from '../../../src/purchases/settlement/confirm-purchase.ts'
import { cancelHold } from '../../../src/purchases/hold/cancel-hold.ts'
import { reconcileOnce } from '../../../src/purchases/reconciliation/reconcile-round.ts'
import {
  expectAllAddsUp,
  hold,
  list,
  openTradingWorld,
  readPurchase,
  sendByWallet,
  signPayment,
  signTransaction,
  type TradingWorld,
  transfer,
  type Wallet,
  watchUntil,
} from '../trading-world.ts'

let world: TradingWorld
let seller: Wallet
let buyer: Wallet
let stranger: Wallet
let price = 10_000_000n

beforeAll(async () => {
  world = await openTradingWorld()
  ;[seller, buyer, stranger] = await Promise.all([world.createWallet(), world.createWallet(), world.createWallet()])
})

afterAll(async () => {
  await expectAllAddsUp(world)
  await world.close()
})

/** Every lot has a price of its own, so that no test can settle another's. */
async function listAnew(): Promise<string> {
  price += 1_000_000n
  return list(world, seller, { price })
}

const holdForWallet = async (listingId: string) => hold(world, buyer, listingId, 'wallet')
const confirm = (listingId: string, signature: string, wallet = buyer) => confirmPurchase(world.deps, wallet.address, listingId, signature)
const refusal = (code: string) => expect.objectContaining({ code })

async function expectUnpaid(purchase: Purchase): Promise<void> {
  await reconcileOnce(world.deps)
  expect(await readPurchase(world, purchase.purchaseId)).toMatchObject({ status: 'held' })
}

async function abandon(purchase: Purchase): Promise<void> {
  await world.connection.pool.query(`update purchases set server_sends = true where id = $1`, [purchase.purchaseId])
  await cancelHold(world.deps, buyer.address, purchase.purchaseId)
}

describe('confirming with a payment that is not for this lot', () => {
  it('a replayed signature of the own, settled purchase buys nothing else', async () => {
    const [first, second] = [await listAnew(), await listAnew()]
    const paid = await holdForWallet(first)
    const signature = await sendByWallet(world, await signPayment(world, buyer, paid))
    await confirm(first, signature)
    const purchase = await holdForWallet(second)
    await expect(confirm(second, signature)).rejects.toEqual(refusal('PAYMENT_MISMATCH'))
    await expectUnpaid(purchase)
    await abandon(purchase)
  })

  it('a reference-less payment that settled one purchase settles no other of the same price', async () => {
    price += 1_000_000n
    const same = price
    const [first, second] = [await list(world, seller, { price: same }), await list(world, seller, { price: same })]
    const paid = await hold(world, buyer, first, 'wallet')
    const signature = await sendByWallet(world, await signPayment(world, buyer, paid, { references: [] }))
    await confirm(first, signature)
    const purchase = await hold(world, buyer, second, 'wallet')
    // As if the second hold had been made in the payment's own slot: then only the signature tells that it served already.
    await world.connection.pool.query('update purchases set held_at_slot = 0 where id = $1', [purchase.purchaseId])
    await expect(confirm(second, signature)).rejects.toEqual(refusal('SIGNATURE_USED'))
    await expectUnpaid(purchase)
    await abandon(purchase)
  })

  it('a transfer of the same price to the same seller from before the hold does not count', async () => {
    const listingId = await listAnew()
    const early = await sendByWallet(world, await signTransaction(world, buyer, [transfer(buyer, seller.address, lamports(price))]))
    const slot = await world.chain.highestSlot()
    await watchUntil(world, async () => expect(await world.chain.highestSlot()).toBeGreaterThan(slot))
    const purchase = await holdForWallet(listingId)
    await expect(confirm(listingId, early)).rejects.toEqual(refusal('PAYMENT_MISMATCH'))
    await expectUnpaid(purchase)
    await abandon(purchase)
  })

  it("another buyer's payment of another lot does not count", async () => {
    const [mine, theirs] = [await listAnew(), await listAnew()]
    const other = await hold(world, stranger, theirs, 'wallet')
    const signature = await sendByWallet(world, await signPayment(world, stranger, other))
    const purchase = await holdForWallet(mine)
    await expect(confirm(mine, signature)).rejects.toEqual(refusal('PAYMENT_MISMATCH'))
    await expectUnpaid(purchase)
    await abandon(purchase)
    expect(await confirm(theirs, signature, stranger)).toMatchObject({ settled: true })
  })

  it('a payment by a third party does not count, even with the reference', async () => {
    const listingId = await listAnew()
    const purchase = await holdForWallet(listingId)
    const signature = await sendByWallet(world, await signPayment(world, stranger, purchase, { from: stranger }))
    await expect(confirm(listingId, signature)).rejects.toEqual(refusal('PAYMENT_MISMATCH'))
    await expectUnpaid(purchase)
    await abandon(purchase)
  })

  it('a transfer to another recipient does not count', async () => {
    const listingId = await listAnew()
    const purchase = await holdForWallet(listingId)
    const signature = await sendByWallet(world, await signPayment(world, buyer, purchase, { to: stranger.address }))
    await expect(confirm(listingId, signature)).rejects.toEqual(refusal('PAYMENT_MISMATCH'))
    await expectUnpaid(purchase)
    await abandon(purchase)
  })

  it('a failed transaction moves nothing', async () => {
    const listingId = await listAnew()
    const purchase = await holdForWallet(listingId)
    const tooMuch = transfer(buyer, stranger.address, lamports(1_000n * 1_000_000_000n))
    const failed = await signPayment(world, buyer, purchase, { after: [tooMuch] })
    await sendByWallet(world, failed)
    await expect(confirm(listingId, failed.signature)).rejects.toEqual(refusal('PAYMENT_MISMATCH'))
    await expectUnpaid(purchase)
    await abandon(purchase)
  })

  it.each(['', 'x', '1'.repeat(88), 'z'.repeat(88), '0OIl', "'; drop table purchases; --"])(
    'the forged signature %j is refused',
    async (forged) => {
      const listingId = await listAnew()
      const purchase = await holdForWallet(listingId)
      const outcome = await confirm(listingId, forged).catch((error: unknown) => error)
      expect(outcome).toSatisfy((it: { code?: string; settled?: boolean }) => it.code === 'BAD_REQUEST' || it.settled === false)
      await expectUnpaid(purchase)
      await abandon(purchase)
    },
  )

  it('without ever holding the lot there is nothing to confirm', async () => {
    const listingId = await listAnew()
    const signature = await sendByWallet(world, await signTransaction(world, buyer, [transfer(buyer, seller.address, lamports(price))]))
    await expect(confirm(listingId, signature)).rejects.toEqual(refusal('NO_HOLD'))
    await expect(confirm('no-listing', signature)).rejects.toEqual(refusal('NO_HOLD'))
  })
})
