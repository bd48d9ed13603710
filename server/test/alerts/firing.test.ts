import { MAX_ALERTS } from '@juicebar/contract/limits'
import { describe, expect, it } from 'vitest'

import { deleteAlert, fireAlerts, listAlerts } from '../../src/alerts/alert-store.ts'
import { removeListing } from '../../src/listings/remove-listing.ts'
import { addPlayer, holdInStore, lapseInStore, offer, settleInStore } from '../purchases/baskets/store-market.ts'
import { firedEvents, openAlertMarket, setAlert } from './alert-market.ts'

const SOL_0_004 = 4_000_000n

async function openTwoPlayers() {
  const market = await openAlertMarket()
  return { market, player: await addPlayer(market), seller: await addPlayer(market) }
}

describe('an alert', () => {
  it('fires once when one drink is for sale at its price, and says when and at which price', async () => {
    const { market, player, seller } = await openTwoPlayers()
    const alert = await setAlert(market, player, 4)
    expect(alert).toMatchObject({ tokenType: 'APPLE_JUICE', below: 0.004, firedAt: null, price: null })
    await offer(market, seller, { amount: 1, price: 5_000_000n })
    await offer(market, seller, { amount: 1, price: 1_000_000n, tokenType: 'ORANGE_JUICE' })
    expect(await fireAlerts(market.database, 10)).toBe(0)

    await offer(market, seller, { amount: 10, price: 10n * SOL_0_004 })
    expect(await fireAlerts(market.database, 10)).toBe(1)
    await offer(market, seller, { amount: 1, price: 1_000_000n })
    expect(await fireAlerts(market.database, 10)).toBe(0)

    const fired = { ...alert, price: 0.004, firedAt: expect.stringMatching(/^\d{4}-.*Z$/) }
    expect(await listAlerts(market.database, player)).toEqual([fired])
    expect(await firedEvents(market)).toEqual([{ audience: [player], alert: fired }])
  })

  it('does not fire again while another one of its drink waits', async () => {
    const { market, player, seller } = await openTwoPlayers()
    await setAlert(market, player, 4)
    await setAlert(market, player, 2)
    await offer(market, seller, { amount: 1, price: 3_000_000n })
    expect(await fireAlerts(market.database, 10)).toBe(1)
    await offer(market, seller, { amount: 2, price: 5_000_000n })
    expect(await fireAlerts(market.database, 10)).toBe(0)
    expect(await firedEvents(market)).toHaveLength(1)
  })

  it('is left to the server that is firing it', async () => {
    const { market, player, seller } = await openTwoPlayers()
    await setAlert(market, player, 4)
    await offer(market, seller, { amount: 1, price: SOL_0_004 })
    const first = await market.connection.pool.connect()
    await first.query('begin')
    const { rows } = await first.query('select fire_alerts(10, frozen_sellers()) as count')
    const second = fireAlerts(market.database, 10)
    // It does not wait: otherwise the test would, for ever.
    expect([rows, await second]).toEqual([[{ count: 1 }], 0])
    await first.query('commit')
    first.release()
    expect(await fireAlerts(market.database, 10)).toBe(0)
    expect(await firedEvents(market)).toHaveLength(1)
  })

  it('fires at once where its price is on the market already', async () => {
    const { market, player, seller } = await openTwoPlayers()
    await offer(market, seller, { amount: 2, price: 7_000_000n })
    expect(await setAlert(market, player, 4)).toMatchObject({ below: 0.004, price: 0.0035, firedAt: expect.any(String) })
    expect(await firedEvents(market)).toHaveLength(1)
  })

  it('compares prices in whole lamports, as depth shows them', async () => {
    const { market, player, seller } = await openTwoPlayers()
    // 0.0023333333…: shown as 0.002333333, and an alert at exactly that price fires.
    await offer(market, seller, { amount: 3, price: 7_000_000n })
    const waiting = await setAlert(market, player, 2)
    expect(waiting.firedAt).toBeNull()
    await market.connection.pool.query('update alerts set below_lamports = 2333332')
    expect(await fireAlerts(market.database, 10)).toBe(0)
    await market.connection.pool.query('update alerts set below_lamports = 2333333')
    expect(await fireAlerts(market.database, 10)).toBe(1)
    expect(await listAlerts(market.database, player)).toMatchObject([{ price: 0.002333333 }])
  })

  it('does not fire for one’s own offer, also if that is the cheapest, but for the next one', async () => {
    const { market, player, seller } = await openTwoPlayers()
    await offer(market, player, { amount: 1, price: 1_000_000n })
    expect((await setAlert(market, player, 4)).firedAt).toBeNull()
    await offer(market, seller, { amount: 1, price: 3_000_000n })
    expect(await fireAlerts(market.database, 10)).toBe(1)
    expect(await listAlerts(market.database, player)).toMatchObject([{ price: 0.003 }])
  })

  it('does not fire for what somebody is buying, nor for what was sold or removed, but when a hold ends', async () => {
    const { market, player, seller } = await openTwoPlayers()
    const buyer = await addPlayer(market)
    const hold = async (listingId: string) => {
      const outcome = await holdInStore(market, { buyer, items: [{ listingId }], sendsThrough: 'server', paysTransfers: true })
      if (outcome.kind !== 'held') throw new Error(outcome.kind)
      return outcome.hold.id
    }
    await settleInStore(market, await hold(await offer(market, seller, { amount: 1, price: 1_000_000n })))
    await removeListing(market.database, seller, await offer(market, seller, { amount: 1, price: 1_000_000n }))
    const held = await hold(await offer(market, seller, { amount: 1, price: 2_000_000n }))
    expect((await setAlert(market, player, 4)).firedAt).toBeNull()
    expect(await fireAlerts(market.database, 10)).toBe(0)
    await lapseInStore(market, held)
    expect(await fireAlerts(market.database, 10)).toBe(1)
  })

  it('does not fire for sellers whose listings are frozen', async () => {
    const { market, player, seller } = await openTwoPlayers()
    await offer(market, seller, { amount: 1, price: 1_000_000n })
    await market.connection.pool.query(
      `create or replace function frozen_sellers() returns text[] language sql stable as $$ select array['${seller}'] $$`,
    )
    expect((await setAlert(market, player, 4)).firedAt).toBeNull()
    await market.connection.pool.query(
      `create or replace function frozen_sellers() returns text[] language sql stable as $$ select '{}'::text[] $$`,
    )
    expect(await fireAlerts(market.database, 10)).toBe(1)
  })
})

describe('a wallet', () => {
  it('has one alert of a price that waits, and another once that has fired', async () => {
    const { market, player, seller } = await openTwoPlayers()
    const first = await setAlert(market, player, 4)
    expect(await setAlert(market, player, 4)).toEqual(first)
    expect((await setAlert(market, player, 4, 'ORANGE_JUICE')).id).not.toBe(first.id)
    await offer(market, seller, { amount: 1, price: 4_000_000n })
    await fireAlerts(market.database, 10)
    expect((await setAlert(market, player, 4)).id).not.toBe(first.id)
  })

  it(`has at most ${MAX_ALERTS}, also when they are set at the same time; those that fired first make room`, async () => {
    const { market, player, seller } = await openTwoPlayers()
    const set = await Promise.allSettled(Array.from({ length: MAX_ALERTS + 5 }, (_, n) => setAlert(market, player, n + 2)))
    const refusals = set.flatMap((one) => (one.status === 'rejected' ? [one.reason.code] : []))
    expect(refusals).toEqual(Array.from({ length: 5 }, () => 'TOO_MANY_ALERTS'))
    expect(await listAlerts(market.database, player)).toHaveLength(MAX_ALERTS)

    const highest = Math.max(...(await listAlerts(market.database, player)).map(({ below }) => below))
    await offer(market, seller, { amount: 1, price: BigInt(Math.round(highest * 1e9)) })
    expect(await fireAlerts(market.database, 10)).toBe(1)
    await setAlert(market, player, 1)
    const alerts = await listAlerts(market.database, player)
    expect([alerts.length, alerts.filter(({ firedAt }) => firedAt !== null)]).toEqual([MAX_ALERTS, []])
    await expect(setAlert(market, player, 100)).rejects.toMatchObject({ code: 'TOO_MANY_ALERTS', detail: String(MAX_ALERTS) })
  })

  it('deletes only alerts of its own', async () => {
    const { market, player, seller } = await openTwoPlayers()
    const alert = await setAlert(market, player, 4)
    expect(await deleteAlert(market.database, seller, alert.id)).toBeUndefined()
    expect(await deleteAlert(market.database, player, alert.id)).toEqual(alert)
    expect(await listAlerts(market.database, player)).toEqual([])
  })
})
