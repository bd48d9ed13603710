import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { createCounts } from '../../src/metrics/counts.ts'
import { renderFamilies } from '../../src/metrics/text-format.ts'
import { cancelHold } from '../../src/purchases/hold/cancel-hold.ts'
import { placeHold } from '../../src/purchases/hold/place-hold.ts'
import { submitPayment } from '../../src/purchases/payment/submit-payment.ts'
import { type PurchaseDeps } from '../../src/purchases/purchase-deps.ts'
import { reconcileOnce } from '../../src/purchases/reconciliation/reconcile-round.ts'
import {
  expectAllAddsUp,
  list,
  openTradingWorld,
  orderOf,
  readPurchase,
  sendByWallet,
  signPayment,
  type TradingWorld,
  type Wallet,
  waiting,
} from '../purchases/trading-world.ts'
import { parseMetrics, valueOf } from './parsed-metrics.ts'

let world: TradingWorld
let seller: Wallet

beforeAll(async () => {
  world = await openTradingWorld()
  seller = await world.createWallet()
})
afterAll(async () => {
  await expectAllAddsUp(world)
  await world.close()
})

/** The world as one server sees it, with counts of its own. */
function countedServer() {
  const counts = createCounts()
  const deps: PurchaseDeps = { ...world.deps, observer: counts.purchases }
  const read = (name: string, labels: Record<string, string> = {}) =>
    valueOf(parseMetrics(renderFamilies(counts.families())), `juicebar_${name}`, labels)
  return { deps, read }
}

describe('what a server counts of purchases', () => {
  it('a hold once, however often it is asked for, its refusals by code, and its end by reason', async () => {
    const { deps, read } = countedServer()
    const [buyer, other] = [await world.createWallet(), await world.createWallet()]
    const listingId = await list(world, seller)
    const held = await placeHold(deps, orderOf(buyer, [{ listingId }]))
    await placeHold(deps, orderOf(buyer, [{ listingId }]))
    expect(read('holds_placed_total')).toBe(1)

    await expect(placeHold(deps, orderOf(other, [{ listingId }]))).rejects.toMatchObject({ code: 'LISTING_HELD' })
    await expect(placeHold(deps, orderOf(seller, [{ listingId }]))).rejects.toThrow()
    expect(read('holds_refused_total', { code: 'LISTING_HELD' })).toBe(1)
    expect(read('holds_placed_total')).toBe(1)

    await cancelHold(deps, buyer.address, held.id)
    await cancelHold(deps, buyer.address, held.id)
    expect(read('holds_ended_total', { reason: 'cancelled' })).toBe(1)
    expect(read('purchases_settled_total')).toBe(0)
  })

  it('a delivery once, with its items, its price, and how long its payment has waited', async () => {
    const { deps, read } = countedServer()
    const buyer = await world.createWallet()
    const listingId = await list(world, seller, { price: 7_000_000n })
    const held = await placeHold(deps, orderOf(buyer, [{ listingId }]))
    const payment = await signPayment(world, buyer, await readPurchase(world, held.id))
    await submitPayment(deps, buyer.address, held.id, payment.base64)
    await expect
      .poll(async () => {
        await reconcileOnce(deps)
        return (await readPurchase(world, held.id)).status
      }, waiting)
      .toBe('settled')
    await reconcileOnce(deps)
    expect(read('purchases_settled_total')).toBe(1)
    expect(read('items_settled_total', { token_type: 'APPLE_JUICE' })).toBe(1)
    expect(read('settled_lamports_total')).toBe(7_000_000)
    expect(read('delivery_after_confirmation_seconds_count')).toBe(1)
    expect(read('delivery_after_submission_seconds_count')).toBe(1)
    expect(read('delivery_after_submission_seconds_sum')).toBeGreaterThan(0)
  })

  it('the time since a confirmation that was noted before, and none since a submission that nobody saw', async () => {
    const { deps, read } = countedServer()
    const buyer = await world.createWallet()
    const listingId = await list(world, seller)
    const held = await placeHold(deps, orderOf(buyer, [{ listingId }], 'wallet'))
    await sendByWallet(world, await signPayment(world, buyer, await readPurchase(world, held.id)))
    await expect
      .poll(async () => {
        await reconcileOnce(deps)
        return (await readPurchase(world, held.id)).status
      }, waiting)
      .toBe('settled')
    expect(read('delivery_after_confirmation_seconds_count')).toBe(1)
    expect(read('delivery_after_submission_seconds_count')).toBe(0)

    const late = await placeHold(deps, orderOf(buyer, [{ listingId: await list(world, seller) }]))
    const payment = await signPayment(world, buyer, await readPurchase(world, late.id))
    await submitPayment(world.deps, buyer.address, late.id, payment.base64)
    // As a server that waits for finality has noted it.
    await world.connection.pool.query(`update payments set confirmed_at = now() - interval '100 seconds' where signature = $1`, [
      payment.signature,
    ])
    await expect
      .poll(async () => {
        await reconcileOnce(deps)
        return (await readPurchase(world, late.id)).status
      }, waiting)
      .toBe('settled')
    expect(read('delivery_after_confirmation_seconds_bucket', { le: '60' })).toBe(1)
    expect(read('delivery_after_confirmation_seconds_bucket', { le: '120' })).toBe(2)
  })
})
