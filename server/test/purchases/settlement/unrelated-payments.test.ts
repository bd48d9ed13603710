import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { confirmPurchase } from '../../../src/purchases/settlement/confirm-purchase.ts'
import { abandonHold, expectStillHeld } from '../reconciling.ts'
import {
  expectAllAddsUp,
  hold,
  list,
  openTradingWorld,
  reconcileUntil,
  sendByWallet,
  signPayment,
  type TradingWorld,
  type Wallet,
} from '../trading-world.ts'
import { signTransaction, transfer } from '../transactions.ts'

let world: TradingWorld
let seller: Wallet
let buyer: Wallet
let stranger: Wallet

beforeAll(async () => {
  world = await openTradingWorld()
  ;[seller, buyer, stranger] = await Promise.all([world.createWallet(), world.createWallet(), world.createWallet()])
})

afterAll(async () => {
  await expectAllAddsUp(world)
  await world.close()
})

const holdForWallet = async (listingId: string) => hold(world, buyer, listingId, 'wallet')
const confirm = (listingId: string, signature: string, wallet = buyer) => confirmPurchase(world.deps, wallet.address, listingId, signature)
const refusal = (code: string) => expect.objectContaining({ code })

describe('a purchase is not settled by', () => {
  it('the payment that settled another purchase of the same buyer', async () => {
    const [first, second] = [await list(world, seller), await list(world, seller)]
    const paid = await holdForWallet(first)
    const signature = await sendByWallet(world, await signPayment(world, buyer, paid))
    await confirm(first, signature)
    const purchase = await holdForWallet(second)
    await expect(confirm(second, signature)).rejects.toEqual(refusal('PAYMENT_MISMATCH'))
    await expectStillHeld(world, purchase)
    await abandonHold(world, buyer, purchase)
  })

  it('an unreferenced payment that settled another purchase of the same price', async () => {
    const price = world.nextPrice()
    const [first, second] = [await list(world, seller, { price }), await list(world, seller, { price })]
    const paid = await hold(world, buyer, first, 'wallet')
    const signature = await sendByWallet(world, await signPayment(world, buyer, paid, { references: [] }))
    await confirm(first, signature)
    const purchase = await hold(world, buyer, second, 'wallet')
    // As if the second hold had been placed in the payment's own slot: only its signature shows that it has been used.
    await world.connection.pool.query('update purchases set held_at_slot = 0 where id = $1', [purchase.purchaseId])
    await expect(confirm(second, signature)).rejects.toEqual(refusal('SIGNATURE_USED'))
    await expectStillHeld(world, purchase)
    await abandonHold(world, buyer, purchase)
  })

  it('an unreferenced transfer of its price from before the hold', async () => {
    const price = world.nextPrice()
    const listingId = await list(world, seller, { price })
    const early = await sendByWallet(world, await signTransaction(world, buyer, [transfer(buyer, seller.address, price)]))
    const slot = await world.chain.highestSlot()
    await reconcileUntil(world, async () => expect(await world.chain.highestSlot()).toBeGreaterThan(slot))
    const purchase = await holdForWallet(listingId)
    await expect(confirm(listingId, early)).rejects.toEqual(refusal('PAYMENT_MISMATCH'))
    await expectStillHeld(world, purchase)
    await abandonHold(world, buyer, purchase)
  })

  it("another buyer's payment for another listing", async () => {
    const [mine, theirs] = [await list(world, seller), await list(world, seller)]
    const other = await hold(world, stranger, theirs, 'wallet')
    const signature = await sendByWallet(world, await signPayment(world, stranger, other))
    const purchase = await holdForWallet(mine)
    await expect(confirm(mine, signature)).rejects.toEqual(refusal('PAYMENT_MISMATCH'))
    await expectStillHeld(world, purchase)
    await abandonHold(world, buyer, purchase)
    expect(await confirm(theirs, signature, stranger)).toMatchObject({ settled: true })
  })

  it("a third party's payment, even with its reference", async () => {
    const listingId = await list(world, seller)
    const purchase = await holdForWallet(listingId)
    const signature = await sendByWallet(world, await signPayment(world, stranger, purchase, { from: stranger }))
    await expect(confirm(listingId, signature)).rejects.toEqual(refusal('PAYMENT_MISMATCH'))
    await expectStillHeld(world, purchase)
    await abandonHold(world, buyer, purchase)
  })

  it('a transfer to anyone but the seller', async () => {
    const listingId = await list(world, seller)
    const purchase = await holdForWallet(listingId)
    const signature = await sendByWallet(world, await signPayment(world, buyer, purchase, { to: stranger.address }))
    await expect(confirm(listingId, signature)).rejects.toEqual(refusal('PAYMENT_MISMATCH'))
    await expectStillHeld(world, purchase)
    await abandonHold(world, buyer, purchase)
  })

  it('a payment in a transaction that failed', async () => {
    const listingId = await list(world, seller)
    const purchase = await holdForWallet(listingId)
    const tooMuch = transfer(buyer, stranger.address, 1_000n * 1_000_000_000n)
    const failed = await signPayment(world, buyer, purchase, { after: [tooMuch] })
    await sendByWallet(world, failed)
    await expect(confirm(listingId, failed.signature)).rejects.toEqual(refusal('PAYMENT_MISMATCH'))
    await expectStillHeld(world, purchase)
    await abandonHold(world, buyer, purchase)
  })

  it.each(['', 'x', '1'.repeat(88), 'z'.repeat(88), '0OIl', "'; drop table purchases; --"])('the forged signature %j', async (forged) => {
    const listingId = await list(world, seller)
    const purchase = await holdForWallet(listingId)
    const outcome = await confirm(listingId, forged).catch((error: unknown) => error)
    expect(outcome).toSatisfy((it: { code?: string; settled?: boolean }) => it.code === 'BAD_REQUEST' || it.settled === false)
    await expectStillHeld(world, purchase)
    await abandonHold(world, buyer, purchase)
  })

  it('a payment for a listing that the buyer never held', async () => {
    const price = world.nextPrice()
    const listingId = await list(world, seller, { price })
    const signature = await sendByWallet(world, await signTransaction(world, buyer, [transfer(buyer, seller.address, price)]))
    await expect(confirm(listingId, signature)).rejects.toEqual(refusal('NO_HOLD'))
    await expect(confirm('no-listing', signature)).rejects.toEqual(refusal('NO_HOLD'))
  })
})
