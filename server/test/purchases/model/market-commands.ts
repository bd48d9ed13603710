import fc from 'fast-check'

import { endTime, giveBack, holdOne, listOne, MOST_LOTS, removeLot } from './hold-steps.ts'
import { expectInvariants } from './market-invariants.ts'
import { type MarketModel, type PaymentKind, paymentKinds } from './market-model.ts'
import { confirm, handIn, handInAgain, payByWallet, refundOne, rollBack } from './payment-steps.ts'
import { type Act, type RealMarket } from './real-market.ts'
import { watchUntilFound } from './reconcile-market.ts'

type Command = fc.AsyncCommand<MarketModel, RealMarket>

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

async function watch(model: MarketModel, real: RealMarket): Promise<string> {
  return `the watchers look at everything: ${await watchUntilFound(model, real)}`
}
