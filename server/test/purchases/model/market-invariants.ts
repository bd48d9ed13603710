import { expect } from 'vitest'

import { runAudit } from '../../../src/studio/audit/run-audit.ts'
import { appleJuice } from '../trading-world.ts'
import { type MarketModel } from './market-model.ts'
import { listingStatus, purchasesNow, type RealMarket } from './real-market.ts'

const STARTING_TOKENS = 1_000

/** Invariants I1 to I3 and I5 by the product's own audit, and by the model: who owns what, what is sold, and what paid for it. */
export async function expectInvariants(model: MarketModel, real: RealMarket): Promise<void> {
  const [report, purchases, listings, seller, ...buyers] = await Promise.all([
    runAudit(real.world.deps, { full: true }),
    purchasesNow(real),
    Promise.all(real.listings.map((id) => listingStatus(real, id))),
    appleJuice(real.world, real.seller),
    ...real.buyers.map((buyer) => appleJuice(real.world, buyer)),
  ])
  expect(report.violations).toEqual([])
  expect({
    purchases: purchases.map(({ status }) => status),
    listings,
    tokens: { seller, buyers },
    paidBy: purchases.map((purchase) => (purchase.status === 'settled' ? purchase.signature : null)),
  }).toEqual({
    purchases: model.purchases.map(({ state }) => state),
    listings: model.listings.map(({ state }) => state),
    tokens: expectedTokens(model, real.buyers.length),
    paidBy: model.purchases.map(({ paidBy }) => (paidBy === undefined ? null : real.payments[paidBy]?.signature)),
  })
}

function expectedTokens({ listings, purchases }: MarketModel, buyers: number) {
  const listed = listings.filter(({ state }) => state !== 'removed').reduce((sum, { amount }) => sum + amount, 0)
  const bought = (buyer: number) =>
    purchases
      .filter((purchase) => purchase.buyer === buyer && purchase.state === 'settled')
      .reduce((sum, { listing }) => sum + (listings[listing]?.amount ?? 0), 0)
  return { seller: STARTING_TOKENS - listed, buyers: Array.from({ length: buyers }, (_, buyer) => STARTING_TOKENS + bought(buyer)) }
}
