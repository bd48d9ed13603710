import { expect } from 'vitest'

import { removeListing } from '../../../src/listings/remove-listing.ts'
import { placeHold } from '../../../src/purchases/hold/place-hold.ts'
import { cancelHold } from '../../../src/purchases/hold/cancel-hold.ts'
import { releasePurchase } from '../../../src/studio/release-purchase.ts'
import { closePaymentWindow } from '../reconciling.ts'
import { list, orderOf, readPurchase } from '../trading-world.ts'
import { endsUnsent, expectedCancellation, expectedHold, expectedRemoval, holderOf, type MarketModel } from './market-model.ts'
import { type Act, itemAt, outcomeOf, type RealMarket } from './real-market.ts'

/** So few that a buyer will want two listings whose payments could not be told apart. */
const prices = [10_000_000n, 20_000_000n, 30_000_000n]
export const MAX_LISTINGS = 6
const LISTING_AMOUNT = 10

export function listStep(n: number): Act {
  return async (model, real) => {
    const price = itemAt(prices, n % prices.length)
    await addListing(model, real, price)
    return `the seller lists listing ${model.listings.length - 1} for ${price}`
  }
}

export async function addListing(model: MarketModel, real: RealMarket, price: bigint): Promise<void> {
  real.listings.push(await list(real.world, real.seller, { price, amount: LISTING_AMOUNT }))
  model.listings.push({ price, amount: LISTING_AMOUNT, state: 'active' })
}

export function removeStep(n: number): Act {
  return async (model, real) => {
    const listing = n % model.listings.length
    const expected = expectedRemoval(model, listing)
    expect(await outcomeOf(removeListing(real.world.database, real.seller.address, itemAt(real.listings, listing)))).toBe(expected)
    if (expected === 'done') itemAt(model.listings, listing).state = 'removed'
    return `the seller removes listing ${listing}: ${expected}`
  }
}

export function holdStep(n: number, buyer: number, sendsThrough: 'server' | 'wallet'): Act {
  return async (model, real) => {
    const listing = n % model.listings.length
    const expected = expectedHold(model, buyer, listing)
    const holder = holderOf(model, listing)
    const items = [{ listingId: itemAt(real.listings, listing) }]
    const held = placeHold(real.world.deps, orderOf(itemAt(real.buyers, buyer), items, sendsThrough))
    const step = `buyer ${buyer} holds listing ${listing}, to pay through the ${sendsThrough}: ${expected}`
    if (expected !== 'new' && expected !== 'same') {
      expect(await outcomeOf(held)).toBe(expected)
      return step
    }
    const purchase = await readPurchase(real.world, (await held).id)
    if (expected === 'same') {
      expect(purchase.purchaseId).toBe(real.purchases[holder ?? -1]?.purchaseId)
      if (sendsThrough === 'wallet') itemAt(model.purchases, holder ?? -1).sendsThrough = 'wallet'
      return step
    }
    if (holder !== undefined) markEndedUnsent(model, holder)
    real.purchases.push(purchase)
    const state = {
      state: 'held',
      windowClosed: false,
      cancelRequested: false,
      recorded: undefined,
      paidBy: undefined,
      abandoned: false,
    } as const
    model.purchases.push({ listing, buyer, sendsThrough, ...state })
    return `${step}: purchase ${model.purchases.length - 1}`
  }
}

function markEndedUnsent({ purchases }: MarketModel, number: number): void {
  const purchase = itemAt(purchases, number)
  purchase.state = 'ended'
  purchase.abandoned = true
}

export function cancelStep(n: number): Act {
  return async (model, real) => {
    const number = n % model.purchases.length
    const purchase = itemAt(model.purchases, number)
    const expected = expectedCancellation(purchase)
    const { purchaseId } = itemAt(real.purchases, number)
    expect(await outcomeOf(cancelHold(real.world.deps, itemAt(real.buyers, purchase.buyer).address, purchaseId))).toBe(expected)
    if (expected === 'done' && purchase.state === 'held') {
      purchase.windowClosed = true
      purchase.cancelRequested = true
      if (endsUnsent(purchase)) markEndedUnsent(model, number)
    }
    return `buyer ${purchase.buyer} cancels purchase ${number}: ${expected}`
  }
}

/** This chain keeps all that it shows, so whether a hold was paid can always be proved, and the studio may never decide it. */
export function releaseStep(n: number): Act {
  return async (model, real) => {
    const number = n % model.purchases.length
    const { purchaseId } = itemAt(real.purchases, number)
    const order = { purchaseId, reason: 'nobody answers', actor: 'studio' }
    expect(await outcomeOf(releasePurchase(real.world.deps, order))).toBe('NOT_RELEASABLE')
    return `the studio may not release purchase ${number}`
  }
}

export function closeWindowStep(n: number): Act {
  return async (model, real) => {
    const number = n % model.purchases.length
    const purchase = itemAt(model.purchases, number)
    if (purchase.state !== 'held') return `(purchase ${number} is closed already)`
    await closePaymentWindow(real.world, itemAt(real.purchases, number))
    purchase.windowClosed = true
    return `the payment window of purchase ${number} closes`
  }
}
