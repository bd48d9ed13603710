import fc from 'fast-check'
import { afterAll, beforeAll, expect, inject, it } from 'vitest'

import { openTradingWorld, type TradingWorld } from '../trading-world.ts'
import { expectedConfirmation, itemAt, type MarketModel, type PaymentKind, paymentKinds } from './market-model.ts'
import {
  addListing,
  cancelStep,
  changePriceStep,
  closeWindowStep,
  confirmStep,
  expectConfirmed,
  holdStep,
  listStep,
  MAX_LISTINGS,
  payStep,
  refundStep,
  releaseStep,
  removeStep,
  reportsOf,
  rollBackStep,
  submitAgainStep,
  submitStep,
} from './market-steps.ts'
import {
  type Act,
  expectInvariants,
  forkable,
  type ForkableChain,
  type RealMarket,
  reconcileUntilClosed,
  reconcileUntilFound,
  reconcileUntilReported,
} from './real-market.ts'

declare module 'vitest' {
  interface ProvidedContext {
    propertyRuns: number
    propertySeed: string | undefined
  }
}

const numRuns = inject('propertyRuns')
const seed = inject('propertySeed')
const COMMANDS = 30
/** The payments of two of these listings could not be told apart. */
const FIRST_LISTINGS = [
  { price: 10_000_000n, seller: 0, divisible: true },
  { price: 10_000_000n, seller: 0, divisible: false },
  { price: 20_000_000n, seller: 1, divisible: true },
]
/** Of several transfers each needs the reference; without a fee, a purchase from one seller is a single transfer. */
const FEES = [0, 0, 250]
const RUN_MILLIS = 60_000
/** The rest of the test's time is left for reporting what failed, however far it was shrunk. */
const SHARE_OF_TIME = 0.8

let world: TradingWorld
let chain: ForkableChain

beforeAll(async () => {
  const opened = await openTradingWorld({ holdSeconds: 600 })
  chain = forkable(opened.chain)
  world = opened.seenWith({ deps: { ...opened.deps, chain } })
})

afterAll(() => world.close())

it('whatever players do, in whatever order, nothing is lost or sold twice', { timeout: numRuns * RUN_MILLIS }, async () => {
  const commands = fc.commands(marketCommands, { maxCommands: COMMANDS, size: 'max' })
  const property = fc.asyncProperty(fc.constantFrom(...FEES), commands, async (basisPoints, sequence) => {
    const real = await openMarket(basisPoints)
    const model: MarketModel = { basisPoints, listings: [], purchases: [], payments: [] }
    for (const offer of FIRST_LISTINGS) await addListing(model, real, offer)
    await fc.asyncModelRun(() => ({ model, real }), sequence)
    await expectEveryPaymentAccountedFor(model, real)
  })
  const bounded = { interruptAfterTimeLimit: SHARE_OF_TIME * numRuns * RUN_MILLIS, markInterruptAsFailure: true }
  await fc.assert(property, { numRuns, endOnFailure: false, ...bounded, ...(seed !== undefined && { seed: Number(seed) }) })
})

/** Wallets of its own, on the chain and in the database of all sequences. */
async function openMarket(basisPoints: number): Promise<RealMarket> {
  const create = (count: number) => Promise.all(Array.from({ length: count }, () => world.createWallet()))
  const [sellers, buyers, studio] = await Promise.all([create(2), create(2), world.createWallet()])
  const fee = { basisPoints, wallet: basisPoints > 0 ? studio.address : undefined }
  const deps = { ...world.deps, settings: { ...world.deps.settings, fee } }
  return { world: world.seenWith({ deps }), chain, sellers, buyers, studio, purchases: [], payments: [] }
}

/** Invariant I4: in the end every payment that the chain accepted has moved tokens, or is in a case that both sides see. */
async function expectEveryPaymentAccountedFor(model: MarketModel, real: RealMarket): Promise<void> {
  await closeEveryWindow(model, real)
  await reconcileUntilClosed(model, real)
  await reconcileUntilReported(model, real)
  for (const number of model.payments.keys()) await expectConfirmed(model, real, number, expectedConfirmation(model, number))
  await expectInvariants(model, real)
  for (const [number, { purchase, paid, rolledBack }] of model.payments.entries()) {
    const isDone = model.purchases[purchase]?.paidBy === number || rolledBack
    const told = new Set((await reportsOf(model, real, number)).map(({ seller }) => seller))
    const silent = isDone ? [] : paid.filter((seller) => !told.has(itemAt(real.sellers, seller).address))
    expect({ payment: number, sellersWithoutCase: silent }).toEqual({ payment: number, sellersWithoutCase: [] })
  }
}

async function closeEveryWindow(model: MarketModel, real: RealMarket): Promise<void> {
  for (const [number, purchase] of model.purchases.entries()) {
    if (purchase.state !== 'held') continue
    await real.world.closePaymentWindow(itemAt(real.purchases, number))
    purchase.windowClosed = true
  }
}

type Command = fc.AsyncCommand<MarketModel, RealMarket>

/** One step of a sequence. A counterexample shows what it did. */
class Step implements Command {
  readonly #name: string
  readonly #isPossible: (model: MarketModel) => boolean
  readonly #act: Act
  #did: string | undefined

  constructor(name: string, isPossible: (model: MarketModel) => boolean, act: Act) {
    this.#name = name
    this.#isPossible = isPossible
    this.#act = act
  }

  check(model: Readonly<MarketModel>): boolean {
    return this.#isPossible(model)
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

const hasRoom = ({ listings }: MarketModel) => listings.filter(({ partOf }) => partOf === undefined).length < MAX_LISTINGS
const hasListings = ({ listings }: MarketModel) => listings.length > 0
const hasPurchases = ({ purchases }: MarketModel) => purchases.length > 0
const hasPayments = ({ payments }: MarketModel) => payments.length > 0
/** Few, so that a price comes again, also that of a listing before. */
const newPrice = fc.constantFrom(5_000_000n, 10_000_000n, 13_000_000n)
const anyNumber = fc.nat({ max: 1000 })
/** Half of the orders have one item, and half of the items are all that is left of a listing. */
const orderedItem = fc.record({ n: anyNumber, amount: fc.oneof(fc.constant(undefined), fc.integer({ min: 1, max: 5 })) })
const orderedItems = fc.oneof(fc.array(orderedItem, { minLength: 1, maxLength: 1 }), fc.array(orderedItem, { minLength: 2, maxLength: 3 }))

/** Every command. A number chooses among what exists when its turn comes. */
export const marketCommands = [
  anyNumber.map((n) => new Step('list', hasRoom, listStep(n))),
  anyNumber.map((n) => new Step('remove', hasListings, removeStep(n))),
  fc.tuple(anyNumber, newPrice).map(([n, price]) => new Step('change price', hasListings, changePriceStep(n, price))),
  ...[0, 1, 2, 3].map(() =>
    fc.record({ buyer: fc.nat({ max: 1 }), items: orderedItems }).map((order) => new Step('hold', hasListings, holdStep(order))),
  ),
  anyNumber.map((n) => new Step('cancel', hasPurchases, cancelStep(n))),
  fc
    .tuple(anyNumber, fc.constantFrom<PaymentKind>('exact', 'exact', 'exact', 'wrong'))
    .map(([n, kind]) => new Step('submit', hasPurchases, submitStep(n, kind))),
  anyNumber.map((n) => new Step('submit again', hasPayments, submitAgainStep(n))),
  ...[0, 1].map(() =>
    fc
      .tuple(anyNumber, fc.constantFrom<PaymentKind>('exact', 'exact', ...paymentKinds))
      .map(([n, kind]) => new Step('pay', hasPurchases, payStep(n, kind))),
  ),
  anyNumber.map((n) => new Step('confirm', hasPayments, confirmStep(n))),
  anyNumber.map((n) => new Step('confirm', hasPayments, confirmStep(n))),
  anyNumber.map((n) => new Step('close window', hasPurchases, closeWindowStep(n))),
  anyNumber.map((n) => new Step('release', hasPurchases, releaseStep(n))),
  anyNumber.map((n) => new Step('roll back', hasPayments, rollBackStep(n))),
  anyNumber.map((n) => new Step('refund', hasPayments, refundStep(n))),
  fc.constant(null).map(() => new Step('reconcile', hasPurchases, reconcileStep)),
]

async function reconcileStep(model: MarketModel, real: RealMarket): Promise<string> {
  return `everything is reconciled: ${await reconcileUntilFound(model, real)}`
}
