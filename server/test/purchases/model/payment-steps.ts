import { expect, vi } from 'vitest'

import { confirmPurchase } from '../../../src/purchases/settlement/confirm-purchase.ts'
import { submitPayment } from '../../../src/purchases/payment/submit-payment.ts'
import { readPurchase, sendByWallet, signPayment } from '../trading-world.ts'
import { type SignedPayment } from '../transactions.ts'
import { expectedConfirmation, expectedSubmission, type MarketModel, type PaymentKind, paymentOf, purchaseOf } from './market-model.ts'
import { type Act, casesSeenByBoth, itemAt, outcomeOf, type RealMarket, refund } from './real-market.ts'
import { markSettled } from './reconcile-market.ts'

export function submitStep(n: number, kind: PaymentKind): Act {
  return async (model, real) => {
    const number = n % model.purchases.length
    const purchase = itemAt(model.purchases, number)
    const expected = expectedSubmission(purchase, kind)
    const payment = await sign(model, real, number, kind)
    const { purchaseId } = itemAt(real.purchases, number)
    const submitted = submitPayment(real.world.deps, itemAt(real.buyers, purchase.buyer).address, purchaseId, payment.base64)
    expect(await outcomeOf(submitted)).toBe(expected)
    if (expected !== 'done') {
      expect((await real.world.chain.statuses([payment.signature])).size).toBe(0)
      return `buyer ${purchase.buyer} submits a payment (${kind}) of purchase ${number}: ${expected}`
    }
    await vi.waitFor(async () => expect((await real.world.chain.statuses([payment.signature])).size).toBe(1), {
      timeout: 10_000,
      interval: 20,
    })
    const landed = addLanded(model, real, number, kind, payment)
    purchase.recorded = landed
    return `buyer ${purchase.buyer} submits payment ${landed} of purchase ${number}, and it lands`
  }
}

export function submitAgainStep(n: number): Act {
  return async (model, real) => {
    const number = n % model.payments.length
    const { purchase, kind } = paymentOf(model, number)
    const { recorded, buyer } = itemAt(model.purchases, purchase)
    if (recorded !== number || kind !== 'exact') return `(payment ${number} was not submitted)`
    const { base64, signature } = itemAt(real.payments, number)
    const again = submitPayment(real.world.deps, itemAt(real.buyers, buyer).address, itemAt(real.purchases, purchase).purchaseId, base64)
    expect(await again).toBe(signature)
    return `buyer ${buyer} submits payment ${number} again`
  }
}

export function payStep(n: number, kind: PaymentKind): Act {
  return async (model, real) => {
    const number = n % model.purchases.length
    const purchase = itemAt(model.purchases, number)
    // A payment without a reference counts for open purchases only.
    const meant = purchase.state === 'held' ? kind : kind === 'wrongUnreferenced' ? 'wrong' : kind === 'unreferenced' ? 'exact' : kind
    const payment = await sign(model, real, number, meant)
    await sendByWallet(real.world, payment)
    const landed = addLanded(model, real, number, meant, payment)
    return `buyer ${purchase.buyer} sends payment ${landed} (${meant}) of purchase ${number}, which is ${purchase.state}`
  }
}

function sign(model: MarketModel, real: RealMarket, number: number, kind: PaymentKind): Promise<SignedPayment> {
  const { buyer } = itemAt(model.purchases, number)
  const purchase = itemAt(real.purchases, number)
  const references = kind === 'exact' || kind === 'wrong' ? [purchase.reference] : []
  // Equal transfers on one blockhash would be one transaction, so each carries its number.
  return signPayment(real.world, itemAt(real.buyers, buyer), purchase, {
    lamports: lamportsOf(model, number, kind),
    references,
    after: [memo(String(real.payments.length))],
  })
}

function lamportsOf({ purchases, listings }: MarketModel, number: number, kind: PaymentKind): bigint {
  const { price } = itemAt(listings, itemAt(purchases, number).listing)
  return kind === 'exact' || kind === 'unreferenced' ? price : price + 1n
}

function addLanded(model: MarketModel, real: RealMarket, purchase: number, kind: PaymentKind, payment: SignedPayment): number {
  real.payments.push(payment)
  model.payments.push({ purchase, kind, lamports: lamportsOf(model, purchase, kind), rolledBack: false, refunding: false })
  return model.payments.length - 1
}

export function confirmStep(n: number): Act {
  return async (model, real) => {
    const number = n % model.payments.length
    const expected = expectedConfirmation(model, number)
    await expectConfirmed(model, real, number, expected)
    return `the buyer confirms payment ${number}: ${expected}`
  }
}

/** Confirms a payment, and updates the model. */
export async function expectConfirmed(model: MarketModel, real: RealMarket, number: number, expected: string): Promise<void> {
  const payment = paymentOf(model, number)
  const purchase = purchaseOf(model, payment)
  const buyer = itemAt(real.buyers, purchase.buyer).address
  const confirmation = confirmPurchase(
    real.world.deps,
    buyer,
    itemAt(real.listings, purchase.listing),
    itemAt(real.payments, number).signature,
  )
  const outcome = await confirmation.then(
    ({ settled }) => (settled ? 'settled' : 'pending'),
    (error: unknown) => outcomeOf(Promise.reject(error)),
  )
  expect(outcome).toBe(expected)
  if (expected === 'settled') markSettled(model, payment.purchase, number)
}

export function rollBackStep(n: number): Act {
  return async (model, real) => {
    const number = n % model.payments.length
    const payment = paymentOf(model, number)
    const { finalized } = await readPurchase(real.world, itemAt(real.purchases, payment.purchase).purchaseId)
    const hasCase = (await casesSeenByBoth(real)).some((found) => found.signature === itemAt(real.payments, number).signature)
    if (hasCase || (finalized && purchaseOf(model, payment).paidBy === number)) return `(payment ${number} is final)`
    real.chain.rollBack(itemAt(real.payments, number).signature)
    payment.rolledBack = true
    return `the chain rolls payment ${number} back`
  }
}

export function refundStep(n: number): Act {
  return async (model, real) => {
    const open = (await casesSeenByBoth(real)).filter((found) => found.refundable)
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
