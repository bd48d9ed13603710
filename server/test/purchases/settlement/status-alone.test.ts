import { type Purchase } from '@juicebar/contract/schemas'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { createChain } from '../../../src/chain/client/solana-chain.ts'
import { type Answer, handOnTo, result, startFrontServer } from '../../chain/rpc/front-server.ts'
import { endWaits } from '../waits-over.ts'
import { type TradingWorld, useTradingWorld, waiting, type Wallet } from '../trading-world.ts'

const world = useTradingWorld()

/** The same world, seen through so many endpoints that count what they are asked. */
async function through(endpoints: number, requestsPerSecond?: number) {
  const fronts = await Promise.all(Array.from({ length: endpoints }, () => startFrontServer(handOnTo(world.rpcUrl))))
  const urls = fronts.map(({ url }) => url)
  const chain = createChain({ endpoints: urls, log: world.deps.log, requestsPerSecond, probeMillis: 60_000 })
  await chain.start()
  onTestFinished(async () => {
    await chain.stop()
    for (const front of fronts) await front.stop()
  })
  const count = (method: string) => fronts.flatMap(({ calls }) => calls).filter((called) => called === method).length
  return { seen: world.seenWith({ chain, deps: { ...world.deps, chain } }), fronts, count }
}

/** So many buyers, each with a listing to hold. */
const createBuyers = (count: number) =>
  Promise.all(Array.from({ length: count }, async () => ({ buyer: await world.createWallet(), listingId: await world.list() })))

async function pay(seen: TradingWorld, buyer: Wallet, purchase: Purchase) {
  const payment = await seen.signPayment(buyer, purchase)
  await seen.submit(buyer, purchase, payment)
  return payment
}

// First in this file: whatever other purchases are due would cost requests, too.
describe('many purchases at once', () => {
  const PURCHASES = 20

  it('cost two requests each, besides those that serve all of them', async () => {
    const { seen, count } = await through(1, 200)
    const purchases = await Promise.all(
      (await createBuyers(PURCHASES)).map(async ({ buyer, listingId }) => {
        const purchase = await seen.hold(buyer, listingId)
        await pay(seen, buyer, purchase)
        return purchase
      }),
    )
    await vi.waitFor(async () => {
      await seen.reconcileOnce()
      for (const { purchaseId } of purchases) expect((await seen.read(purchaseId)).status).toBe('settled')
    }, waiting)
    expect(count('simulateTransaction')).toBe(PURCHASES)
    expect(count('sendTransaction')).toBeGreaterThanOrEqual(PURCHASES)
    for (const method of ['getMultipleAccounts', 'getBlockHeight']) expect(count(method)).toBeLessThan(PURCHASES / 2)
    const unneeded = ['getTransaction', 'isBlockhashValid', 'getBalance', 'getSlot', 'getSignaturesForAddress']
    expect(unneeded.filter((method) => count(method) > 0)).toEqual([])
  })
})

describe('more buyers than the budget carries', () => {
  it('are refused before anything is held, and every payment of those who hold is sent', async () => {
    const { seen } = await through(1, 10)
    const buyers = await createBuyers(24)
    const holds = await Promise.allSettled(
      buyers.map(async ({ buyer, listingId }) => ({ buyer, purchase: await seen.hold(buyer, listingId) })),
    )
    const refusals = holds.flatMap((outcome): unknown[] => (outcome.status === 'rejected' ? [outcome.reason] : []))
    expect(refusals.length).toBeGreaterThan(0)
    for (const refusal of refusals) expect(refusal).toMatchObject({ code: 'CHAIN_BUSY', retryAfter: expect.any(Number) })
    const listings = buyers.map(({ listingId }) => listingId)
    const placed = await world.connection.pool.query('select 1 from purchase_items where listing_id = any($1::uuid[])', [listings])
    expect(placed.rowCount).toBe(buyers.length - refusals.length)
    const paying = holds.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : []))
    await Promise.all(paying.map(async ({ buyer, purchase }) => seen.submit(buyer, purchase, await world.signPayment(buyer, purchase))))
    for (const { purchase } of paying) await world.untilStatus(purchase, 'settled')
  })
})

describe('a payment', () => {
  it('that was recorded settles by its status, and is never read', async () => {
    const { seen, count } = await through(2)
    const purchase = await seen.holdNew()
    const { signature } = await pay(seen, seen.buyer, purchase)
    await seen.untilStatus(purchase, 'settled')
    await seen.reconcileUntil(async () => {
      expect(await seen.read(purchase.purchaseId)).toMatchObject({ finalized: true, signature })
    })
    expect(count('getTransaction')).toBe(0)
  })

  it('that the wallet sent is read before it settles', async () => {
    const { seen, count } = await through(1)
    const purchase = await seen.holdNew(seen.buyer)
    const signature = await seen.payByWallet(seen.buyer, purchase)
    expect(await seen.confirm(seen.buyer, purchase.listingId, signature)).toMatchObject({ settled: true })
    expect(count('getTransaction')).toBe(1)
  })

  /** No endpoint sends a payment, and the first says that it has landed. */
  async function lieAbout({ endpoints = 2, confirmationStatus = 'finalized' } = {}) {
    const { seen, fronts } = await through(endpoints)
    const purchase = await seen.holdNew()
    const payment = await seen.signPayment(seen.buyer, purchase)
    const landed = { slot: 50, confirmations: null, err: null, status: { Ok: null }, confirmationStatus }
    const swallows = result(payment.signature)
    const handOn = handOnTo(world.rpcUrl)
    const lies: Answer = async (call, response) => {
      const { value } = ((await handOn(call, response)) as { result: { value: unknown[] } }).result
      const asked = call.params[0] as string[]
      const told = value.map((honest, index) => (asked[index] === payment.signature ? landed : honest))
      return result({ context: { slot: 1e9 }, value: told })(call, response)
    }
    for (const front of fronts) front.override({ sendTransaction: swallows, ...(front === fronts[0] && { getSignatureStatuses: lies }) })
    await seen.submit(seen.buyer, purchase, payment)
    return { seen, purchase, payment }
  }

  it('that only a lying endpoint has seen is delivered on its word, never becomes final, and is reported', async () => {
    const { seen, purchase, payment } = await lieAbout()
    await seen.untilStatus(purchase, 'settled')
    await seen.untilCase(payment.signature, { kind: 'vanished' })
    expect(await seen.read(purchase.purchaseId)).toMatchObject({ status: 'settled', finalized: false })
  })

  it('that failed, and is called final by a lying endpoint, is reported too', async () => {
    const { seen, purchase, payment } = await lieAbout()
    await seen.untilStatus(purchase, 'settled')
    await world.landInVain(world.buyer, payment.signature)
    await seen.untilCase(payment.signature, { kind: 'vanished' })
  })

  it('that the only endpoint calls confirmed for ever, and never shows, is reported, too', async () => {
    const { seen, purchase, payment } = await lieAbout({ endpoints: 1, confirmationStatus: 'confirmed' })
    await seen.untilStatus(purchase, 'settled')
    await world.connection.pool.query("update purchases set settled_at = now() - interval '20 minutes' where id = $1", [
      purchase.purchaseId,
    ])
    endWaits()
    await seen.untilCase(payment.signature, { kind: 'vanished' })
  })

  it('that only a lying endpoint has seen is not delivered with SETTLE_AT=finalized', async () => {
    const { seen, purchase } = await lieAbout()
    const settings = { ...seen.deps.settings, settleAt: 'finalized' as const }
    const strict = seen.seenWith({ deps: { ...seen.deps, settings } })
    for (let round = 0; round < 3; round++) await strict.expectStillHeld(purchase)
    await strict.closePaymentWindow(purchase)
    await strict.untilStatus(purchase, 'ended')
  })

  it('that one endpoint hides is delivered with SETTLE_AT=finalized all the same, a quarter of an hour later', async () => {
    const { seen, fronts } = await through(2)
    const settings = { ...seen.deps.settings, settleAt: 'finalized' as const }
    const strict = seen.seenWith({ deps: { ...seen.deps, settings } })
    const purchase = await seen.holdNew()
    await pay(seen, seen.buyer, purchase)
    await world.mine(40)
    fronts[0]!.override({ getSignatureStatuses: result({ context: { slot: 50 }, value: [null] }) })
    await world.makeDue(purchase)
    await strict.expectStillHeld(purchase)
    endWaits()
    await strict.untilStatus(purchase, 'settled')
  })
})
