import fc from 'fast-check'

import { cancelStep, closeWindowStep, holdStep, listStep, MAX_LISTINGS, releaseStep, removeStep } from './hold-steps.ts'
import { expectInvariants } from './market-invariants.ts'
import { type MarketModel, type PaymentKind, paymentKinds } from './market-model.ts'
import { confirmStep, payStep, refundStep, rollBackStep, submitAgainStep, submitStep } from './payment-steps.ts'
import { type Act, type RealMarket } from './real-market.ts'
import { reconcileUntilFound } from './reconcile-market.ts'

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
const anyNumber = fc.nat({ max: 1000 })
/** Half of the orders have one item, and half of the items are all that is left of a listing. */
const orderedItem = fc.record({ n: anyNumber, amount: fc.oneof(fc.constant(undefined), fc.integer({ min: 1, max: 5 })) })
const orderedItems = fc.oneof(fc.array(orderedItem, { minLength: 1, maxLength: 1 }), fc.array(orderedItem, { minLength: 2, maxLength: 3 }))

/** Every command. A number chooses among what exists when its turn comes. */
export const marketCommands = [
  anyNumber.map((n) => new Step('list', hasRoom, listStep(n))),
  anyNumber.map((n) => new Step('remove', hasListings, removeStep(n))),
  ...['server' as const, 'server' as const, 'wallet' as const, 'wallet' as const].map((sendsThrough) =>
    fc
      .record({ buyer: fc.nat({ max: 1 }), items: orderedItems, sendsThrough: fc.constant(sendsThrough) })
      .map((order) => new Step('hold', hasListings, holdStep(order))),
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
