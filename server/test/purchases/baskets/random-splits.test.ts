import fc from 'fast-check'
import { inject, it } from 'vitest'

import { expectAllPartsAddUp, type SplitMarket } from './split-market.ts'
import { firstSteps, splitSteps } from './split-steps.ts'
import { addPlayer, offer, openStoreMarket, type StoreMarket } from './store-market.ts'

const RUNS_EACH = 2
const STEPS = 50
const START_TOKENS = 100_000
const AMOUNT = 40
const FIRST_PRICES = [10_000_000n, 7_000_000n, 1_000_000n]

const numRuns = inject('propertyRuns') * RUNS_EACH

it(
  'however listings are split, held, merged, removed and sold, every token and every lamport of them stays',
  { timeout: numRuns * 30_000 },
  async () => {
    const steps = fc.array(splitSteps, { minLength: 1, maxLength: STEPS, size: 'max' })
    const property = fc.asyncProperty(steps, fc.constantFrom(0, 250, 1_000), async (acts, basisPoints) => {
      const market = await openStoreMarket()
      const split = await openSplitMarket(market, basisPoints)
      const did: string[] = []
      for (const act of [...firstSteps, ...acts]) {
        did.push(await act(split))
        await expectAllPartsAddUp(split).catch((error: unknown) => {
          throw new Error(did.join('\n'), { cause: error })
        })
      }
      await market.close()
    })
    await fc.assert(property, { numRuns, endOnFailure: true })
  },
)

async function openSplitMarket(market: StoreMarket, basisPoints: number): Promise<SplitMarket> {
  const sellers = [await addPlayer(market, START_TOKENS), await addPlayer(market, START_TOKENS)]
  const buyers = [await addPlayer(market, START_TOKENS), await addPlayer(market, START_TOKENS), await addPlayer(market, START_TOKENS)]
  const split: SplitMarket = {
    market,
    sellers,
    buyers,
    fee: { basisPoints, wallet: sellers[1] },
    offered: [],
    named: [],
    purchases: [],
    startTokens: START_TOKENS,
  }
  for (const [index, price] of FIRST_PRICES.entries()) {
    const seller = sellers[index % sellers.length]!
    const id = await offer(market, seller, { amount: AMOUNT, price })
    split.offered.push({ id, seller, amount: AMOUNT, lamports: price })
    split.named.push(id)
  }
  return split
}
