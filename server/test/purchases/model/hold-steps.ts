import { expect } from 'vitest'

import { removeListing } from '../../../src/listings/remove-listing.ts'
import { placeHold } from '../../../src/purchases/hold/place-hold.ts'
import { cancelHold } from '../../../src/purchases/hold/cancel-hold.ts'
import { releasePurchase } from '../../../src/studio/release-purchase.ts'
import { closePaymentWindow } from '../reconciling.ts'
import { list, orderOf, readPurchase } from '../trading-world.ts'
import { decideHold, endUnsent, type Wanted } from './expected-hold.ts'
import { feeOf, holdItem } from './market-listings.ts'
import { endsUnsent, expectedCancellation, expectedRemoval, type MarketModel } from './market-model.ts'
import { type Act, itemAt, outcomeOf, type RealMarket } from './real-market.ts'

/** So few that a buyer will want two listings whose payments could not be told apart. */
const prices = [10_000_000n, 20_000_000n, 30_000_000n]
export const MAX_LISTINGS = 7
/** No price is a multiple of it, so that what a part costs is rounded. */
const LISTING_AMOUNT = 7
/** Now and then somebody names what is not for sale, and a seller sells only the whole. */
const SELDOM = 6

export function listStep(n: number): Act {
  return async (model, real) => {
    const offer = { price: itemAt(prices, n % prices.length), seller: n % real.sellers.length, divisible: n % SELDOM > 0 }
    await addListing(model, real, offer)
    return `seller ${offer.seller} lists listing ${model.listings.length - 1} for ${offer.price}${offer.divisible ? '' : ', as a whole'}`
  }
}

export async function addListing(
  model: MarketModel,
  real: RealMarket,
  offer: { price: bigint; seller: number; divisible: boolean },
): Promise<void> {
  const id = await list(real.world, itemAt(real.sellers, offer.seller), { ...offer, amount: LISTING_AMOUNT })
  model.listings.push({ ...offer, id, amount: LISTING_AMOUNT, partOf: undefined, state: 'active', heldBy: undefined })
}

export function removeStep(n: number): Act {
  return async (model, real) => {
    const number = n % model.listings.length
    const listing = itemAt(model.listings, number)
    const expected = expectedRemoval(model, number)
    expect(await outcomeOf(removeListing(real.world.database, itemAt(real.sellers, listing.seller).address, listing.id))).toBe(expected)
    if (expected === 'done') listing.state = 'removed'
    return `seller ${listing.seller} removes listing ${number}: ${expected}`
  }
}

/** What somebody asks for. Numbers choose among what exists when their turn comes. */
export interface Order {
  buyer: number
  items: readonly { n: number; amount: number | undefined }[]
  sendsThrough: 'server' | 'wallet'
}

export function holdStep({ buyer, items, sendsThrough }: Order): Act {
  return async (model, real) => {
    const wanted = choose(model, items)
    const before = structuredClone(model)
    const expected = decideHold(model, buyer, wanted)
    if (expected.kind === 'unclear') return '(the order could mean one hold or another)'
    const asked = wanted.map(({ listing, amount }) => ({ listingId: itemAt(before.listings, listing).id, amount }))
    const held = placeHold(real.world.deps, orderOf(itemAt(real.buyers, buyer), asked, sendsThrough))
    const words = wanted.map(({ listing, amount }) => `${amount ?? 'all'} of listing ${listing}`).join(' and ')
    const step = `buyer ${buyer} holds ${words}, to pay through the ${sendsThrough}`
    if (expected.kind === 'refused') {
      expect({ step, outcome: await outcomeOf(held) }).toEqual({ step, outcome: expected.code })
      return `${step}: ${expected.code}`
    }
    const { purchaseId } = await readPurchase(real.world, (await held).id)
    if (expected.kind === 'same') {
      expect(purchaseId).toBe(real.purchases[expected.purchase]?.purchaseId)
      if (sendsThrough === 'wallet') itemAt(model.purchases, expected.purchase).sendsThrough = 'wallet'
      return `${step}: purchase ${expected.purchase} again`
    }
    await noteHold(model, real, { buyer, sendsThrough, wanted, purchaseId })
    return `${step}: purchase ${model.purchases.length - 1}`
  }
}

function choose({ listings }: MarketModel, items: Order['items']): Wanted[] {
  const forSale = listings.flatMap(({ state }, number) => (state === 'active' ? [number] : []))
  const wanted = new Map<number, Wanted>()
  for (const { n, amount } of items) {
    const from = n % SELDOM === 0 || forSale.length === 0 ? [...listings.keys()] : forSale
    const listing = itemAt(from, n % from.length)
    wanted.set(listing, { listing, amount })
  }
  return [...wanted.values()]
}

interface NewHold extends Pick<Order, 'buyer' | 'sendsThrough'> {
  wanted: readonly Wanted[]
  purchaseId: string
}

/** Compares a new hold with what the model would hold, to the drink and to the lamport. */
async function noteHold(model: MarketModel, real: RealMarket, { buyer, sendsThrough, wanted, purchaseId }: NewHold): Promise<void> {
  const purchase = await readPurchase(real.world, purchaseId)
  const items = wanted.map(({ listing, amount }) => holdItem(model, listing, model.purchases.length, amount))
  for (const [index, { listing }] of items.entries()) {
    const row = itemAt(model.listings, listing)
    if (row.id === '') row.id = itemAt(purchase.items, index).listingId
  }
  const expected = items.map(({ listing, amount, lamports }) => ({
    listingId: itemAt(model.listings, listing).id,
    amount,
    lamports: `${lamports}`,
  }))
  const fee = feeOf(model, items)
  expect(purchase).toMatchObject({ items: expected, fee: { lamports: `${fee}` } })
  real.purchases.push(purchase)
  const state = { windowClosed: false, cancelRequested: false, recorded: undefined, paidBy: undefined, abandoned: false }
  model.purchases.push({ items, fee, buyer, sendsThrough, state: 'held', ...state })
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
      if (endsUnsent(purchase)) endUnsent(model, number)
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
