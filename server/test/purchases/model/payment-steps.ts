import { type Case } from '@juicebar/contract/schemas'
import { expect, vi } from 'vitest'

import { confirmPayment, confirmPurchase } from '../../../src/purchases/settlement/confirm-purchase.ts'
import { submitPayment } from '../../../src/purchases/payment/submit-payment.ts'
import { readPurchase, sendByWallet } from '../trading-world.ts'
import { type SignedPayment, signTransaction, transfer } from '../transactions.ts'
import { sellersOf } from './market-listings.ts'
import {
  expectedConfirmation,
  expectedSubmission,
  isSingleTransfer,
  type MarketModel,
  type PaymentKind,
  paymentOf,
  type PurchaseModel,
  purchaseOf,
  reportedFor,
} from './market-model.ts'
import { type Act, casesSeenByBoth, itemAt, outcomeOf, type RealMarket, refund } from './real-market.ts'
import { settle } from './reconcile-market.ts'

/** Another sum than any two holds differ by, or what is wrong for one would be right for the other. */
const OTHER_LAMPORTS = 777n

export function submitStep(n: number, given: PaymentKind): Act {
  return async (model, real) => {
    const number = n % model.purchases.length
    const purchase = itemAt(model.purchases, number)
    const kind = possibleKind(purchase, given)
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

export function payStep(n: number, given: PaymentKind): Act {
  return async (model, real) => {
    const number = n % model.purchases.length
    const purchase = itemAt(model.purchases, number)
    // A payment without a reference counts for open purchases only.
    const kind = possibleKind(purchase, given, { unreferenced: purchase.state === 'held' })
    const payment = await sign(model, real, number, kind)
    await sendByWallet(real.world, payment)
    const landed = addLanded(model, real, number, kind, payment)
    return `buyer ${purchase.buyer} sends payment ${landed} (${kind}) of purchase ${number}, which is ${purchase.state}`
  }
}

/** Only a single transfer needs no reference, and only of several can one be missing. */
function possibleKind(purchase: PurchaseModel, kind: PaymentKind, { unreferenced = true } = {}): PaymentKind {
  const isSingle = isSingleTransfer(purchase)
  if (kind === 'missing') return isSingle ? 'wrong' : kind
  if (isSingle && unreferenced) return kind
  return kind === 'unreferenced' ? 'exact' : kind === 'wrongUnreferenced' ? 'wrong' : kind
}

function sign(model: MarketModel, real: RealMarket, number: number, kind: PaymentKind): Promise<SignedPayment> {
  const purchase = itemAt(model.purchases, number)
  const buyer = itemAt(real.buyers, purchase.buyer)
  const references = kind === 'unreferenced' || kind === 'wrongUnreferenced' ? [] : [itemAt(real.purchases, number).reference]
  const transfers = transfersOf(purchase, kind).map(({ seller, lamports }) => {
    const { address } = seller === undefined ? real.studio : itemAt(real.sellers, seller)
    return transfer(buyer, address, lamports, references)
  })
  // Equal transfers on one blockhash would be one transaction, so each carries its number.
  return signTransaction(real.world, buyer, [...transfers, memo(String(real.payments.length))])
}

/** What a payment moves to each seller, and then to the studio (undefined). */
function transfersOf({ items, fee }: PurchaseModel, kind: PaymentKind): { seller: number | undefined; lamports: bigint }[] {
  const received = sellersOf(items).map((seller) => {
    const sold = items.filter((item) => item.seller === seller)
    return { seller, lamports: sold.reduce((sum, { lamports }) => sum + lamports, 0n) }
  })
  const [first, ...others] = [...received, ...(fee > 0n ? [{ seller: undefined, lamports: fee }] : [])]
  if (!first) return []
  if (kind === 'missing') return [first, ...others].slice(0, -1)
  const more = kind === 'wrong' ? 1n : kind === 'wrongUnreferenced' ? OTHER_LAMPORTS : 0n
  return [{ ...first, lamports: first.lamports + more }, ...others]
}

function addLanded(model: MarketModel, real: RealMarket, number: number, kind: PaymentKind, payment: SignedPayment): number {
  const paid = transfersOf(itemAt(model.purchases, number), kind).flatMap(({ seller }) => seller ?? [])
  real.payments.push(payment)
  model.payments.push({ purchase: number, kind, paid, rolledBack: false, refunding: false, hopeless: false })
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
  const outcome = await confirm(model, real, number).then(
    ({ settled }) => (settled ? 'settled' : 'pending'),
    (error: unknown) => outcomeOf(Promise.reject(error)),
  )
  const isUsed = expected === 'PAYMENT_CASE' && (await reportsOf(model, real, number)).some(({ purchase: by }) => by !== payment.purchase)
  expect({ payment: number, outcome }).toEqual({ payment: number, outcome: isUsed ? 'SIGNATURE_USED' : expected })
  if (expected !== 'settled' || purchase.paidBy === number) return
  const { items } = await readPurchase(real.world, itemAt(real.purchases, payment.purchase).purchaseId)
  expect(settle(model, payment.purchase, { paidBy: number, items })).toBe(true)
}

/** The cases that tell of a payment, with the purchases that they may be of. */
export async function reportsOf(model: MarketModel, real: RealMarket, number: number): Promise<(Case & { purchase: number })[]> {
  const { signature } = itemAt(real.payments, number)
  const cases = (await casesSeenByBoth(real)).filter((found) => found.signature === signature)
  return reportedFor(model, paymentOf(model, number)).flatMap((purchase) =>
    cases.filter(({ purchaseId }) => purchaseId === itemAt(real.purchases, purchase).purchaseId).map((found) => ({ ...found, purchase })),
  )
}

/** As the specification's client does, if what was bought is one listing as it was listed. */
function confirm(model: MarketModel, real: RealMarket, number: number) {
  const payment = paymentOf(model, number)
  const { buyer, items } = purchaseOf(model, payment)
  const [{ listing } = { listing: 0 }, ...others] = items
  const { address } = itemAt(real.buyers, buyer)
  const { signature } = itemAt(real.payments, number)
  const { id, partOf } = itemAt(model.listings, listing)
  if (others.length === 0 && partOf === undefined) return confirmPurchase(real.world.deps, address, id, signature)
  return confirmPayment(real.world.deps, address, itemAt(real.purchases, payment.purchase).purchaseId, signature)
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
    const seller = real.sellers.findIndex(({ address }) => address === found.seller)
    await refund(real, itemAt(real.sellers, seller), found.caseId)
    paymentOf(model, number).refunding = true
    return `seller ${seller} refunds payment ${number}`
  }
}

const memoProgram = 'MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr'

function memo(text: string) {
  return { programAddress: memoProgram as never, accounts: [], data: new TextEncoder().encode(text) }
}
