import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'

import { createChain } from '../../../src/chain/client/solana-chain.ts'
import { confirmPurchase } from '../../../src/purchases/settlement/confirm-purchase.ts'
import { submitPayment } from '../../../src/purchases/payment/submit-payment.ts'
import { reconcileOnce } from '../../../src/purchases/reconciliation/reconcile-round.ts'
import { type FrontServer, handOnTo, result, startFrontServer } from '../../chain/front-server.ts'
import {
  casesOf,
  expectAllAddsUp,
  hold,
  list,
  openTradingWorld,
  readPurchase,
  reconcileUntil,
  sendByWallet,
  signPayment,
  type TradingWorld,
  untilStatus,
  waiting,
  type Wallet,
} from '../trading-world.ts'

let world: TradingWorld
let seller: Wallet
let buyer: Wallet
const cleanUps: (() => Promise<unknown>)[] = []

beforeAll(async () => {
  world = await openTradingWorld()
  seller = await world.createWallet()
})

beforeEach(async () => void (buyer = await world.createWallet()))

afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp()
})

afterAll(async () => {
  await expectAllAddsUp(world)
  await world.close()
})

/** The same world, seen through so many endpoints that count what they are asked. */
async function through(endpoints: number, requestsPerSecond?: number): Promise<{ seen: TradingWorld; fronts: FrontServer[] }> {
  const fronts = await Promise.all(Array.from({ length: endpoints }, () => startFrontServer(handOnTo(world.rpcUrl))))
  const urls = fronts.map(({ url }) => url)
  const chain = createChain({ endpoints: urls, log: world.deps.log, requestsPerSecond, probeMillis: 60_000 })
  await chain.start()
  cleanUps.push(() => chain.stop(), ...fronts.map((front) => () => front.stop()))
  return { seen: world.seenWith({ chain, deps: { ...world.deps, chain } }), fronts }
}

function countOf(fronts: readonly FrontServer[]): (method: string) => number {
  return (method) => fronts.flatMap(({ calls }) => calls).filter((called) => called === method).length
}

// First in this file: whatever other purchases are due would cost requests, too.
describe('many purchases at once', () => {
  const PURCHASES = 20

  it('cost two requests each, besides those that serve all of them', async () => {
    const { seen, fronts } = await through(1, 200)
    const buyers = await Promise.all(Array.from({ length: PURCHASES }, () => world.createWallet()))
    const listings = await Promise.all(buyers.map(() => list(seen, seller)))
    const purchases = await Promise.all(
      buyers.map(async (one, index) => {
        const purchase = await hold(seen, one, listings[index] ?? '')
        const { base64 } = await signPayment(seen, one, purchase)
        await submitPayment(seen.deps, one.address, purchase.purchaseId, base64)
        return purchase
      }),
    )
    await vi.waitFor(async () => {
      await reconcileOnce(seen.deps)
      for (const { purchaseId } of purchases) expect((await readPurchase(seen, purchaseId)).status).toBe('settled')
    }, waiting)
    const count = countOf(fronts)
    expect(count('simulateTransaction')).toBe(PURCHASES)
    expect(count('sendTransaction')).toBeGreaterThanOrEqual(PURCHASES)
    expect(count('getMultipleAccounts')).toBeLessThan(PURCHASES / 2)
    const unneeded = ['getTransaction', 'isBlockhashValid', 'getBalance', 'getBlockHeight', 'getSlot', 'getSignaturesForAddress']
    expect(unneeded.filter((method) => count(method) > 0)).toEqual([])
  })
})

describe('more buyers than the budget carries', () => {
  it('are refused before anything is held, and every payment of those who hold is sent', async () => {
    const { seen } = await through(1, 10)
    const buyers = await Promise.all(Array.from({ length: 24 }, () => world.createWallet()))
    const listings = await Promise.all(buyers.map(() => list(seen, seller)))
    const holds = await Promise.allSettled(buyers.map((one, index) => hold(seen, one, listings[index] ?? '')))
    const refusals = holds.flatMap((outcome): unknown[] => (outcome.status === 'rejected' ? [outcome.reason] : []))
    expect(refusals.length).toBeGreaterThan(0)
    for (const refusal of refusals) expect(refusal).toMatchObject({ code: 'CHAIN_BUSY', retryAfter: expect.any(Number) })
    const placed = await world.connection.pool.query('select 1 from purchase_items where listing_id = any($1::uuid[])', [listings])
    expect(placed.rowCount).toBe(buyers.length - refusals.length)
    const paying = holds.flatMap((outcome, index) =>
      outcome.status === 'fulfilled' ? [{ purchase: outcome.value, one: buyers[index] }] : [],
    )
    await Promise.all(
      paying.map(async ({ purchase, one = buyer }) => {
        const { base64 } = await signPayment(world, one, purchase)
        await submitPayment(seen.deps, one.address, purchase.purchaseId, base64)
      }),
    )
    for (const { purchase } of paying) await untilStatus(world, purchase.purchaseId, 'settled')
  })
})

describe('a payment', () => {
  it('that was recorded settles by its status, and is never read', async () => {
    const { seen, fronts } = await through(2)
    const purchase = await hold(seen, buyer, await list(seen, seller))
    const payment = await signPayment(seen, buyer, purchase)
    await submitPayment(seen.deps, buyer.address, purchase.purchaseId, payment.base64)
    await untilStatus(seen, purchase.purchaseId, 'settled')
    await reconcileUntil(seen, async () => {
      expect(await readPurchase(seen, purchase.purchaseId)).toMatchObject({ finalized: true, signature: payment.signature })
    })
    expect(countOf(fronts)('getTransaction')).toBe(0)
  })

  it('that the wallet sent is read before it settles', async () => {
    const { seen, fronts } = await through(1)
    const listingId = await list(seen, seller)
    const purchase = await hold(seen, buyer, listingId, 'wallet')
    const signature = await sendByWallet(seen, await signPayment(seen, buyer, purchase))
    expect(await confirmPurchase(seen.deps, buyer.address, listingId, signature)).toMatchObject({ settled: true })
    expect(countOf(fronts)('getTransaction')).toBe(1)
  })

  it('that only a lying endpoint has seen is delivered on its word, never becomes final, and is reported', async () => {
    const { seen, fronts } = await through(2)
    const [liar, honest] = fronts as [FrontServer, FrontServer]
    const purchase = await hold(seen, buyer, await list(seen, seller))
    const payment = await signPayment(seen, buyer, purchase)
    const landed = { slot: 50, confirmations: null, err: null, status: { Ok: null }, confirmationStatus: 'finalized' }
    const lies = result({ context: { slot: 1e9 }, value: [landed] })
    const swallows = result(payment.signature)
    const handOn = handOnTo(world.rpcUrl)
    liar.behave((call, response) => {
      if (call.method === 'sendTransaction') return swallows(call, response)
      return call.method === 'getSignatureStatuses' ? lies(call, response) : handOn(call, response)
    })
    honest.behave((call, response) => (call.method === 'sendTransaction' ? swallows(call, response) : handOn(call, response)))
    await submitPayment(seen.deps, buyer.address, purchase.purchaseId, payment.base64)
    await untilStatus(seen, purchase.purchaseId, 'settled')
    await reconcileUntil(seen, async () => {
      const cases = await casesOf(seen, seller.address)
      expect(cases).toContainEqual(expect.objectContaining({ kind: 'vanished', signature: payment.signature }))
    })
    expect(await readPurchase(seen, purchase.purchaseId)).toMatchObject({ status: 'settled', finalized: false })
  })
})
