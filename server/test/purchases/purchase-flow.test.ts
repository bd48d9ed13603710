import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { removeListing } from '../../src/listings/remove-listing.ts'
import { confirmPurchase } from '../../src/purchases/settlement/confirm-purchase.ts'
import { cancelHold } from '../../src/purchases/hold/cancel-hold.ts'
import { submitPayment } from '../../src/purchases/payment/submit-payment.ts'
import { closePaymentWindow } from './reconciling.ts'
import {
  appleJuice,
  expectAllAddsUp,
  hold,
  list,
  makeBuyerScansDue,
  openTradingWorld,
  readPurchase,
  sendByWallet,
  signPayment,
  type TradingWorld,
  untilStatus,
  type Wallet,
} from './trading-world.ts'

let world: TradingWorld
let seller: Wallet
let buyer: Wallet

beforeAll(async () => {
  world = await openTradingWorld()
  ;[seller, buyer] = await Promise.all([world.createWallet(), world.createWallet()])
})

afterAll(async () => {
  await expectAllAddsUp(world)
  await world.close()
})

const refuses = (code: string) => expect.objectContaining({ code })

describe('a purchase whose payment the server broadcasts', () => {
  it('moves SOL and tokens exactly once', async () => {
    const listingId = await list(world, seller, { amount: 7, price: 20_000_000n })
    const [solBefore, tokensBefore] = [await world.chain.balance(seller.address, { fresh: true }), await appleJuice(world, buyer)]
    const purchase = await hold(world, buyer, listingId)
    const payment = await signPayment(world, buyer, purchase)

    expect(await submitPayment(world.deps, buyer.address, purchase.purchaseId, payment.base64)).toBe(payment.signature)
    await untilStatus(world, purchase.purchaseId, 'settled')

    expect(await world.chain.balance(seller.address, { fresh: true })).toBe(solBefore + 20_000_000n)
    expect(await appleJuice(world, buyer)).toBe(tokensBefore + 7)
    const confirmed = await confirmPurchase(world.deps, buyer.address, listingId, payment.signature)
    expect(confirmed).toMatchObject({ purchase: { id: purchase.purchaseId }, settled: true })
    expect(await submitPayment(world.deps, buyer.address, purchase.purchaseId, payment.base64)).toBe(payment.signature)
    expect(await appleJuice(world, buyer)).toBe(tokensBefore + 7)
  })

  it('refuses a second, different payment before it is broadcast', async () => {
    const purchase = await hold(world, buyer, await list(world, seller, { price: 21_000_000n }))
    const first = await signPayment(world, buyer, purchase)
    const second = await signPayment(world, buyer, purchase, { version: 'legacy' })
    await submitPayment(world.deps, buyer.address, purchase.purchaseId, first.base64)
    await expect(submitPayment(world.deps, buyer.address, purchase.purchaseId, second.base64)).rejects.toEqual(
      expect.objectContaining({ code: expect.stringMatching(/PAYMENT_DIFFERS|HOLD_ENDED/) }),
    )
    await untilStatus(world, purchase.purchaseId, 'settled')
  })

  it('can be cancelled at once', async () => {
    const listingId = await list(world, seller, { price: 22_000_000n })
    const purchase = await hold(world, buyer, listingId)
    await expect(removeListing(world.database, seller.address, listingId)).rejects.toEqual(refuses('LISTING_HELD_BY_BUYER'))
    await cancelHold(world.deps, buyer.address, purchase.purchaseId)
    expect(await readPurchase(world, purchase.purchaseId)).toMatchObject({ status: 'ended', endReason: 'cancelled' })
    await expect(removeListing(world.database, seller.address, listingId)).resolves.toMatchObject({ status: 'removed' })
  })

  it('ends as soon as its payment window closes if no payment was submitted', async () => {
    const purchase = await hold(world, buyer, await list(world, seller, { price: 23_000_000n }))
    await closePaymentWindow(world, purchase)
    const late = await signPayment(world, buyer, purchase)
    await expect(submitPayment(world.deps, buyer.address, purchase.purchaseId, late.base64)).rejects.toEqual(refuses('HOLD_ENDED'))
    await untilStatus(world, purchase.purchaseId, 'ended')
    expect((await readPurchase(world, purchase.purchaseId)).endReason).toBe('lapsed')
  })
})

describe('a purchase by a client that knows only the specification', () => {
  it('is settled by an unreferenced transfer when the client confirms it', async () => {
    const listingId = await list(world, seller, { amount: 3, price: 30_000_000n })
    const purchase = await hold(world, buyer, listingId, 'wallet')
    const before = await appleJuice(world, buyer)
    const signature = await sendByWallet(world, await signPayment(world, buyer, purchase, { references: [] }))
    expect(await confirmPurchase(world.deps, buyer.address, listingId, signature)).toMatchObject({ settled: true })
    expect(await appleJuice(world, buyer)).toBe(before + 3)
  })

  it('is settled by an unreferenced transfer even if the client never comes back', async () => {
    const purchase = await hold(world, buyer, await list(world, seller, { price: 31_000_000n }), 'wallet')
    await sendByWallet(world, await signPayment(world, buyer, purchase, { references: [] }))
    await makeBuyerScansDue(world)
    await untilStatus(world, purchase.purchaseId, 'settled')
  })

  it('stays unsettled while the chain does not know the confirmed transaction', async () => {
    const listingId = await list(world, seller, { price: 32_000_000n })
    const purchase = await hold(world, buyer, listingId, 'wallet')
    const unsent = await signPayment(world, buyer, purchase, { references: [] })
    expect(await confirmPurchase(world.deps, buyer.address, listingId, unsent.signature)).toMatchObject({ settled: false })
    await sendByWallet(world, unsent)
    expect(await confirmPurchase(world.deps, buyer.address, listingId, unsent.signature)).toMatchObject({ settled: true })
  })
})
