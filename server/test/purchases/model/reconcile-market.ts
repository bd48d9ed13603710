import { type Purchase } from '@juicebar/contract/schemas'
import { expect } from 'vitest'

import { endUnsent } from './expected-hold.ts'
import { deliver, endHold, looksHopeless } from './market-listings.ts'
import { endReasonOf, endsUnsent, isFoundByItself, type MarketModel, mayDeliver, paymentOf } from './market-model.ts'
import { reconcileUntil } from '../trading-world.ts'
import { casesSeenByBoth, itemAt, listingsNow, listingsOf, purchasesNow, type RealMarket, type SeenListing } from './real-market.ts'

const scansBuyers = { scansBuyers: true }

/**
 * Notes that a payment was found and moved the tokens.
 * @param items of the purchase as it is now: what was split off for it has a name
 * @returns false if the market does not allow it
 */
export function settle(model: MarketModel, number: number, { paidBy, items }: { paidBy: number; items: Purchase['items'] }): boolean {
  const names = items.map(({ listingId }) => listingId)
  if (!deliver(model, number, names)) return false
  Object.assign(itemAt(model.purchases, number), { state: 'settled', paidBy, abandoned: false })
  return true
}

/**
 * Reconciles until every payment that can be found has moved tokens or is in a case. The round in which a hold ends after its window
 * closed depends on the chain's height, so the model follows the product there, if it may end.
 * @returns what changed, in words.
 */
export async function reconcileUntilFound(model: MarketModel, real: RealMarket): Promise<string> {
  const changes: string[] = []
  await reconcileUntil(
    real.world,
    async () => {
      changes.push(...(await updateModel(model, real)))
      await expectFound(model, real)
    },
    scansBuyers,
  )
  return changes.join(', ') || 'nothing changes'
}

/** Reconciles until no purchase is held. */
export async function reconcileUntilClosed(model: MarketModel, real: RealMarket): Promise<void> {
  await reconcileUntil(
    real.world,
    async () => {
      await updateModel(model, real)
      expect(model.purchases.map(({ state }) => state)).not.toContain('held')
      await expectFound(model, real)
    },
    scansBuyers,
  )
}

/** Reconciles until every delivery whose payment was rolled back is a case that both sides see. */
export async function reconcileUntilReported(model: MarketModel, real: RealMarket): Promise<void> {
  const vanished = model.purchases.flatMap(({ paidBy }) => {
    if (paidBy === undefined || !paymentOf(model, paidBy).rolledBack) return []
    const { signature } = itemAt(real.payments, paidBy)
    return paymentOf(model, paidBy).paid.map((seller) => `${signature} of ${itemAt(real.sellers, seller).address}`)
  })
  await reconcileUntil(
    real.world,
    async () => {
      const reported = (await casesSeenByBoth(real)).filter((found) => found.kind === 'vanished')
      expect(reported.map(({ signature, seller }) => `${signature} of ${seller}`).toSorted()).toEqual(vanished.toSorted())
    },
    scansBuyers,
  )
}

async function expectFound(model: MarketModel, real: RealMarket): Promise<void> {
  const cases = new Set((await casesSeenByBoth(real)).map(({ signature }) => signature))
  const overlooked = model.payments.flatMap((payment, number) => {
    const { state, paidBy } = itemAt(model.purchases, payment.purchase)
    const reported = paidBy === number || cases.has(itemAt(real.payments, number).signature)
    const isOverlooked = (mayDeliver(model, payment) && !payment.hopeless) || !reported
    return isFoundByItself(model, payment) && !payment.rolledBack && paidBy !== number && isOverlooked
      ? [`payment ${number} of a purchase that is ${state}`]
      : []
  })
  const refunding = (await casesSeenByBoth(real)).filter(({ status }) => status === 'refunding').map(({ caseId }) => caseId)
  expect({ overlooked, refunding, unsent: model.purchases.filter(endsUnsent) }).toEqual({ overlooked: [], refunding: [], unsent: [] })
}

/**
 * Updates the model to the product's state, and fails if the model does not allow it. What happened in one round may have happened in any
 * order, which decides how listings were split and merged.
 */
async function updateModel(model: MarketModel, real: RealMarket): Promise<string[]> {
  const now = await purchasesNow(real)
  const changed = [...now.keys()].filter((number) => itemAt(now, number).status !== itemAt(model.purchases, number).state)
  if (changed.length === 0) return []
  const changes = changed.map((number) => changeOf(real, number, itemAt(now, number)))
  const followed = follow(model, changes, await listingsNow(real))
  const words = changed.map((number) => `purchase ${number} is ${itemAt(now, number).status}`)
  if (!followed) throw new Error(`the market does not allow that ${words.join(', ')}, or not with these listings`)
  Object.assign(model, followed)
  return words
}

/** Does to a model what may have happened to a purchase. Returns false if the market does not allow it. */
type Way = (model: MarketModel) => boolean
type Change = readonly Way[]

function changeOf(real: RealMarket, number: number, now: Purchase): Change {
  if (now.status !== 'settled') return [(model) => end(model, number, now)]
  const paidBy = real.payments.findIndex(({ signature }) => signature === now.signature)
  const settles: Way = (model) => {
    const payment = paymentOf(model, paidBy)
    return payment.purchase === number && mayDeliver(model, payment) && settle(model, number, { paidBy, items: now.items })
  }
  // It ended without asking the chain, and its payment was found late.
  const settlesLate: Way = (model) => {
    if (!endsUnsent(itemAt(model.purchases, number))) return false
    endUnsent(model, number)
    return settles(model)
  }
  return [settles, settlesLate]
}

function end(model: MarketModel, number: number, { status, endReason }: Purchase): boolean {
  const purchase = itemAt(model.purchases, number)
  const isPaid = model.payments.some(
    (payment) => payment.purchase === number && isFoundByItself(model, payment) && mayDeliver(model, payment),
  )
  if (purchase.state !== 'held' || !purchase.windowClosed || isPaid || status !== 'ended' || endReason !== endReasonOf(purchase))
    return false
  Object.assign(purchase, { state: 'ended', abandoned: endReason !== 'expired' })
  endHold(model, number)
  return true
}

/** The model after all these changes, in an order that ends with these listings; undefined if there is none. */
function follow(model: MarketModel, changes: readonly Change[], listings: readonly SeenListing[]): MarketModel | undefined {
  if (changes.length === 0) return isSame(listingsOf(model), listings) ? model : undefined
  for (const change of changes) {
    const others = changes.filter((other) => other !== change)
    for (const way of change) {
      const next = structuredClone(model)
      noteHopeless(next)
      const found = way(next) ? follow(next, others, listings) : undefined
      if (found) return found
    }
  }
  return undefined
}

function isSame(some: readonly SeenListing[], others: readonly SeenListing[]): boolean {
  const text = ({ id, amount, price, state, heldBy }: SeenListing) => [id, amount, price, state, heldBy].join()
  return some.map(text).join(';') === others.map(text).join(';')
}

/** Once the product has seen that a late payment cannot be delivered, its sellers return it, even if it could be after all. */
export function noteHopeless(model: MarketModel): void {
  for (const payment of model.payments) {
    if (itemAt(model.purchases, payment.purchase).state === 'ended' && looksHopeless(model, payment.purchase)) payment.hopeless = true
  }
}
