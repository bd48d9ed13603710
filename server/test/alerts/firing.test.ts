import { MAX_ALERTS } from '@juicebar/contract/limits'
import { describe, expect, it } from 'vitest'
import { deleteAlert, fireAlerts, listAlerts } from '../../src/alerts/alert-store.ts'
import { removeListing } from '../../src/listings/change-listings.ts'
import { addPlayer, lapseInStore, offer, settleInStore } from '../purchases/baskets/store-market.ts'
import { heldPurchase } from '../studio/sales/sale-market.ts'
import { firedEvents, setAlert, useAlertMarkets } from './alert-market.ts'

const SOL_0_004 = 4_000_000n

const market = useAlertMarkets()
const fire = () => fireAlerts(market.database, 10)
const alerts = () => listAlerts(market.database, market.player)
/** So many apple juices, at a price in lamports for all of them. */
const sell = (amount: number, price: bigint, seller = market.seller) => offer(market, seller, { amount, price })
const wait = (thousandths: number, tokenType?: 'ORANGE_JUICE') => setAlert(market, market.player, thousandths, tokenType)

describe('an alert', () => {
  it('fires once when one drink is for sale at its price, and says when and at which price', async () => {
    const alert = await wait(4)
    expect(alert).toMatchObject({ tokenType: 'APPLE_JUICE', below: 0.004, firedAt: null, price: null })
    await sell(1, 5_000_000n)
    await offer(market, market.seller, { amount: 1, price: 1_000_000n, tokenType: 'ORANGE_JUICE' })
    expect(await fire()).toBe(0)

    await sell(10, 10n * SOL_0_004)
    expect(await fire()).toBe(1)
    await sell(1, 1_000_000n)
    expect(await fire()).toBe(0)

    const fired = { ...alert, price: 0.004, firedAt: expect.stringMatching(/^\d{4}-.*Z$/) }
    expect(await alerts()).toEqual([fired])
    expect(await firedEvents(market)).toEqual([{ audience: [market.player], alert: fired }])
  })

  it('does not fire again while another one of its drink waits', async () => {
    await wait(4)
    await wait(2)
    await sell(1, 3_000_000n)
    expect(await fire()).toBe(1)
    await sell(2, 5_000_000n)
    expect(await fire()).toBe(0)
    expect(await firedEvents(market)).toHaveLength(1)
  })

  it('is left to the server that is firing it', async () => {
    await wait(4)
    await sell(1, SOL_0_004)
    const first = await market.connection.pool.connect()
    await first.query('begin')
    const { rows } = await first.query('select fire_alerts(10, frozen_sellers()) as count')
    const second = fire()
    // It does not wait: otherwise the test would, for ever.
    expect([rows, await second]).toEqual([[{ count: 1 }], 0])
    await first.query('commit')
    first.release()
    expect(await fire()).toBe(0)
    expect(await firedEvents(market)).toHaveLength(1)
  })

  it('fires at once where its price is on the market already', async () => {
    await sell(2, 7_000_000n)
    expect(await wait(4)).toMatchObject({ below: 0.004, price: 0.0035, firedAt: expect.any(String) })
    expect(await firedEvents(market)).toHaveLength(1)
  })

  it('compares prices in whole lamports, as depth shows them', async () => {
    // 0.0023333333…: shown as 0.002333333, and an alert at exactly that price fires.
    await sell(3, 7_000_000n)
    const waiting = await wait(2)
    expect(waiting.firedAt).toBeNull()
    await market.connection.pool.query('update alerts set below_lamports = 2333332')
    expect(await fire()).toBe(0)
    await market.connection.pool.query('update alerts set below_lamports = 2333333')
    expect(await fire()).toBe(1)
    expect(await alerts()).toMatchObject([{ price: 0.002333333 }])
  })

  it('does not fire for one’s own offer, also if that is the cheapest, but for the next one', async () => {
    await sell(1, 1_000_000n, market.player)
    expect((await wait(4)).firedAt).toBeNull()
    await sell(1, 3_000_000n)
    expect(await fire()).toBe(1)
    expect(await alerts()).toMatchObject([{ price: 0.003 }])
  })

  it('does not fire for what somebody is buying, nor for what was sold or removed, but when a hold ends', async () => {
    const buyer = await addPlayer(market)
    const hold = async (listingId: string) => heldPurchase(market, buyer, [{ listingId }])
    await settleInStore(market, await hold(await sell(1, 1_000_000n)))
    await removeListing(market.database, market.seller, await sell(1, 1_000_000n))
    const held = await hold(await sell(1, 2_000_000n))
    expect((await wait(4)).firedAt).toBeNull()
    expect(await fire()).toBe(0)
    await lapseInStore(market, held)
    expect(await fire()).toBe(1)
  })

  it('does not fire for sellers whose listings are frozen', async () => {
    const freeze = (sellers: string) =>
      market.connection.pool.query(
        `create or replace function frozen_sellers() returns text[] language sql stable as $$ select ${sellers} $$`,
      )
    await sell(1, 1_000_000n)
    await freeze(`array['${market.seller}']`)
    expect((await wait(4)).firedAt).toBeNull()
    await freeze(`'{}'::text[]`)
    expect(await fire()).toBe(1)
  })
})

describe('a wallet', () => {
  it('has one alert of a price that waits, and another once that has fired', async () => {
    const first = await wait(4)
    expect(await wait(4)).toEqual(first)
    expect((await wait(4, 'ORANGE_JUICE')).id).not.toBe(first.id)
    await sell(1, 4_000_000n)
    await fire()
    expect((await wait(4)).id).not.toBe(first.id)
  })

  it(`has at most ${MAX_ALERTS}, also when they are set at the same time; those that fired first make room`, async () => {
    const set = await Promise.allSettled(Array.from({ length: MAX_ALERTS + 5 }, (_, n) => wait(n + 2)))
    const refusals = set.flatMap((one) => (one.status === 'rejected' ? [one.reason.code] : []))
    expect(refusals).toEqual(Array.from({ length: 5 }, () => 'TOO_MANY_ALERTS'))
    expect(await alerts()).toHaveLength(MAX_ALERTS)

    const highest = Math.max(...(await alerts()).map(({ below }) => below))
    await sell(1, BigInt(Math.round(highest * 1e9)))
    expect(await fire()).toBe(1)
    await wait(1)
    const left = await alerts()
    expect([left.length, left.filter(({ firedAt }) => firedAt !== null)]).toEqual([MAX_ALERTS, []])
    await expect(wait(100)).rejects.toMatchObject({ code: 'TOO_MANY_ALERTS', detail: String(MAX_ALERTS) })
  })

  it('deletes only alerts of its own', async () => {
    const alert = await wait(4)
    expect(await deleteAlert(market.database, market.seller, alert.id)).toBeUndefined()
    expect(await deleteAlert(market.database, market.player, alert.id)).toEqual(alert)
    expect(await alerts()).toEqual([])
  })
})
