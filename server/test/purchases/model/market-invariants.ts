import { expect } from 'vitest'

import { runAudit } from '../../../src/studio/audit/run-audit.ts'
import { appleJuice } from '../trading-world.ts'
import { type MarketModel } from './market-model.ts'
import { listingsNow, listingsOf, purchasesNow, type RealMarket } from './real-market.ts'
import { noteHopeless } from './reconcile-market.ts'

const STARTING_TOKENS = 1_000

/**
 * Invariants I1 to I3 and I5 by the product's own audit, and by the model: who owns what, what is left of each listing for which price,
 * what is held and sold, and what paid for it.
 */
export async function expectInvariants(model: MarketModel, real: RealMarket): Promise<void> {
  noteHopeless(model)
  const balancesOf = (wallets: RealMarket['buyers']) => Promise.all(wallets.map((wallet) => appleJuice(real.world, wallet)))
  const [report, purchases, listings, sellers, buyers] = await Promise.all([
    runAudit(real.world.deps, { full: true }),
    purchasesNow(real),
    listingsNow(real),
    balancesOf(real.sellers),
    balancesOf(real.buyers),
  ])
  expect(report.violations).toEqual([])
  expect({
    purchases: purchases.map(({ status }) => status),
    listings,
    tokens: { sellers, buyers },
    paidBy: purchases.map((purchase) => (purchase.status === 'settled' ? purchase.signature : null)),
  }).toEqual({
    purchases: model.purchases.map(({ state }) => state),
    listings: listingsOf(model),
    tokens: expectedTokens(model, real),
    paidBy: model.purchases.map(({ paidBy }) => (paidBy === undefined ? null : real.payments[paidBy]?.signature)),
  })
}

function expectedTokens({ listings, purchases }: MarketModel, { sellers, buyers }: RealMarket) {
  const sum = (rows: readonly { amount: number }[]) => rows.reduce((total, { amount }) => total + amount, 0)
  const isOffered = (state: string) => state === 'active' || state === 'reserved' || state === 'sold'
  const offered = (seller: number) => sum(listings.filter((listing) => listing.seller === seller && isOffered(listing.state)))
  const settled = purchases.filter(({ state }) => state === 'settled')
  const bought = (buyer: number) => sum(settled.filter((purchase) => purchase.buyer === buyer).flatMap(({ items }) => items))
  return {
    sellers: sellers.map((_, seller) => STARTING_TOKENS - offered(seller)),
    buyers: buyers.map((_, buyer) => STARTING_TOKENS + bought(buyer)),
  }
}
