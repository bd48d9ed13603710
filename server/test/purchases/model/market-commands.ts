import fc from 'fast-check'
import { expect, vi } from 'vitest'

import { removeListing } from '../../../src/listings/remove-listing.ts'
import { confirmPurchase } from '../../../src/purchases/settlement/confirm-purchase.ts'
import { placeHold } from '../../../src/purchases/hold/place-hold.ts'
import { cancelHold } from '../../../src/purchases/hold/cancel-hold.ts'
import { submitPayment } from '../../../src/purchases/payment/submit-payment.ts'
import { readPurchase, runOutOfTime, sendByWallet, type SignedPayment, signPayment } from '../trading-world.ts'
import { expectInvariants } from './market-invariants.ts'
import {
  endsUnsent,
  expectConfirmation,
  expectHandIn,
  expectHold,
  expectLetGo,
  expectRemoval,
  holderOf,
  type MarketModel,
  type PaymentKind,
  paymentKinds,
  paymentOf,
  purchaseOf,
} from './market-model.ts'
import { casesSeen, itemOf, outcomeOf, putUp, type RealMarket, refund } from './real-market.ts'
import { settleAsFound, watchUntilFound } from './reconcile-market.ts'

type Command = fc.AsyncCommand<MarketModel, RealMarket>
/** Does one thing to the product and the model alike, and says what it was. */
type Act = (model: MarketModel, real: RealMarket) => Promise<string>

/** Prices few enough that a buyer may want two lots which could not be told apart by their payments. */
const prices = [10_000_000n, 20_000_000n, 30_000_000n]
const MOST_LOTS = 6
const LOT_AMOUNT = 10

/** One step of a sequence; it shows in a counter-example as what it did. */
class Step implements Command {
  readonly #name: string
  readonly #able: (model: MarketModel) => boolean
  readonly #act: Act
  #did: string | undefined

  constructor(name: string, able: (model: MarketModel) => boolean, act: Act) {
    this.#name = name
    this.#able = able
    this.#act = act
  }

  check(model: Readonly<MarketModel>): boolean {
    return this.#able(model)
  }

  async run(model: MarketModel, real: RealMarket): Promise<void> {
    this.#did = `${this.#name} …`
    this.#did = await this.#act(model, real)
    await expectInvariants(model, real)
  }

  toString(): string {
    return this.#did ?? this.#name
  }
}

const hasLots = ({ lots }: MarketModel) => lots.length > 0
const hasPurchases = ({ purchases }: MarketModel) => purchases.length > 0
const hasPayments = ({ payments }: MarketModel) => payments.length > 0
const anything = fc.nat({ max: 1000 })

/** Every command; a number chooses among what is there when its turn comes. */
export const marketCommands = [
  anything.map((n) => new Step('list', ({ lots }) => lots.length < MOST_LOTS, listOne(n))),
  anything.map((n) => new Step('remove', hasLots, removeLot(n))),
  ...['server' as const, 'server' as const, 'wallet' as const, 'wallet' as const].map((sends) =>
    fc.tuple(anything, fc.nat({ max: 1 })).map(([n, buyer]) => new Step('hold', hasLots, holdOne(n, buyer, sends))),
  ),
  anything.map((n) => new Step('let go', hasPurchases, giveBack(n))),
  fc
    .tuple(anything, fc.constantFrom<PaymentKind>('exact', 'exact', 'exact', 'off'))
    .map(([n, kind]) => new Step('hand in', hasPurchases, handIn(n, kind))),
  anything.map((n) => new Step('hand in again', hasPayments, handInAgain(n))),
  ...[0, 1].map(() =>
    fc
      .tuple(anything, fc.constantFrom<PaymentKind>('exact', 'exact', ...paymentKinds))
      .map(([n, kind]) => new Step('pay', hasPurchases, payByWallet(n, kind))),
  ),
  anything.map((n) => new Step('confirm', hasPayments, confirm(n))),
  anything.map((n) => new Step('confirm', hasPayments, confirm(n))),
  anything.map((n) => new Step('time over', hasPurchases, endTime(n))),
  anything.map((n) => new Step('roll back', hasPayments, rollBack(n))),
  anything.map((n) => new Step('refund', hasPayments, refundOne(n))),
  fc.constant(null).map(() => new Step('watch', hasPurchases, watch)),
]

function listOne(n: number): Act {
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

function removeLot(n: number): Act {
  return async (model, real) => {
    const lot = n % model.lots.length
    const expected = expectRemoval(model, lot)
    expect(await outcomeOf(removeListing(real.world.database, real.seller.address, itemOf(real.lots, lot)))).toBe(expected)
    if (expected === 'done') itemOf(model.lots, lot).state = 'removed'
    return `the seller removes lot ${lot}: ${expected}`
  }
}

function holdOne(n: number, buyer: number, sendsThrough: 'server' | 'wallet'): Act {
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

function giveBack(n: number): Act {
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

function handIn(n: number, kind: PaymentKind): Act {
  return async (model, real) => {
    const number = n % model.purchases.length
    const purchase = itemOf(model.purchases, number)
    const expected = expectHandIn(purchase, kind)
    const payment = await sign(model, real, number, kind)
    const { purchaseId } = itemOf(real.purchases, number)
    const submitted = submitPayment(real.world.deps, itemOf(real.buyers, purchase.buyer).address, purchaseId, payment.base64)
    expect(await outcomeOf(submitted)).toBe(expected)
    if (expected !== 'done') {
      expect((await real.world.chain.statuses([payment.signature])).size).toBe(0)
      return `buyer ${purchase.buyer} hands in a payment (${kind}) of purchase ${number}: ${expected}`
    }
    await vi.waitFor(async () => expect((await real.world.chain.statuses([payment.signature])).size).toBe(1), {
      timeout: 10_000,
      interval: 20,
    })
    const landed = noteLanded(model, real, number, kind, payment)
    purchase.recorded = landed
    return `buyer ${purchase.buyer} hands in payment ${landed} of purchase ${number}, and it lands`
  }
}

function handInAgain(n: number): Act {
  return async (model, real) => {
    const number = n % model.payments.length
    const { purchase, kind } = paymentOf(model, number)
    const { recorded, buyer } = itemOf(model.purchases, purchase)
    if (recorded !== number || kind !== 'exact') return `(payment ${number} was not handed in)`
    const { base64, signature } = itemOf(real.payments, number)
    const again = submitPayment(real.world.deps, itemOf(real.buyers, buyer).address, itemOf(real.purchases, purchase).purchaseId, base64)
    expect(await again).toBe(signature)
    return `buyer ${buyer} hands in payment ${number} again`
  }
}

function payByWallet(n: number, kind: PaymentKind): Act {
  return async (model, real) => {
    const number = n % model.purchases.length
    const purchase = itemOf(model.purchases, number)
    // Whoever names no purchase can only mean one that is open.
    const meant = purchase.state === 'held' ? kind : kind === 'offPlain' ? 'off' : kind === 'plain' ? 'exact' : kind
    const payment = await sign(model, real, number, meant)
    await sendByWallet(real.world, payment)
    const landed = noteLanded(model, real, number, meant, payment)
    return `buyer ${purchase.buyer} sends payment ${landed} (${meant}) of purchase ${number}, which is ${purchase.state}`
  }
}

function sign(model: MarketModel, real: RealMarket, number: number, kind: PaymentKind): Promise<SignedPayment> {
  const { buyer } = itemOf(model.purchases, number)
  const purchase = itemOf(real.purchases, number)
  const references = kind === 'exact' || kind === 'off' ? [purchase.reference] : []
  // Two equal transfers on one blockhash are one transaction: each payment says its number.
  return signPayment(real.world, itemOf(real.buyers, buyer), purchase, {
    lamports: lamportsOf(model, number, kind),
    references,
    after: [memo(String(real.payments.length))],
  })
}

function lamportsOf({ purchases, lots }: MarketModel, number: number, kind: PaymentKind): bigint {
  const { price } = itemOf(lots, itemOf(purchases, number).lot)
  return kind === 'exact' || kind === 'plain' ? price : price + 1n
}

function noteLanded(model: MarketModel, real: RealMarket, purchase: number, kind: PaymentKind, payment: SignedPayment): number {
  real.payments.push(payment)
  model.payments.push({ purchase, kind, lamports: lamportsOf(model, purchase, kind), rolledBack: false, refunding: false })
  return model.payments.length - 1
}

function confirm(n: number): Act {
  return async (model, real) => {
    const number = n % model.payments.length
    const expected = expectConfirmation(model, number)
    await expectConfirmed(model, real, number, expected)
    return `the buyer confirms payment ${number}: ${expected}`
  }
}

/** Confirms, and notes in the model what it did. */
export async function expectConfirmed(model: MarketModel, real: RealMarket, number: number, expected: string): Promise<void> {
  const payment = paymentOf(model, number)
  const purchase = purchaseOf(model, payment)
  const buyer = itemOf(real.buyers, purchase.buyer).address
  const confirmation = confirmPurchase(real.world.deps, buyer, itemOf(real.lots, purchase.lot), itemOf(real.payments, number).signature)
  const outcome = await confirmation.then(
    ({ settled }) => (settled ? 'settled' : 'pending'),
    (error: unknown) => outcomeOf(Promise.reject(error)),
  )
  expect(outcome).toBe(expected)
  if (expected === 'settled') settleAsFound(model, payment.purchase, number)
}

function endTime(n: number): Act {
  return async (model, real) => {
    const number = n % model.purchases.length
    const purchase = itemOf(model.purchases, number)
    if (purchase.state !== 'held') return `(purchase ${number} is over already)`
    await runOutOfTime(real.world, itemOf(real.purchases, number).purchaseId)
    purchase.over = true
    return `the time to pay for purchase ${number} is over`
  }
}

function rollBack(n: number): Act {
  return async (model, real) => {
    const number = n % model.payments.length
    const payment = paymentOf(model, number)
    const { finalized } = await readPurchase(real.world, itemOf(real.purchases, payment.purchase).purchaseId)
    const known = (await casesSeen(real)).some((found) => found.signature === itemOf(real.payments, number).signature)
    if (known || (finalized && purchaseOf(model, payment).paidBy === number)) return `(payment ${number} is final)`
    real.chain.rollBack(itemOf(real.payments, number).signature)
    payment.rolledBack = true
    return `the chain rolls payment ${number} back`
  }
}

function refundOne(n: number): Act {
  return async (model, real) => {
    const open = (await casesSeen(real)).filter((found) => found.refundable)
    const found = open[n % Math.max(1, open.length)]
    if (!found) return '(nothing to refund)'
    const number = real.payments.findIndex(({ signature }) => signature === found.signature)
    await refund(real, found.caseId)
    paymentOf(model, number).refunding = true
    return `the seller refunds payment ${number}`
  }
}

async function watch(model: MarketModel, real: RealMarket): Promise<string> {
  return `the watchers look at everything: ${await watchUntilFound(model, real)}`
}

const memoProgram = 'MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr'

function memo(text: string) {
  return { programAddress: memoProgram as never, accounts: [], data: new TextEncoder().encode(text) }
}
