import { Failure } from '@juicebar/contract/errors'
import { lamports } from '@juicebar/contract/money'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'

import { confirmPurchase } from '../../../src/purchases/settlement/confirm-purchase.ts'
import { cancelHold } from '../../../src/purchases/hold/cancel-hold.ts'
import { type PurchaseDeps } from '../../../src/purchases/purchase-deps.ts'
import { submitPayment } from '../../../src/purchases/payment/submit-payment.ts'
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
  signTransaction,
  type TradingWorld,
  transfer,
  untilStatus,
  type Wallet,
  watchUntil,
} from '../trading-world.ts'

let world: TradingWorld
let seller: Wallet
let buyer: Wallet

beforeAll(async () => {
  world = await openTradingWorld()
  seller = await world.createWallet()
})

beforeEach(async () => void (buyer = await world.createWallet()))

afterAll(async () => {
  await expectAllAddsUp(world)
  await world.close()
})

describe('bytes that no endpoint takes', () => {
  it('do not keep the lot held for ever', async () => {
    const purchase = await hold(world, buyer, await list(world, seller, { price: 20_000_000n }))
    const payment = await signPayment(world, buyer, purchase)
    const deps = chainBut(world, { broadcast: () => Promise.reject(new Failure('CHAIN_DOWN')) })
    expect(await submitPayment(deps, buyer.address, purchase.purchaseId, payment.base64)).toBe(payment.signature)
    await runOutOfTime(world, purchase.purchaseId)
    await untilStatus({ ...world, deps }, purchase.purchaseId, 'ended')
    expect(await readPurchase(world, purchase.purchaseId)).toMatchObject({ endReason: 'expired' })
  })
})

describe('a payment that failed on the chain for good', () => {
  it('makes room for another one', async () => {
    const price = 9_000_000_000n
    const purchase = await hold(world, buyer, await list(world, seller, { price }))
    const payment = await signPayment(world, buyer, purchase)
    const elsewhere = transfer(buyer, seller.address, lamports(5_000_000_000n))
    const quiet = chainBut(world, { broadcast: async () => undefined })
    await submitPayment(quiet, buyer.address, purchase.purchaseId, payment.base64)
    await sendByWallet(world, await signTransaction(world, buyer, [elsewhere]))
    await sendByWallet(world, payment)
    await watchUntil(world, async () => {
      await world.connection.pool.query('update purchases set reconcile_at = now() where id = $1', [purchase.purchaseId])
      expect(await readPurchase(world, purchase.purchaseId)).toMatchObject({ status: 'held', stage: 'none', signature: null })
    })
    await expect(confirmPurchase(world.deps, buyer.address, purchase.listingId, payment.signature)).rejects.toMatchObject({
      code: 'PAYMENT_MISMATCH',
    })
    await sendByWallet(world, await signTransaction(world, seller, [transfer(seller, buyer.address, lamports(5_000_000_000n))]))
    const second = await signPayment(world, buyer, purchase)
    expect(await submitPayment(world.deps, buyer.address, purchase.purchaseId, second.base64)).toBe(second.signature)
    await untilStatus(world, purchase.purchaseId, 'settled')
  })
})

describe('the same bytes handed in', () => {
  it('many times at once are one payment with one answer', async () => {
    const purchase = await hold(world, buyer, await list(world, seller, { price: 21_000_000n }))
    const payment = await signPayment(world, buyer, purchase)
    const submit = (deps: PurchaseDeps) => submitPayment(deps, buyer.address, purchase.purchaseId, payment.base64)
    // One call is slow to check the bytes: meanwhile the other has them sent, and they settle the purchase.
    let go: () => void = () => undefined
    const delayed = new Promise<void>((resolve) => (go = resolve))
    const slow = submit(chainBut(world, { highestBlockHeight: () => delayed.then(() => world.chain.highestBlockHeight()) }))
    expect(await submit(world.deps)).toBe(payment.signature)
    await untilStatus(world, purchase.purchaseId, 'settled')
    go()
    expect(await slow).toBe(payment.signature)
  })

  it('after the hold has ended are not sent any more', async () => {
    const purchase = await hold(world, buyer, await list(world, seller, { price: 22_000_000n }))
    const payment = await signPayment(world, buyer, purchase)
    await submitPayment(chainBut(world, { broadcast: async () => undefined }), buyer.address, purchase.purchaseId, payment.base64)
    // As after a local chain was started anew, which may take the same bytes again.
    await world.connection.pool.query(`update payments set status = 'void' where signature = $1`, [payment.signature])
    await cancelHold(world.deps, buyer.address, purchase.purchaseId)
    let sent = 0
    const counting = chainBut(world, { broadcast: async () => void (sent += 1) })
    expect(await submitPayment(counting, buyer.address, purchase.purchaseId, payment.base64)).toBe(payment.signature)
    expect(sent).toBe(0)
  })
})
