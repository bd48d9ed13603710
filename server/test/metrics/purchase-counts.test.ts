import { describe, expect, it } from 'vitest'
import { createCounts } from '../../src/metrics/counts.ts'
import { renderFamilies } from '../../src/metrics/instruments.ts'
import { placeHold } from '../../src/purchases/hold/place-hold.ts'
import { orderOf, useTradingWorld, waiting } from '../purchases/trading-world.ts'
import { parseMetrics, valueOf } from './parsed-metrics.ts'

const world = useTradingWorld()

/** The world as one server sees it, with counts of its own. */
function countedServer() {
  const counts = createCounts()
  const server = world.seenWith({ deps: { ...world.deps, observer: counts.purchases } })
  const read = (name: string, labels: Record<string, string> = {}) =>
    valueOf(parseMetrics(renderFamilies(counts.families())), `juicebar_${name}`, labels)
  const untilSettled = (purchaseId: string) =>
    expect
      .poll(async () => {
        await server.reconcileOnce()
        return (await world.read(purchaseId)).status
      }, waiting)
      .toBe('settled')
  return { server, read, untilSettled }
}

describe('what a server counts of purchases', () => {
  it('a hold once, however often it is asked for, its refusals by code, and its end by reason', async () => {
    const { server, read } = countedServer()
    const listingId = await world.list()
    const held = await server.hold(world.buyer, listingId)
    await server.hold(world.buyer, listingId)
    expect(read('holds_placed_total')).toBe(1)

    const byOther = (other = world.rival) => placeHold(server.deps, orderOf(other, [{ listingId }]))
    await expect(byOther()).rejects.toMatchObject({ code: 'LISTING_HELD' })
    await expect(byOther(world.seller)).rejects.toThrow()
    expect(read('holds_refused_total', { code: 'LISTING_HELD' })).toBe(1)
    expect(read('holds_placed_total')).toBe(1)

    await server.cancel(world.buyer, held)
    await server.cancel(world.buyer, held)
    expect(read('holds_ended_total', { reason: 'cancelled' })).toBe(1)
    expect(read('purchases_settled_total')).toBe(0)
  })

  it('a delivery once, with its items, its price, and how long its payment has waited', async () => {
    const { server, read, untilSettled } = countedServer()
    const held = await server.hold(world.buyer, await world.list(world.seller, { price: 7_000_000n }))
    await server.submit(world.buyer, held, await world.signPayment(world.buyer, held))
    await untilSettled(held.purchaseId)
    await server.reconcileOnce()
    expect(read('purchases_settled_total')).toBe(1)
    expect(read('items_settled_total', { token_type: 'APPLE_JUICE' })).toBe(1)
    expect(read('settled_lamports_total')).toBe(7_000_000)
    expect(read('delivery_after_confirmation_seconds_count')).toBe(1)
    expect(read('delivery_after_submission_seconds_count')).toBe(1)
    expect(read('delivery_after_submission_seconds_sum')).toBeGreaterThan(0)
  })

  it('the time since a confirmation that was noted before, and none since a submission that nobody saw', async () => {
    const { server, read, untilSettled } = countedServer()
    const held = await server.holdNew(world.buyer)
    await world.payByWallet(world.buyer, held)
    await untilSettled(held.purchaseId)
    expect(read('delivery_after_confirmation_seconds_count')).toBe(1)
    expect(read('delivery_after_submission_seconds_count')).toBe(0)

    const late = await server.holdNew()
    const payment = await world.signPayment(world.buyer, late)
    await world.submit(world.buyer, late, payment)
    // As a server that waits for finality has noted it.
    const noted = `update payments set confirmed_at = now() - interval '100 seconds' where signature = $1`
    await world.connection.pool.query(noted, [payment.signature])
    await untilSettled(late.purchaseId)
    expect(read('delivery_after_confirmation_seconds_bucket', { le: '60' })).toBe(1)
    expect(read('delivery_after_confirmation_seconds_bucket', { le: '120' })).toBe(2)
  })
})
