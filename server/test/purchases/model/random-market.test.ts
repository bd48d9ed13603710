import fc from 'fast-check'
import { afterAll, beforeAll, expect, inject, it } from 'vitest'

import { closePaymentWindow } from '../reconciling.ts'
import { openTradingWorld, type TradingWorld } from '../trading-world.ts'
import { forkable, type ForkableChain } from './forkable-chain.ts'
import { addListing } from './hold-steps.ts'
import { marketCommands } from './market-commands.ts'
import { expectInvariants } from './market-invariants.ts'
import { expectedConfirmation, type MarketModel } from './market-model.ts'
import { expectConfirmed } from './payment-steps.ts'
import { casesSeenByBoth, itemAt, type RealMarket } from './real-market.ts'
import { reconcileUntilClosed, reconcileUntilReported } from './reconcile-market.ts'

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
const FIRST_PRICES = [10_000_000n, 10_000_000n, 20_000_000n]
const RUN_MILLIS = 60_000
/** The rest of the test's time is left for reporting what failed, however far it was shrunk. */
const SHARE_OF_TIME = 0.8

let world: TradingWorld
let chain: ForkableChain

beforeAll(async () => {
  const opened = await openTradingWorld({ slotMillis: 10, holdSeconds: 600 })
  chain = forkable(opened.chain)
  world = { ...opened, deps: { ...opened.deps, chain } }
})

afterAll(() => world.close())

it('whatever players do, in whatever order, nothing is lost or sold twice', { timeout: numRuns * RUN_MILLIS }, async () => {
  const commands = fc.commands(marketCommands, { maxCommands: COMMANDS, size: 'max' })
  const property = fc.asyncProperty(commands, async (sequence) => {
    const [seller, ...buyers] = await Promise.all([world.createWallet(), world.createWallet(), world.createWallet()])
    const model: MarketModel = { listings: [], purchases: [], payments: [] }
    const real: RealMarket = { world, chain, seller, buyers, listings: [], purchases: [], payments: [] }
    for (const price of FIRST_PRICES) await addListing(model, real, price)
    await fc.asyncModelRun(() => ({ model, real }), sequence)
    await expectEveryPaymentAccountedFor(model, real)
  })
  const bounded = { interruptAfterTimeLimit: SHARE_OF_TIME * numRuns * RUN_MILLIS, markInterruptAsFailure: true }
  await fc.assert(property, { numRuns, endOnFailure: false, ...bounded, ...(seed !== undefined && { seed: Number(seed) }) })
})

/** Invariant I4: in the end every payment that the chain accepted has moved tokens, or is in a case that both sides see. */
async function expectEveryPaymentAccountedFor(model: MarketModel, real: RealMarket): Promise<void> {
  await closeEveryWindow(model, real)
  await reconcileUntilClosed(model, real)
  await reconcileUntilReported(model, real)
  for (const number of model.payments.keys()) await expectConfirmed(model, real, number, expectedConfirmation(model, number))
  await expectInvariants(model, real)
  const cases = await casesSeenByBoth(real)
  for (const [number, { purchase, rolledBack }] of model.payments.entries()) {
    const { signature } = itemAt(real.payments, number)
    const delivered = model.purchases[purchase]?.paidBy === number
    const reported = cases.some((found) => found.signature === signature && found.purchaseId === real.purchases[purchase]?.purchaseId)
    expect({ payment: number, accountedFor: delivered || reported || rolledBack }).toEqual({ payment: number, accountedFor: true })
  }
}

async function closeEveryWindow(model: MarketModel, real: RealMarket): Promise<void> {
  for (const [number, purchase] of model.purchases.entries()) {
    if (purchase.state !== 'held') continue
    await closePaymentWindow(real.world, itemAt(real.purchases, number))
    purchase.windowClosed = true
  }
}
