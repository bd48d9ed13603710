import { expect, vi } from 'vitest'

import { endReasonOf, endsUnsent, isFoundByItself, type MarketModel, mayDeliver, paymentOf } from './market-model.ts'
import { casesSeen, itemOf, lookAtAll, purchasesNow, type RealMarket } from './real-market.ts'

const patience = { timeout: 30_000, interval: 20 }

/** A payment was found and moved the tokens. */
export function settleAsFound(model: MarketModel, number: number, paidBy: number): void {
  const purchase = itemOf(model.purchases, number)
  purchase.state = 'settled'
  purchase.paidBy = paidBy
  itemOf(model.lots, purchase.lot).state = 'sold'
}

/**
 * Lets the watchers look until they have found what can be found: every payment that names its purchase has moved tokens or stands
 * in a case. When exactly a hold ends that is over depends on the chain's height; the model takes it over where it is allowed.
 * Gives what changed.
 */
export async function watchUntilFound(model: MarketModel, real: RealMarket): Promise<string> {
  const changes: string[] = []
  await vi.waitFor(async () => {
    await lookAtAll(real)
    changes.push(...(await takeOver(model, real)))
    await expectFound(model, real)
  }, patience)
  return changes.join(', ') || 'nothing changes'
}

/** Lets every hold end. */
export async function watchUntilOver(model: MarketModel, real: RealMarket): Promise<void> {
  await vi.waitFor(async () => {
    await lookAtAll(real)
    await takeOver(model, real)
    expect(model.purchases.map(({ state }) => state)).not.toContain('held')
    await expectFound(model, real)
  }, patience)
}

/** Lets the watchers look until every delivery whose payment the chain took back is told to both sides. */
export async function watchUntilTold(model: MarketModel, real: RealMarket): Promise<void> {
  const vanished = model.purchases.flatMap(({ paidBy }) => (paidBy !== undefined && paymentOf(model, paidBy).rolledBack ? [paidBy] : []))
  await vi.waitFor(async () => {
    await lookAtAll(real)
    const told = (await casesSeen(real)).filter((found) => found.kind === 'vanished').map(({ signature }) => signature)
    expect(told.toSorted()).toEqual(vanished.map((number) => itemOf(real.payments, number).signature).toSorted())
  }, patience)
}

async function expectFound(model: MarketModel, real: RealMarket): Promise<void> {
  const cases = new Set((await casesSeen(real)).map(({ signature }) => signature))
  const lost = model.payments.flatMap((payment, number) => {
    const { state, paidBy } = itemOf(model.purchases, payment.purchase)
    const told = paidBy === number || cases.has(itemOf(real.payments, number).signature)
    const waits = mayDeliver(model, payment) || !told
    return isFoundByItself(model, payment) && !payment.rolledBack && paidBy !== number && waits
      ? [`payment ${number} of a purchase that is ${state}`]
      : []
  })
  const refunding = (await casesSeen(real)).filter(({ status }) => status === 'refunding').map(({ caseId }) => caseId)
  expect({ lost, refunding, unsent: model.purchases.filter(endsUnsent) }).toEqual({ lost: [], refunding: [], unsent: [] })
}

/** Brings the model to what the product says, and fails where it may not say so. */
async function takeOver(model: MarketModel, real: RealMarket): Promise<string[]> {
  const changes: string[] = []
  for (const [number, now] of (await purchasesNow(real)).entries()) {
    const purchase = itemOf(model.purchases, number)
    if (now.status === purchase.state) continue
    changes.push(`purchase ${number} is ${now.status}`)
    if (now.status === 'settled') takeDelivery(model, real, number, now.signature)
    else takeEnd(model, number, now)
  }
  return changes
}

function takeDelivery(model: MarketModel, real: RealMarket, number: number, signature: string | null): void {
  const paidBy = real.payments.findIndex((payment) => payment.signature === signature)
  const payment = paymentOf(model, paidBy)
  expect({ purchase: payment.purchase, delivers: mayDeliver(model, payment) }).toEqual({ purchase: number, delivers: true })
  settleAsFound(model, number, paidBy)
}

function takeEnd(model: MarketModel, number: number, now: { status: string; endReason: string | null }): void {
  const purchase = itemOf(model.purchases, number)
  const paid = model.payments.filter(
    (payment) => payment.purchase === number && isFoundByItself(model, payment) && mayDeliver(model, payment),
  )
  expect({ was: purchase.state, over: purchase.over, paid }).toEqual({ was: 'held', over: true, paid: [] })
  expect(now).toMatchObject({ status: 'ended', endReason: endReasonOf(purchase) })
  purchase.state = 'ended'
  purchase.bars = now.endReason !== 'expired'
}
