import { type WalletAddress } from '@juicebar/contract/addresses'
import { MAX_PUSH_SUBSCRIPTIONS } from '@juicebar/contract/limits'
import { describe, expect, it, onTestFinished, vi } from 'vitest'

import { pushSales } from '../../src/alerts/alert-store.ts'
import { createPushKeys } from '../../src/alerts/push/create-push-keys.ts'
import { recordSubscription } from '../../src/alerts/push/record-subscription.ts'
import { startPushes } from '../../src/alerts/push/run-pushes.ts'
import { connectDatabase } from '../../src/database/connect.ts'
import { createPoster } from '../../src/outgoing/post-message.ts'
import { revokeSession } from '../../src/sign-in/sign-in-store.ts'
import { stampSales } from '../../src/studio/sales/sale-store.ts'
import { collectLog } from '../logging/collected-log.ts'
import { addPlayer, offer, type StoreMarket } from '../purchases/baskets/store-market.ts'
import { settledPurchase } from '../studio/sales/sale-market.ts'
import { defaultCatalogue } from '../support/catalogue.ts'
import { openAlertMarket, openSession, setAlert, waiting } from './alert-market.ts'
import { createBrowser, startPushService, verifySender } from './push-receiver.ts'

const CONTACT = 'https://market.example'

/** A server that sends pushes, with a connection of its own, until the test is over. */
function servePushes({ databaseUrl, log, failures }: StoreMarket, { allowPrivate = true, attemptMillis = 5_000 } = {}) {
  const { database, close } = connectDatabase(databaseUrl, () => undefined)
  const stop = startPushes({
    database,
    catalogue: defaultCatalogue,
    log,
    failures,
    contact: CONTACT,
    poster: createPoster({ allowPrivate, attemptMillis }),
  })
  let stopping: Promise<void> | undefined
  const stopOnce = () => (stopping ??= stop().then(close))
  onTestFinished(stopOnce)
  return { stop: stopOnce }
}

/** Two servers tell sellers of the same sales: one has not committed yet when the other begins. */
async function pushSalesTogether({ connection, database }: StoreMarket): Promise<number[]> {
  const first = await connection.pool.connect()
  await first.query('begin')
  const { rows } = await first.query<{ count: number }>('select push_sales(100) as count')
  const second = pushSales(database, 100)
  const waits = `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
  await vi.waitFor(async () => expect((await connection.pool.query(waits)).rowCount).toBe(1), waiting)
  await first.query('commit')
  first.release()
  return [rows[0]?.count ?? 0, await second]
}

async function openPushMarket() {
  const market = await openAlertMarket()
  const service = await startPushService()
  const [player, seller] = [await addPlayer(market), await addPlayer(market)]
  /** A browser of a player, with a session of its own. */
  const subscribe = async (wallet: WalletAddress = player) => {
    const browser = createBrowser(service.origin)
    const id = await openSession(market, wallet)
    await recordSubscription(market.database, { id, player: wallet }, browser.subscription)
    return { ...browser, sessionId: id, player: wallet }
  }
  const count = async (table: 'pushes' | 'push_subscriptions') =>
    Number((await market.connection.pool.query<{ count: string }>(`select count(*) from ${table}`)).rows[0]?.count)
  /** Fires an alert of the player. */
  const fire = async () => {
    await offer(market, seller, { amount: 1, price: 1_000_000n })
    await setAlert(market, player, 4)
  }
  return { market, service, player, seller, subscribe, count, fire }
}

describe('a push', () => {
  it('tells each of a player’s browsers of an alert, readable by that browser alone, signed by the market, and nothing about the player', async () => {
    const { market, service, subscribe, count, fire, player } = await openPushMarket()
    const browsers = [await subscribe(), await subscribe()]
    await fire()
    servePushes(market)
    await vi.waitFor(() => expect(service.received).toHaveLength(2), waiting)
    for (const { path, read, plainLength } of browsers) {
      const push = service.received.find((one) => one.path === path)!
      expect(read(push.body)).toEqual({
        title: 'Apple Juice for 0.001 SOL',
        body: 'The price that you wait for is on the market.',
        tag: expect.stringMatching(/^[0-9a-f]{32}$/),
        url: '/drink/APPLE_JUICE',
      })
      expect(plainLength(push.body)).toBe(512)
      expect(push.headers).toMatchObject({ 'content-encoding': 'aes128gcm', urgency: 'normal', topic: read(push.body).tag })
      expect([Number(push.headers['ttl']) > 3_500, Number(push.headers['ttl']) <= 3_600]).toEqual([true, true])
      const { claims, publicKey } = verifySender(push)
      expect(claims).toMatchObject({ aud: service.origin, sub: CONTACT })
      expect(publicKey).toBe((await createPushKeys(market.database)).publicKey)
      expect(JSON.stringify([push.headers, read(push.body)])).not.toContain(player)
      expect(() => browsers.find((other) => other.path !== path)!.read(push.body)).toThrow()
    }
    await vi.waitFor(async () => expect(await count('pushes')).toBe(0), waiting)
  })

  it('tells a seller how many were sold, once, and nobody else', async () => {
    const { market, service, player, seller, subscribe } = await openPushMarket()
    const browser = await subscribe(seller)
    await subscribe(player)
    const listingId = await offer(market, seller, { amount: 1_000, price: 4_000_000n })
    await settledPurchase(market, player, [{ listingId, amount: 40 }])
    while ((await stampSales(market.database, 100)) > 0);
    expect(await pushSalesTogether(market)).toEqual([1, 0])
    servePushes(market)
    await vi.waitFor(() => expect(service.received).toHaveLength(1), waiting)
    expect(browser.read(service.received[0]!.body)).toMatchObject({ title: 'You sold 40 Apple Juice', url: '/' })
    expect(await pushSales(market.database, 100)).toBe(0)
  })

  it('is not written again when the chain undoes the payment of a sale', async () => {
    const { market, player, seller, subscribe, count } = await openPushMarket()
    await subscribe(seller)
    const listingId = await offer(market, seller, { amount: 10, price: 4_000_000n })
    const id = await settledPurchase(market, player, [{ listingId }])
    while ((await stampSales(market.database, 100)) > 0);
    expect(await pushSales(market.database, 100)).toBe(1)
    await market.connection.pool.query(
      `insert into cases (purchase_id, kind, signature, seller, lamports, deliverable)
       select id, 'vanished', signature, sellers[1], 1, false from purchases where id = $1`,
      [id],
    )
    while ((await stampSales(market.database, 100)) > 0);
    expect(await pushSales(market.database, 100)).toBe(1)
    expect(await count('pushes')).toBe(1)
  })

  it('is not written for sales that are old news', async () => {
    const { market, player, seller, subscribe, count } = await openPushMarket()
    await subscribe(seller)
    const listingId = await offer(market, seller, { amount: 10, price: 4_000_000n })
    await settledPurchase(market, player, [{ listingId }])
    await market.connection.pool.query(`update purchases set settled_at = now() - interval '2 hours'`)
    while ((await stampSales(market.database, 100)) > 0);
    expect(await pushSales(market.database, 100)).toBe(1)
    expect(await count('pushes')).toBe(0)
  })

  it('is sent by one of several servers, and by another if that one stops', async () => {
    const { market, service, subscribe, count, fire } = await openPushMarket()
    for (let n = 0; n < 5; n++) await subscribe()
    await fire()
    const servers = [servePushes(market), servePushes(market), servePushes(market)]
    await vi.waitFor(async () => expect(await count('pushes')).toBe(0), waiting)
    expect(new Set(service.received.map(({ path }) => path)).size).toBe(5)
    expect(service.received).toHaveLength(5)
    await servers[0]!.stop()
    await fire()
    await vi.waitFor(() => expect(service.received).toHaveLength(10), waiting)
  })

  it('that a push service does not take is tried again, with the same tag', async () => {
    const { market, service, subscribe, count, fire } = await openPushMarket()
    const browser = await subscribe()
    service.answerWith(503)
    await fire()
    servePushes(market)
    await vi.waitFor(() => expect(service.received).toHaveLength(1), waiting)
    service.answerWith(201)
    const { rows } = await market.connection.pool.query(
      "select failed_attempts as failed, attempt_at > now() + interval '20 s' as waits from push_subscriptions",
    )
    expect(rows).toEqual([{ failed: 1, waits: true }])
    await market.connection.pool.query('update push_subscriptions set attempt_at = now()')
    await vi.waitFor(async () => expect(await count('pushes')).toBe(0), waiting)
    const [first, second] = service.received.map(({ body }) => browser.read(body))
    expect(second).toEqual(first)
    expect(service.received).toHaveLength(2)
  })

  it.each([404, 410])('that is answered with %i ends the subscription', async (status) => {
    const { market, service, subscribe, count, fire } = await openPushMarket()
    await subscribe()
    service.answerWith(status)
    await fire()
    servePushes(market)
    await vi.waitFor(async () => expect(await count('push_subscriptions')).toBe(0), waiting)
    expect(await count('pushes')).toBe(0)
  })

  it.each([307, 400, 413])('that is answered with %i is given up, and nothing is followed', async (status) => {
    const { market, service, subscribe, count, fire } = await openPushMarket()
    const browser = await subscribe()
    service.answerWith(status)
    await fire()
    servePushes(market)
    await vi.waitFor(async () => expect(await count('pushes')).toBe(0), waiting)
    expect(service.received.map(({ path }) => path)).toEqual([browser.path])
    expect(await count('push_subscriptions')).toBe(1)
  })

  it('to a push service that does not answer holds up no other', async () => {
    const { market, service, player, subscribe, count, fire } = await openPushMarket()
    const silent = await startPushService()
    silent.answerWith('never')
    const id = await openSession(market, player)
    await recordSubscription(market.database, { id, player }, createBrowser(silent.origin).subscription)
    await subscribe()
    await fire()
    servePushes(market, { attemptMillis: 60_000 })
    await vi.waitFor(() => expect([silent.received.length, service.received.length]).toEqual([1, 1]), waiting)
    await fire()
    await vi.waitFor(() => expect(service.received).toHaveLength(2), waiting)
    await vi.waitFor(async () => expect([silent.received.length, await count('pushes')]).toEqual([1, 2]), waiting)
  })

  it('goes to no private address', async () => {
    const { market, service, subscribe, fire } = await openPushMarket()
    const { log, about } = collectLog()
    await subscribe()
    await fire()
    servePushes({ ...market, log }, { allowPrivate: false })
    await vi.waitFor(() => expect(about('a push service does not take a push')).toMatchObject([{ status: null }]), waiting)
    expect(service.received).toEqual([])
  })
})

describe('a subscription', () => {
  it('ends at logout, with what waits for it', async () => {
    const { market, service, subscribe, count, fire } = await openPushMarket()
    const [gone, kept] = [await subscribe(), await subscribe()]
    await fire()
    await revokeSession(market.database, gone.sessionId)
    expect([await count('push_subscriptions'), await count('pushes')]).toEqual([1, 1])
    servePushes(market)
    await vi.waitFor(() => expect(service.received.map(({ path }) => path)).toEqual([kept.path]), waiting)
    await expect(recordSubscription(market.database, { id: gone.sessionId, player: kept.player }, gone.subscription)).rejects.toMatchObject(
      {
        code: 'SESSION_ENDED',
      },
    )
  })

  it('is sent nothing once its session has expired, and goes with it', async () => {
    const { market, service, subscribe, count, fire } = await openPushMarket()
    const [expired, kept] = [await subscribe(), await subscribe()]
    await fire()
    await market.connection.pool.query(`update sessions set expires_at = now() where id = $1`, [expired.sessionId])
    servePushes(market)
    await vi.waitFor(async () => expect(await count('pushes')).toBe(1), waiting)
    expect(service.received.map(({ path }) => path)).toEqual([kept.path])
    await market.connection.pool.query('delete from sessions where expires_at <= now()')
    expect([await count('push_subscriptions'), await count('pushes')]).toEqual([1, 0])
  })

  it('moves with its browser to whoever signs in there next', async () => {
    const { market, player, seller, subscribe } = await openPushMarket()
    const { subscription } = await subscribe(player)
    const id = await openSession(market, seller)
    await recordSubscription(market.database, { id, player: seller }, subscription)
    const { rows } = await market.connection.pool.query('select session_id as id, wallet_address as wallet from push_subscriptions')
    expect(rows).toEqual([{ id, wallet: seller }])
  })

  it('of one browser by two sessions at the same time belongs to one of them', async () => {
    const { market, player, seller, count } = await openPushMarket()
    const { subscription } = createBrowser('https://push.example')
    const sessions = [
      { id: await openSession(market, player), player },
      { id: await openSession(market, seller), player: seller },
    ]
    await Promise.all(sessions.flatMap((one) => [one, one, one]).map((one) => recordSubscription(market.database, one, subscription)))
    expect(await count('push_subscriptions')).toBe(1)
  })

  it(`is one of the ${MAX_PUSH_SUBSCRIPTIONS} newest of its wallet`, async () => {
    const { market, subscribe, count } = await openPushMarket()
    const first = await subscribe()
    for (let n = 0; n < MAX_PUSH_SUBSCRIPTIONS; n++) await subscribe()
    expect(await count('push_subscriptions')).toBe(MAX_PUSH_SUBSCRIPTIONS)
    const { rows } = await market.connection.pool.query('select 1 from push_subscriptions where session_id = $1', [first.sessionId])
    expect(rows).toEqual([])
  })

  it('is one of as many, however many of its wallet come at the same time', async () => {
    const { market, service, player, count } = await openPushMarket()
    const sessions = await Promise.all(Array.from({ length: 2 * MAX_PUSH_SUBSCRIPTIONS }, () => openSession(market, player)))
    const { database, close } = connectDatabase(market.databaseUrl, () => undefined)
    onTestFinished(close)
    const subscribing = sessions.map((id, index) => {
      const { subscription } = createBrowser(service.origin)
      return recordSubscription(index % 2 === 0 ? market.database : database, { id, player }, subscription)
    })
    await Promise.all(subscribing)
    expect(await count('push_subscriptions')).toBe(MAX_PUSH_SUBSCRIPTIONS)
  })

  it('has at most a hundred pushes waiting', async () => {
    const { market, player, subscribe, count } = await openPushMarket()
    await subscribe()
    await market.connection.pool.query(`select queue_push($1, 'alert', 'APPLE_JUICE', 1) from generate_series(1, 130)`, [player])
    expect(await count('pushes')).toBe(100)
  })
})

it('the keys are generated once, by whichever server needs them first', async () => {
  const { database, databaseUrl } = await openAlertMarket()
  const other = connectDatabase(databaseUrl, () => undefined)
  onTestFinished(() => other.close())
  const keys = await Promise.all([database, other.database, database, other.database].map(createPushKeys))
  expect(new Set(keys.map(({ publicKey, privateKey }) => `${publicKey} ${privateKey}`)).size).toBe(1)
})
