import fc from 'fast-check'
import { afterAll, beforeAll, expect, inject, it } from 'vitest'

import { openTradingWorld, runOutOfTime, type TradingWorld } from '../trading-world.ts'
import { forkable, type ForkableChain } from './forkable-chain.ts'
import { listLot } from './hold-steps.ts'
import { marketCommands } from './market-commands.ts'
import { expectInvariants } from './market-invariants.ts'
import { expectConfirmation, type MarketModel } from './market-model.ts'
import { expectConfirmed } from './payment-steps.ts'
import { casesSeen, itemOf, type RealMarket } from './real-market.ts'
import { watchUntilOver, watchUntilTold } from './reconcile-market.ts'

declare module 'vitest' {
  interface ProvidedContext {
    propertyRuns: number
    propertySeed: string | undefined
  }
}

const numRuns = inject('propertyRuns')
const seed = inject('propertySeed')
const COMMANDS = 30
/** Two of them could not be told apart by their payments. */
const FIRST_LOTS = [10_000_000n, 10_000_000n, 20_000_000n]
const RUN_MILLIS = 60_000

let world: TradingWorld
let chain: ForkableChain

beforeAll(async () => {
  const opened = await openTradingWorld({ slotMillis: 10, holdSeconds: 600 })
  chain = forkable(opened.chain)
  world = { ...opened, deps: { ...opened.deps, chain } }
})

afterAll(() => world.close())

it('whatever players do in whatever order, nothing is lost and nothing is sold twice', { timeout: numRuns * RUN_MILLIS }, async () => {
  const commands = fc.commands(marketCommands, { maxCommands: COMMANDS, size: 'max' })
  const property = fc.asyncProperty(commands, async (sequence) => {
    const [seller, ...buyers] = await Promise.all([world.createWallet(), world.createWallet(), world.createWallet()])
    const model: MarketModel = { lots: [], purchases: [], payments: [] }
    const real: RealMarket = { world, chain, seller, buyers, lots: [], purchases: [], payments: [] }
    for (const price of FIRST_LOTS) await listLot(model, real, price)
    await fc.asyncModelRun(() => ({ model, real }), sequence)
    await expectNothingInSilence(model, real)
  })
  await fc.assert(property, { numRuns, endOnFailure: false, ...(seed !== undefined && { seed: Number(seed) }) })
})

/** I4: in the end every payment that the chain accepted has moved tokens, or stands in a case that both sides see. */
async function expectNothingInSilence(model: MarketModel, real: RealMarket): Promise<void> {
  await endEveryHold(model, real)
  await watchUntilOver(model, real)
  await watchUntilTold(model, real)
  for (const number of model.payments.keys()) await expectConfirmed(model, real, number, expectConfirmation(model, number))
  await expectInvariants(model, real)
  const cases = await casesSeen(real)
  for (const [number, { purchase, rolledBack }] of model.payments.entries()) {
    const { signature } = itemOf(real.payments, number)
    const delivered = model.purchases[purchase]?.paidBy === number
    const told = cases.some((found) => found.signature === signature && found.purchaseId === real.purchases[purchase]?.purchaseId)
    expect({ payment: number, inSilence: !delivered && !told && !rolledBack }).toEqual({ payment: number, inSilence: false })
  }
}

async function endEveryHold(model: MarketModel, real: RealMarket): Promise<void> {
  for (const [number, purchase] of model.purchases.entries()) {
    if (purchase.state !== 'held') continue
    await runOutOfTime(real.world, itemOf(real.purchases, number).purchaseId)
    purchase.over = true
  }
}
