import { base64 } from '@scure/base'
import { type Signature } from '@juicebar/contract/addresses'
import { type Case, type Purchase } from '@juicebar/contract/schemas'
import { getBase64EncodedWireTransaction, getTransactionDecoder, partiallySignTransaction } from '@solana/kit'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { closeCase } from '../../../src/purchases/cases/close-case.ts'
import { confirmPurchase } from '../../../src/purchases/settlement/confirm-purchase.ts'
import { cancelHold } from '../../../src/purchases/hold/cancel-hold.ts'
import { prepareRefund, submitRefund } from '../../../src/purchases/cases/refund-case.ts'
import { submitPayment } from '../../../src/purchases/payment/submit-payment.ts'
import { reconcileOnce } from '../../../src/purchases/reconciliation/reconcile-round.ts'
import {
  casesOf,
  appleJuice,
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
  type Wallet,
  watchUntil,
} from '../trading-world.ts'

let world: TradingWorld
let seller: Wallet
let buyer: Wallet
let rival: Wallet
let price = 100_000_000n

beforeAll(async () => {
  world = await openTradingWorld()
  ;[seller, buyer, rival] = await Promise.all([world.createWallet(), world.createWallet(), world.createWallet()])
})

afterAll(async () => {
  await expectAllAddsUp(world)
  await world.close()
})

async function listAnew(): Promise<string> {
  price += 1_000_000n
  return list(world, seller, { price })
}

/** A hold that ended although its buyer has a signed payment in hand, as a hostile or broken client may. */
async function lapsedHold(): Promise<{ purchase: Purchase; listingId: string }> {
  const listingId = await listAnew()
  const purchase = await hold(world, buyer, listingId)
  await cancelHold(world.deps, buyer.address, purchase.purchaseId)
  expect((await readPurchase(world, purchase.purchaseId)).status).toBe('ended')
  return { purchase, listingId }
}

async function lookAgain({ purchaseId }: Purchase): Promise<void> {
  await world.connection.pool.query('update purchases set reconcile_at = now() where id = $1', [purchaseId])
}

async function findCase(signature: Signature): Promise<Case | undefined> {
  return (await casesOf(world, buyer.address)).find((found) => found.signature === signature)
}

describe('a payment that comes after the hold ended', () => {
  it('is delivered when it names the purchase and the lot is still there', async () => {
    const { purchase } = await lapsedHold()
    const before = await appleJuice(world, buyer)
    await sendByWallet(world, await signPayment(world, buyer, purchase))
    await lookAgain(purchase)
    await untilStatus(world, purchase.purchaseId, 'settled')
    expect(await appleJuice(world, buyer)).toBe(before + purchase.amount)
  })

  it('is delivered at once when its buyer confirms it', async () => {
    const { purchase, listingId } = await lapsedHold()
    const signature = await sendByWallet(world, await signPayment(world, buyer, purchase))
    expect(await confirmPurchase(world.deps, buyer.address, listingId, signature)).toMatchObject({ settled: true })
  })

  it('without a reference is never delivered by itself, but both sides see it', async () => {
    const { purchase, listingId } = await lapsedHold()
    const signature = await sendByWallet(world, await signPayment(world, buyer, purchase, { references: [] }))
    await expect(confirmPurchase(world.deps, buyer.address, listingId, signature)).rejects.toMatchObject({ code: 'PAYMENT_CASE' })
    expect(await findCase(signature)).toMatchObject({ kind: 'late', status: 'open', refundable: true })
    expect(await readPurchase(world, purchase.purchaseId)).toMatchObject({ status: 'ended' })
  })

  it('waits while somebody else holds the lot, and is delivered at once when that one lets go', async () => {
    const { purchase, listingId } = await lapsedHold()
    const other = await hold(world, rival, listingId)
    const signature = await sendByWallet(world, await signPayment(world, buyer, purchase))
    await lookAgain(purchase)
    await watchUntil(world, async () => expect(await findCase(signature)).toMatchObject({ kind: 'late', status: 'open' }))
    // It was looked at in vain just now, and would not be again so soon.
    await reconcileOnce(world.deps)
    await cancelHold(world.deps, rival.address, other.purchaseId)
    await reconcileOnce(world.deps)
    expect((await readPurchase(world, purchase.purchaseId)).status).toBe('settled')
    expect(await findCase(signature)).toMatchObject({ status: 'delivered', refundable: false })
  })

  it('is refunded by the seller when the lot went to somebody else', async () => {
    const { purchase, signature } = await lostLot()
    await watchUntil(world, async () => expect(await findCase(signature)).toMatchObject({ kind: 'late', refundable: true }))
    const found = await findCase(signature)
    if (!found) throw new Error('no case')
    await expect(prepareRefund(world.deps, buyer.address, found.caseId)).rejects.toMatchObject({ code: 'NOT_YOUR_REFUND' })
    await expect(prepareRefund(world.deps, rival.address, found.caseId)).rejects.toMatchObject({ code: 'CASE_NOT_FOUND' })

    const before = await world.chain.balance(buyer.address, { fresh: true })
    const signed = await signRefund(found.caseId)
    const refund = await submitRefund(world.deps, seller.address, found.caseId, signed)
    expect(await submitRefund(world.deps, seller.address, found.caseId, signed)).toBe(refund)
    await expect(closeCase(world.database, found.caseId, 'too late')).rejects.toMatchObject({ code: 'CASE_NOT_OPEN' })
    await watchUntil(world, async () => expect(await findCase(signature)).toMatchObject({ status: 'refunded', refundSignature: refund }))
    expect(await world.chain.balance(buyer.address, { fresh: true })).toBe(before + BigInt(purchase.lamports))
    await expect(prepareRefund(world.deps, seller.address, found.caseId)).rejects.toMatchObject({ code: 'CASE_NOT_OPEN' })
  })

  it('is not delivered any more once its refund is recorded', async () => {
    const { purchase, listingId } = await lapsedHold()
    const other = await hold(world, rival, listingId)
    const signature = await sendByWallet(world, await signPayment(world, buyer, purchase))
    await lookAgain(purchase)
    await watchUntil(world, async () => expect(await findCase(signature)).toMatchObject({ refundable: true }))
    const found = await findCase(signature)
    if (!found) throw new Error('no case')
    await submitRefund(world.deps, seller.address, found.caseId, await signRefund(found.caseId))
    await cancelHold(world.deps, rival.address, other.purchaseId)
    await expect(confirmPurchase(world.deps, buyer.address, listingId, signature)).rejects.toMatchObject({ code: 'PAYMENT_CASE' })
    await watchUntil(world, async () => expect(await findCase(signature)).toMatchObject({ status: 'refunded' }))
    expect(await readPurchase(world, purchase.purchaseId)).toMatchObject({ status: 'ended' })
  })

  it('may be closed by the studio, with a note for both sides', async () => {
    const { signature } = await lostLot()
    await watchUntil(world, async () => expect(await findCase(signature)).toMatchObject({ status: 'open' }))
    const found = await findCase(signature)
    expect(await closeCase(world.database, found?.caseId ?? '', 'settled by mail')).toMatchObject({
      status: 'closed',
      note: 'settled by mail',
    })
    await expect(closeCase(world.database, found?.caseId ?? '', 'again')).rejects.toMatchObject({ code: 'CASE_NOT_OPEN' })
    await expect(closeCase(world.database, 'nothing', 'x')).rejects.toMatchObject({ code: 'CASE_NOT_FOUND' })
  })
})

describe('bytes that were handed in and never land', () => {
  it('free the lot when the chain has proved it, and are no lapse', async () => {
    const listingId = await listAnew()
    const purchase = await hold(world, buyer, listingId)
    const payment = await signPayment(world, buyer, purchase)
    const deaf = chainBut(world, { broadcast: async () => undefined })
    await submitPayment(deaf, buyer.address, purchase.purchaseId, payment.base64)
    await expect(cancelHold(world.deps, buyer.address, purchase.purchaseId)).rejects.toMatchObject({ code: 'PAYMENT_UNDER_WAY' })
    await expect(hold(world, buyer, listingId)).rejects.toMatchObject({ code: 'PAYMENT_UNDER_WAY' })
    await runOutOfTime(world, purchase.purchaseId)
    await watchUntil({ ...world, deps: deaf }, async () => {
      expect(await readPurchase(world, purchase.purchaseId)).toMatchObject({ status: 'ended', endReason: 'expired' })
    })
    await expect(hold(world, buyer, listingId)).resolves.toMatchObject({ status: 'held' })
  })
})

/** The buyer pays for a lot that meanwhile was sold to a rival. */
async function lostLot(): Promise<{ purchase: Purchase; signature: Signature }> {
  const { purchase, listingId } = await lapsedHold()
  const other = await hold(world, rival, listingId)
  const paid = await signPayment(world, rival, other)
  await submitPayment(world.deps, rival.address, other.purchaseId, paid.base64)
  await untilStatus(world, other.purchaseId, 'settled')
  const signature = await sendByWallet(world, await signPayment(world, buyer, purchase))
  await lookAgain(purchase)
  return { purchase, signature }
}

async function signRefund(caseId: string): Promise<string> {
  const { transaction } = await prepareRefund(world.deps, seller.address, caseId)
  const unsigned = getTransactionDecoder().decode(base64.decode(transaction))
  return getBase64EncodedWireTransaction(await partiallySignTransaction([seller.signer.keyPair], unsigned))
}
