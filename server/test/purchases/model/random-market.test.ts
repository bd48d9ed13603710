import fc from 'fast-check'
import { afterAll, beforeAll, expect, inject, it } from 'vitest'

import { closePaymentWindow } from '../reconciling.ts'
import { openTradingWorld, type TradingWorld } from '../trading-world.ts'
import { forkable, type ForkableChain } from './forkable-chain.ts'
import { addListing } from './hold-steps.ts'
import { marketCommands } from './market-commands.ts'
import { expectInvariants } from './market-invariants.ts'
import { expectedConfirmation, type MarketModel } from './market-model.ts'
import { expectConfirmed, reportsOf } from './payment-steps.ts'
import { itemAt, type RealMarket } from './real-market.ts'
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
    await closePaymentWindow(real.world, itemAt(real.purchases, number))
    purchase.windowClosed = true
  }
}
