import { expect } from 'vitest'

import { removeListing } from '../../../src/listings/remove-listing.ts'
import { placeHold } from '../../../src/purchases/hold/place-hold.ts'
import { cancelHold } from '../../../src/purchases/hold/cancel-hold.ts'
import { readPurchase, runOutOfTime } from '../trading-world.ts'
import { endsUnsent, expectHold, expectLetGo, expectRemoval, holderOf, type MarketModel } from './market-model.ts'
import { type Act, itemOf, outcomeOf, putUp, type RealMarket } from './real-market.ts'

/** Prices few enough that a buyer may want two lots which could not be told apart by their payments. */
const prices = [10_000_000n, 20_000_000n, 30_000_000n]
export const MOST_LOTS = 6
const LOT_AMOUNT = 10

export function listOne(n: number): Act {
  return async (model, real) => {
    const price = itemOf(prices, n % prices.length)
    await listLot(model, real, price)
    return `the seller lists lot ${model.lots.length - 1} for ${price}`
  }
}

export async function listLot(model: MarketModel, real: RealMarket, price: bigint): Promise<void> {
  await putUp(real, price, LOT_AMOUNT)
  model.lots.push({ price, amount: LOT_AMOUNT, state: 'active' })
}

export function removeLot(n: number): Act {
  return async (model, real) => {
    const lot = n % model.lots.length
    const expected = expectRemoval(model, lot)
    expect(await outcomeOf(removeListing(real.world.database, real.seller.address, itemOf(real.lots, lot)))).toBe(expected)
    if (expected === 'done') itemOf(model.lots, lot).state = 'removed'
    return `the seller removes lot ${lot}: ${expected}`
  }
}

export function holdOne(n: number, buyer: number, sendsThrough: 'server' | 'wallet'): Act {
  return async (model, real) => {
    const lot = n % model.lots.length
    const expected = expectHold(model, buyer, lot)
    const holder = holderOf(model, lot)
    const asked = placeHold(real.world.deps, { buyer: itemOf(real.buyers, buyer).address, listingId: itemOf(real.lots, lot), sendsThrough })
    const said = `buyer ${buyer} asks for lot ${lot}, to be paid through the ${sendsThrough}: ${expected}`
    if (expected !== 'new' && expected !== 'same') {
      expect(await outcomeOf(asked)).toBe(expected)
      return said
    }
    const purchase = await readPurchase(real.world, await asked)
    if (expected === 'same') {
      expect(purchase.purchaseId).toBe(real.purchases[holder ?? -1]?.purchaseId)
      if (sendsThrough === 'wallet') itemOf(model.purchases, holder ?? -1).sends = 'wallet'
      return said
    }
    if (holder !== undefined) endUnsent(model, holder)
    real.purchases.push(purchase)
    const state = { state: 'held', over: false, cancelRequested: false, recorded: undefined, paidBy: undefined, bars: false } as const
    model.purchases.push({ lot, buyer, sends: sendsThrough, ...state })
    return `${said}: purchase ${model.purchases.length - 1}`
  }
}

function endUnsent({ purchases }: MarketModel, number: number): void {
  const purchase = itemOf(purchases, number)
  purchase.state = 'ended'
  purchase.bars = true
}

export function giveBack(n: number): Act {
  return async (model, real) => {
    const number = n % model.purchases.length
    const purchase = itemOf(model.purchases, number)
    const expected = expectLetGo(purchase)
    const { purchaseId } = itemOf(real.purchases, number)
    expect(await outcomeOf(cancelHold(real.world.deps, itemOf(real.buyers, purchase.buyer).address, purchaseId))).toBe(expected)
    if (expected === 'done' && purchase.state === 'held') {
      purchase.over = true
      purchase.cancelRequested = true
      if (endsUnsent(purchase)) endUnsent(model, number)
    }
    return `buyer ${purchase.buyer} lets purchase ${number} go: ${expected}`
  }
}

export function endTime(n: number): Act {
  return async (model, real) => {
    const number = n % model.purchases.length
    const purchase = itemOf(model.purchases, number)
    if (purchase.state !== 'held') return `(purchase ${number} is over already)`
    await runOutOfTime(real.world, itemOf(real.purchases, number).purchaseId)
    purchase.over = true
    return `the time to pay for purchase ${number} is over`
  }
}
