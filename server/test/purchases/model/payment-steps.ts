import { expect, vi } from 'vitest'

import { confirmPurchase } from '../../../src/purchases/settlement/confirm-purchase.ts'
import { submitPayment } from '../../../src/purchases/payment/submit-payment.ts'
import { readPurchase, sendByWallet, type SignedPayment, signPayment } from '../trading-world.ts'
import { expectConfirmation, expectHandIn, type MarketModel, type PaymentKind, paymentOf, purchaseOf } from './market-model.ts'
import { type Act, casesSeen, itemOf, outcomeOf, type RealMarket, refund } from './real-market.ts'
import { settleAsFound } from './reconcile-market.ts'

export function handIn(n: number, kind: PaymentKind): Act {
  return async (model, real) => {
    const number = n % model.purchases.length
    const purchase = itemOf(model.purchases, number)
    const expected = expectHandIn(purchase, kind)
    const payment = await sign(model, real, number, kind)
    const { purchaseId } = itemOf(real.purchases, number)
    const submitted = submitPayment(real.world.deps, itemOf(real.buyers, purchase.buyer).address, purchaseId, payment.base64)
    expect(await outcomeOf(submitted)).toBe(expected)
    if (expected !== 'done') {
      expect((await real.world.chain.statuses([payment.signature])).size).toBe(0)
      return `buyer ${purchase.buyer} hands in a payment (${kind}) of purchase ${number}: ${expected}`
    }
    await vi.waitFor(async () => expect((await real.world.chain.statuses([payment.signature])).size).toBe(1), {
      timeout: 10_000,
      interval: 20,
    })
    const landed = noteLanded(model, real, number, kind, payment)
    purchase.recorded = landed
    return `buyer ${purchase.buyer} hands in payment ${landed} of purchase ${number}, and it lands`
  }
}

export function handInAgain(n: number): Act {
  return async (model, real) => {
    const number = n % model.payments.length
    const { purchase, kind } = paymentOf(model, number)
    const { recorded, buyer } = itemOf(model.purchases, purchase)
    if (recorded !== number || kind !== 'exact') return `(payment ${number} was not handed in)`
    const { base64, signature } = itemOf(real.payments, number)
    const again = submitPayment(real.world.deps, itemOf(real.buyers, buyer).address, itemOf(real.purchases, purchase).purchaseId, base64)
    expect(await again).toBe(signature)
    return `buyer ${buyer} hands in payment ${number} again`
  }
}

export function payByWallet(n: number, kind: PaymentKind): Act {
  return async (model, real) => {
    const number = n % model.purchases.length
    const purchase = itemOf(model.purchases, number)
    // Whoever names no purchase can only mean one that is open.
    const meant = purchase.state === 'held' ? kind : kind === 'offPlain' ? 'off' : kind === 'plain' ? 'exact' : kind
    const payment = await sign(model, real, number, meant)
    await sendByWallet(real.world, payment)
    const landed = noteLanded(model, real, number, meant, payment)
    return `buyer ${purchase.buyer} sends payment ${landed} (${meant}) of purchase ${number}, which is ${purchase.state}`
  }
}

function sign(model: MarketModel, real: RealMarket, number: number, kind: PaymentKind): Promise<SignedPayment> {
  const { buyer } = itemOf(model.purchases, number)
  const purchase = itemOf(real.purchases, number)
  const references = kind === 'exact' || kind === 'off' ? [purchase.reference] : []
  // Two equal transfers on one blockhash are one transaction: each payment says its number.
  return signPayment(real.world, itemOf(real.buyers, buyer), purchase, {
    lamports: lamportsOf(model, number, kind),
    references,
    after: [memo(String(real.payments.length))],
  })
}

function lamportsOf({ purchases, lots }: MarketModel, number: number, kind: PaymentKind): bigint {
  const { price } = itemOf(lots, itemOf(purchases, number).lot)
  return kind === 'exact' || kind === 'plain' ? price : price + 1n
}

function noteLanded(model: MarketModel, real: RealMarket, purchase: number, kind: PaymentKind, payment: SignedPayment): number {
  real.payments.push(payment)
  model.payments.push({ purchase, kind, lamports: lamportsOf(model, purchase, kind), rolledBack: false, refunding: false })
  return model.payments.length - 1
}

export function confirm(n: number): Act {
  return async (model, real) => {
    const number = n % model.payments.length
    const expected = expectConfirmation(model, number)
    await expectConfirmed(model, real, number, expected)
    return `the buyer confirms payment ${number}: ${expected}`
  }
}

/** Confirms, and notes in the model what it did. */
export async function expectConfirmed(model: MarketModel, real: RealMarket, number: number, expected: string): Promise<void> {
  const payment = paymentOf(model, number)
  const purchase = purchaseOf(model, payment)
  const buyer = itemOf(real.buyers, purchase.buyer).address
  const confirmation = confirmPurchase(real.world.deps, buyer, itemOf(real.lots, purchase.lot), itemOf(real.payments, number).signature)
  const outcome = await confirmation.then(
    ({ settled }) => (settled ? 'settled' : 'pending'),
    (error: unknown) => outcomeOf(Promise.reject(error)),
  )
  expect(outcome).toBe(expected)
  if (expected === 'settled') settleAsFound(model, payment.purchase, number)
}

export function rollBack(n: number): Act {
  return async (model, real) => {
    const number = n % model.payments.length
    const payment = paymentOf(model, number)
    const { finalized } = await readPurchase(real.world, itemOf(real.purchases, payment.purchase).purchaseId)
    const known = (await casesSeen(real)).some((found) => found.signature === itemOf(real.payments, number).signature)
    if (known || (finalized && purchaseOf(model, payment).paidBy === number)) return `(payment ${number} is final)`
    real.chain.rollBack(itemOf(real.payments, number).signature)
    payment.rolledBack = true
    return `the chain rolls payment ${number} back`
  }
}

export function refundOne(n: number): Act {
  return async (model, real) => {
    const open = (await casesSeen(real)).filter((found) => found.refundable)
    const found = open[n % Math.max(1, open.length)]
    if (!found) return '(nothing to refund)'
    const number = real.payments.findIndex(({ signature }) => signature === found.signature)
    await refund(real, found.caseId)
    paymentOf(model, number).refunding = true
    return `the seller refunds payment ${number}`
  }
}

const memoProgram = 'MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr'

function memo(text: string) {
  return { programAddress: memoProgram as never, accounts: [], data: new TextEncoder().encode(text) }
}
