import { expect, vi } from 'vitest'
import { type Case } from '@juicebar/contract/schemas'
import { lamports } from '@juicebar/contract/money'
import { changePrice } from '../../../src/listings/change-price.ts'
import { placeHold } from '../../../src/purchases/hold/place-hold.ts'
import { confirmPurchase } from '../../../src/purchases/settlement/confirm-purchase.ts'
import { releasePurchase } from '../../../src/studio/decide-cases.ts'
import { orderOf, outcomeOf } from '../trading-world.ts'
import { type SignedPayment, signTransaction, transfer } from '../transactions.ts'
import {
  changePriceOf,
  decideHold,
  expectedCancellation,
  expectedConfirmation,
  expectedPriceChange,
  expectedRemoval,
  expectedSubmission,
  feeOf,
  holdItem,
  isSingleTransfer,
  itemAt,
  type MarketModel,
  type PaymentKind,
  paymentOf,
  type PurchaseModel,
  purchaseOf,
  reportedFor,
  sellersOf,
  type Wanted,
} from './market-model.ts'
import { type Act, casesSeenByBoth, type RealMarket, refund, settle } from './real-market.ts'

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
  const id = await real.world.list(itemAt(real.sellers, offer.seller), { ...offer, amount: LISTING_AMOUNT })
  const whole = { amount: LISTING_AMOUNT, price: offer.price }
  model.listings.push({ ...offer, id, amount: LISTING_AMOUNT, whole, partOf: undefined, state: 'active', heldBy: undefined })
}

export function removeStep(n: number): Act {
  return async (model, real) => {
    const number = n % model.listings.length
    const listing = itemAt(model.listings, number)
    const expected = expectedRemoval(model, number)
    expect(await outcomeOf(real.world.remove(listing.id, itemAt(real.sellers, listing.seller)))).toBe(expected)
    if (expected === 'done') listing.state = 'removed'
    return `seller ${listing.seller} removes listing ${number}: ${expected}`
  }
}

/** The time between two changes passes by itself. */
export function changePriceStep(n: number, price: bigint): Act {
  return async (model, real) => {
    const number = n % model.listings.length
    const { id, seller } = itemAt(model.listings, number)
    await real.world.connection.pool.query(`update listings set priced_at = priced_at - interval '10 seconds' where id = $1`, [id])
    const expected = expectedPriceChange(model, number, price)
    const { address } = itemAt(real.sellers, seller)
    const changed = changePrice(real.world.database, { seller: address, listingId: id, price: lamports(price) })
    expect(await outcomeOf(changed)).toBe(expected)
    if (expected === 'done') changePriceOf(model, number, price)
    return `seller ${seller} changes the price of listing ${number} to ${price}: ${expected}`
  }
}

/** What somebody asks for. Numbers choose among what exists when their turn comes. */
export interface Order {
  buyer: number
  items: readonly { n: number; amount: number | undefined }[]
}

export function holdStep({ buyer, items }: Order): Act {
  return async (model, real) => {
    const wanted = choose(model, items)
    const before = structuredClone(model)
    const expected = decideHold(model, buyer, wanted)
    if (expected.kind === 'unclear') return '(the order could mean one hold or another)'
    const asked = wanted.map(({ listing, amount }) => ({ listingId: itemAt(before.listings, listing).id, amount }))
    const held = placeHold(real.world.deps, orderOf(itemAt(real.buyers, buyer), asked))
    const words = wanted.map(({ listing, amount }) => `${amount ?? 'all'} of listing ${listing}`).join(' and ')
    const step = `buyer ${buyer} holds ${words}`
    if (expected.kind === 'refused') {
      expect({ step, outcome: await outcomeOf(held) }).toEqual({ step, outcome: expected.code })
      return `${step}: ${expected.code}`
    }
    const { purchaseId } = await real.world.read((await held).id)
    if (expected.kind === 'same') {
      expect(purchaseId).toBe(real.purchases[expected.purchase]?.purchaseId)
      return `${step}: purchase ${expected.purchase} again`
    }
    await noteHold(model, real, { buyer, wanted, purchaseId })
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

interface NewHold extends Pick<Order, 'buyer'> {
  wanted: readonly Wanted[]
  purchaseId: string
}

/** Compares a new hold with what the model would hold, to the drink and to the lamport. */
async function noteHold(model: MarketModel, real: RealMarket, { buyer, wanted, purchaseId }: NewHold): Promise<void> {
  const purchase = await real.world.read(purchaseId)
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
  model.purchases.push({ items, fee, buyer, state: 'held', ...state })
}

export function cancelStep(n: number): Act {
  return async (model, real) => {
    const number = n % model.purchases.length
    const purchase = itemAt(model.purchases, number)
    const expected = expectedCancellation(purchase)
    const { purchaseId } = itemAt(real.purchases, number)
    expect(await outcomeOf(real.world.requestCancel(itemAt(real.buyers, purchase.buyer), { purchaseId }))).toBe(expected)
    if (expected === 'done' && purchase.state === 'held') {
      purchase.windowClosed = true
      purchase.cancelRequested = true
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
    await real.world.closePaymentWindow(itemAt(real.purchases, number))
    purchase.windowClosed = true
    return `the payment window of purchase ${number} closes`
  }
}

/** Another sum than any two holds differ by, or what is wrong for one would be right for the other. */
const OTHER_LAMPORTS = 777n

export function submitStep(n: number, given: PaymentKind): Act {
  return async (model, real) => {
    const number = n % model.purchases.length
    const purchase = itemAt(model.purchases, number)
    const kind = possibleKind(purchase, given)
    const expected = expectedSubmission(purchase, kind)
    const payment = await sign(model, real, number, kind)
    const submitted = real.world.submit(itemAt(real.buyers, purchase.buyer), itemAt(real.purchases, number), payment)
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
    const payment = itemAt(real.payments, number)
    const again = real.world.submit(itemAt(real.buyers, buyer), itemAt(real.purchases, purchase), payment)
    expect(await again).toBe(payment.signature)
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
    await real.world.sendByWallet(payment)
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
  return signTransaction(real.world, buyer, [...transfers, unitLimit(MOST_UNITS - real.payments.length)])
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
  const { items } = await real.world.read(itemAt(real.purchases, payment.purchase).purchaseId)
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
  const asListed = others.length === 0 && partOf === undefined
  const subject = asListed ? { listingId: id } : { purchaseId: itemAt(real.purchases, payment.purchase).purchaseId }
  return confirmPurchase(real.world.deps, address, subject, signature)
}

export function rollBackStep(n: number): Act {
  return async (model, real) => {
    const number = n % model.payments.length
    const payment = paymentOf(model, number)
    const { finalized } = await real.world.read(itemAt(real.purchases, payment.purchase).purchaseId)
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

const SET_COMPUTE_UNIT_LIMIT = 2
const MOST_UNITS = 400_000

/** As wallets add it: up to how many compute units a transaction may use. A memo would make it more than a plain payment. */
function unitLimit(units: number) {
  const data = Buffer.alloc(5)
  data.writeUInt8(SET_COMPUTE_UNIT_LIMIT)
  data.writeUInt32LE(units, 1)
  return { programAddress: 'ComputeBudget111111111111111111111111111111' as never, accounts: [], data: new Uint8Array(data) }
}
