import { expect, vi } from 'vitest'

import { endReasonOf, endsUnsent, isFoundByItself, type MarketModel, mayDeliver, paymentOf } from './market-model.ts'
import { casesSeenByBoth, itemAt, purchasesNow, type RealMarket, reconcileAll } from './real-market.ts'

const patience = { timeout: 30_000, interval: 20 }

/** Notes that a payment was found and moved the tokens. */
export function markSettled(model: MarketModel, number: number, paidBy: number): void {
  const purchase = itemAt(model.purchases, number)
  purchase.state = 'settled'
  purchase.paidBy = paidBy
  itemAt(model.listings, purchase.listing).state = 'sold'
}

/**
 * Reconciles until every payment that can be found has moved tokens or is in a case. The round in which a hold ends after its window
 * closed depends on the chain's height, so the model follows the product there, if it may end.
 * @returns what changed, in words.
 */
export async function reconcileUntilFound(model: MarketModel, real: RealMarket): Promise<string> {
  const changes: string[] = []
  await vi.waitFor(async () => {
    await reconcileAll(real)
    changes.push(...(await updateModel(model, real)))
    await expectFound(model, real)
  }, patience)
  return changes.join(', ') || 'nothing changes'
}

/** Reconciles until no purchase is held. */
export async function reconcileUntilClosed(model: MarketModel, real: RealMarket): Promise<void> {
  await vi.waitFor(async () => {
    await reconcileAll(real)
    await updateModel(model, real)
    expect(model.purchases.map(({ state }) => state)).not.toContain('held')
    await expectFound(model, real)
  }, patience)
}

/** Reconciles until every delivery whose payment was rolled back is a case that both sides see. */
export async function reconcileUntilReported(model: MarketModel, real: RealMarket): Promise<void> {
  const vanished = model.purchases.flatMap(({ paidBy }) => (paidBy !== undefined && paymentOf(model, paidBy).rolledBack ? [paidBy] : []))
  await vi.waitFor(async () => {
    await reconcileAll(real)
    const reported = (await casesSeenByBoth(real)).filter((found) => found.kind === 'vanished').map(({ signature }) => signature)
    expect(reported.toSorted()).toEqual(vanished.map((number) => itemAt(real.payments, number).signature).toSorted())
  }, patience)
}

async function expectFound(model: MarketModel, real: RealMarket): Promise<void> {
  const cases = new Set((await casesSeenByBoth(real)).map(({ signature }) => signature))
  const overlooked = model.payments.flatMap((payment, number) => {
    const { state, paidBy } = itemAt(model.purchases, payment.purchase)
    const reported = paidBy === number || cases.has(itemAt(real.payments, number).signature)
    const isOverlooked = mayDeliver(model, payment) || !reported
    return isFoundByItself(model, payment) && !payment.rolledBack && paidBy !== number && isOverlooked
      ? [`payment ${number} of a purchase that is ${state}`]
      : []
  })
  const refunding = (await casesSeenByBoth(real)).filter(({ status }) => status === 'refunding').map(({ caseId }) => caseId)
  expect({ overlooked, refunding, unsent: model.purchases.filter(endsUnsent) }).toEqual({ overlooked: [], refunding: [], unsent: [] })
}

/**
 * Updates the model to the product's state, and fails if the model does not allow it. Ends come first: in the same round, they may have
 * freed the listing for a late payment.
 */
async function updateModel(model: MarketModel, real: RealMarket): Promise<string[]> {
  const changed = [...(await purchasesNow(real)).entries()].filter(
    ([number, { status }]) => status !== itemAt(model.purchases, number).state,
  )
  const [delivered, ended] = [
    changed.filter(([, { status }]) => status === 'settled'),
    changed.filter(([, { status }]) => status !== 'settled'),
  ]
  for (const [number, now] of ended) noteEnd(model, number, now)
  for (const [number, { signature }] of delivered) noteDelivery(model, real, number, signature)
  return changed.map(([number, { status }]) => `purchase ${number} is ${status}`)
}

function noteDelivery(model: MarketModel, real: RealMarket, number: number, signature: string | null): void {
  const paidBy = real.payments.findIndex((payment) => payment.signature === signature)
  const payment = paymentOf(model, paidBy)
  expect({ purchase: payment.purchase, delivers: mayDeliver(model, payment) }).toEqual({ purchase: number, delivers: true })
  markSettled(model, number, paidBy)
}

function noteEnd(model: MarketModel, number: number, now: { status: string; endReason: string | null }): void {
  const purchase = itemAt(model.purchases, number)
  const paid = model.payments.filter(
    (payment) => payment.purchase === number && isFoundByItself(model, payment) && mayDeliver(model, payment),
  )
  expect({ was: purchase.state, windowClosed: purchase.windowClosed, paid }).toEqual({ was: 'held', windowClosed: true, paid: [] })
  expect(now).toMatchObject({ status: 'ended', endReason: endReasonOf(purchase) })
  purchase.state = 'ended'
  purchase.abandoned = now.endReason !== 'expired'
}
