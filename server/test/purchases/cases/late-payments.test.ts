import { type Signature } from '@juicebar/contract/addresses'
import { type Case, type Purchase } from '@juicebar/contract/schemas'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { closeCase } from '../../../src/purchases/cases/close-case.ts'
import { confirmPurchase } from '../../../src/purchases/settlement/confirm-purchase.ts'
import { cancelHold } from '../../../src/purchases/hold/cancel-hold.ts'
import { prepareRefund, submitRefund } from '../../../src/purchases/cases/refund-case.ts'
import { submitPayment } from '../../../src/purchases/payment/submit-payment.ts'
import { reconcileOnce } from '../../../src/purchases/reconciliation/reconcile-round.ts'
import { closePaymentWindow, makeDue } from '../reconciling.ts'
import { signRefund } from '../sign-refund.ts'
import {
  appleJuice,
  casesOf,
  chainBut,
  expectAllAddsUp,
  hold,
  list,
  openTradingWorld,
  readPurchase,
  reconcileUntil,
  sendByWallet,
  signPayment,
  type TradingWorld,
  untilStatus,
  type Wallet,
} from '../trading-world.ts'

let world: TradingWorld
let seller: Wallet
let buyer: Wallet
let rival: Wallet

beforeAll(async () => {
  world = await openTradingWorld()
  ;[seller, buyer, rival] = await Promise.all([world.createWallet(), world.createWallet(), world.createWallet()])
})

afterAll(async () => {
  await expectAllAddsUp(world)
  await world.close()
})

/** A hold that its buyer cancelled but can still pay for, as a hostile or broken client may. */
async function cancelledHold(): Promise<{ purchase: Purchase; listingId: string }> {
  const listingId = await list(world, seller)
  const purchase = await hold(world, buyer, listingId)
  await cancelHold(world.deps, buyer.address, purchase.purchaseId)
  expect((await readPurchase(world, purchase.purchaseId)).status).toBe('ended')
  return { purchase, listingId }
}

async function findCase(signature: Signature): Promise<Case | undefined> {
  return (await casesOf(world, buyer.address)).find((found) => found.signature === signature)
}

describe('a payment that lands after its hold ended', () => {
  it('is delivered if it carries the reference and the listing is still for sale', async () => {
    const { purchase } = await cancelledHold()
    const before = await appleJuice(world, buyer)
    await sendByWallet(world, await signPayment(world, buyer, purchase))
    await makeDue(world, purchase)
    await untilStatus(world, purchase.purchaseId, 'settled')
    expect(await appleJuice(world, buyer)).toBe(before + purchase.amount)
  })

  it('is delivered at once when its buyer confirms it', async () => {
    const { purchase, listingId } = await cancelledHold()
    const signature = await sendByWallet(world, await signPayment(world, buyer, purchase))
    expect(await confirmPurchase(world.deps, buyer.address, listingId, signature)).toMatchObject({ settled: true })
  })

  it('is never delivered without a reference, but becomes a case that its buyer sees', async () => {
    const { purchase, listingId } = await cancelledHold()
    const signature = await sendByWallet(world, await signPayment(world, buyer, purchase, { references: [] }))
    await expect(confirmPurchase(world.deps, buyer.address, listingId, signature)).rejects.toMatchObject({ code: 'PAYMENT_CASE' })
    expect(await findCase(signature)).toMatchObject({ kind: 'late', status: 'open', refundable: true })
    expect(await readPurchase(world, purchase.purchaseId)).toMatchObject({ status: 'ended' })
  })

  it('waits while someone else holds the listing, and is delivered as soon as that hold is cancelled', async () => {
    const { purchase, listingId } = await cancelledHold()
    const other = await hold(world, rival, listingId)
    const signature = await sendByWallet(world, await signPayment(world, buyer, purchase))
    await makeDue(world, purchase)
    await reconcileUntil(world, async () => expect(await findCase(signature)).toMatchObject({ kind: 'late', status: 'open' }))
    // It has just been reconciled in vain, and is not due again so soon.
    await reconcileOnce(world.deps)
    await cancelHold(world.deps, rival.address, other.purchaseId)
    await reconcileOnce(world.deps)
    expect((await readPurchase(world, purchase.purchaseId)).status).toBe('settled')
    expect(await findCase(signature)).toMatchObject({ status: 'delivered', refundable: false })
  })

  it('can be refunded by the seller once the listing was sold to someone else', async () => {
    const { purchase, signature } = await payForSoldListing()
    await reconcileUntil(world, async () => expect(await findCase(signature)).toMatchObject({ kind: 'late', refundable: true }))
    const found = await findCase(signature)
    if (!found) throw new Error('no case')
    await expect(prepareRefund(world.deps, buyer.address, found.caseId)).rejects.toMatchObject({ code: 'NOT_YOUR_REFUND' })
    await expect(prepareRefund(world.deps, rival.address, found.caseId)).rejects.toMatchObject({ code: 'CASE_NOT_FOUND' })

    const before = await world.chain.balance(buyer.address, { fresh: true })
    const { base64 } = await signRefund(world, seller, found)
    const refund = await submitRefund(world.deps, seller.address, found.caseId, base64)
    expect(await submitRefund(world.deps, seller.address, found.caseId, base64)).toBe(refund)
    await expect(closeCase(world.deps, found.caseId, 'too late')).rejects.toMatchObject({ code: 'CASE_NOT_OPEN' })
    await reconcileUntil(world, async () =>
      expect(await findCase(signature)).toMatchObject({ status: 'refunded', refundSignature: refund }),
    )
    expect(await world.chain.balance(buyer.address, { fresh: true })).toBe(before + BigInt(purchase.lamports))
    await expect(prepareRefund(world.deps, seller.address, found.caseId)).rejects.toMatchObject({ code: 'CASE_NOT_OPEN' })
  })

  it('is no longer delivered once its refund is recorded', async () => {
    const { purchase, listingId } = await cancelledHold()
    const other = await hold(world, rival, listingId)
    const signature = await sendByWallet(world, await signPayment(world, buyer, purchase))
    await makeDue(world, purchase)
    await reconcileUntil(world, async () => expect(await findCase(signature)).toMatchObject({ refundable: true }))
    const found = await findCase(signature)
    if (!found) throw new Error('no case')
    await submitRefund(world.deps, seller.address, found.caseId, (await signRefund(world, seller, found)).base64)
    await cancelHold(world.deps, rival.address, other.purchaseId)
    await expect(confirmPurchase(world.deps, buyer.address, listingId, signature)).rejects.toMatchObject({ code: 'PAYMENT_CASE' })
    await reconcileUntil(world, async () => expect(await findCase(signature)).toMatchObject({ status: 'refunded' }))
    expect(await readPurchase(world, purchase.purchaseId)).toMatchObject({ status: 'ended' })
  })

  it('can be closed once by the studio, with a note', async () => {
    const { signature } = await payForSoldListing()
    await reconcileUntil(world, async () => expect(await findCase(signature)).toMatchObject({ status: 'open' }))
    const found = await findCase(signature)
    expect(await closeCase(world.deps, found?.caseId ?? '', 'settled by mail')).toMatchObject({
      status: 'closed',
      note: 'settled by mail',
    })
    await expect(closeCase(world.deps, found?.caseId ?? '', 'again')).rejects.toMatchObject({ code: 'CASE_NOT_OPEN' })
    await expect(closeCase(world.deps, 'nothing', 'x')).rejects.toMatchObject({ code: 'CASE_NOT_FOUND' })
  })
})

describe('a submitted payment that never lands', () => {
  it('frees the listing once it is proved expired, without a cooldown', async () => {
    const listingId = await list(world, seller)
    const purchase = await hold(world, buyer, listingId)
    const payment = await signPayment(world, buyer, purchase)
    const silent = chainBut(world, { broadcast: async () => undefined })
    await submitPayment(silent, buyer.address, purchase.purchaseId, payment.base64)
    await expect(cancelHold(world.deps, buyer.address, purchase.purchaseId)).rejects.toMatchObject({ code: 'PAYMENT_UNDER_WAY' })
    await expect(hold(world, buyer, listingId)).rejects.toMatchObject({ code: 'PAYMENT_UNDER_WAY' })
    await closePaymentWindow(world, purchase)
    await reconcileUntil(world.seenWith({ deps: silent }), async () => {
      expect(await readPurchase(world, purchase.purchaseId)).toMatchObject({ status: 'ended', endReason: 'expired' })
    })
    await expect(hold(world, buyer, listingId)).resolves.toMatchObject({ status: 'held' })
  })
})

/** The buyer pays for a listing that has been sold to a rival meanwhile. */
async function payForSoldListing(): Promise<{ purchase: Purchase; signature: Signature }> {
  const { purchase, listingId } = await cancelledHold()
  const other = await hold(world, rival, listingId)
  const paid = await signPayment(world, rival, other)
  await submitPayment(world.deps, rival.address, other.purchaseId, paid.base64)
  await untilStatus(world, other.purchaseId, 'settled')
  const signature = await sendByWallet(world, await signPayment(world, buyer, purchase))
  await makeDue(world, purchase)
  return { purchase, signature }
}
