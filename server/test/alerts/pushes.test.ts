import { type WalletAddress } from '@juicebar/contract/addresses'
import { MAX_PUSH_SUBSCRIPTIONS } from '@juicebar/contract/limits'
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { pushSales } from '../../src/alerts/alert-store.ts'
import { createPushKeys, recordSubscription } from '../../src/alerts/record-alert.ts'
import { startPushes } from '../../src/alerts/run-alerts.ts'
import { connectDatabase } from '../../src/database/connect.ts'
import { createPoster } from '../../src/outgoing/post-message.ts'
import { revokeSession } from '../../src/sign-in/sign-in-store.ts'
import { stampSales } from '../../src/studio/sales/sale-store.ts'
import { collectLog } from '../runtime/collected-log.ts'
import { offer } from '../purchases/baskets/store-market.ts'
import { settledPurchase } from '../studio/sales/sale-market.ts'
import { defaultCatalogue } from '../support/catalogue.ts'
import { openSession, setAlert, useAlertMarkets, waiting } from './alert-market.ts'
import { createBrowser, startPushService, verifySender } from './push-receiver.ts'

const CONTACT = 'https://market.example'

const market = useAlertMarkets()
let service: Awaited<ReturnType<typeof startPushService>>
beforeEach(async () => void (service = await startPushService()))

/** A server that sends pushes, with a connection of its own, until the test is over. */
function servePushes({ log = market.log, allowPrivate = true, attemptMillis = 5_000 } = {}) {
  const { database, close } = connectDatabase(market.databaseUrl, () => undefined)
  const stop = startPushes({
    database,
    catalogue: defaultCatalogue,
    log,
    failures: market.failures,
    contact: CONTACT,
    poster: createPoster({ allowPrivate, attemptMillis }),
  })
  let stopping: Promise<void> | undefined
  const stopOnce = () => (stopping ??= stop().then(close))
  onTestFinished(stopOnce)
  return { stop: stopOnce }
}

/** Two servers tell sellers of the same sales: one has not committed yet when the other begins. */
async function pushSalesTogether(): Promise<number[]> {
  const { connection, database } = market
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

/** A browser of a player, with a session of its own. */
async function subscribe(player: WalletAddress = market.player, { origin } = service) {
  const browser = createBrowser(origin)
  const session = { id: await openSession(market, player), player }
  await recordSubscription(market.database, session, browser.subscription)
  return { ...browser, session }
}

const query = async (sql: string, values?: unknown[]) => (await market.connection.pool.query(sql, values)).rows
const count = async (table: 'pushes' | 'push_subscriptions') => Number((await query(`select count(*) from ${table}`))[0]?.count)
const received = (pushes: number) => vi.waitFor(() => expect(service.received).toHaveLength(pushes), waiting)
const counted = (table: 'pushes' | 'push_subscriptions', rows: number) =>
  vi.waitFor(async () => expect(await count(table)).toBe(rows), waiting)

/** Fires an alert of the player. */
async function fire(): Promise<void> {
  await offer(market, market.seller, { amount: 1, price: 1_000_000n })
  await setAlert(market, market.player, 4)
}

async function stampAll(): Promise<void> {
  while ((await stampSales(market.database, 100)) > 0);
}

/** The player buys of what the seller has listed, some time ago. Returns the purchase. */
async function sell(amount: number, { listed = amount, settled = '0 seconds' } = {}): Promise<string> {
  const listingId = await offer(market, market.seller, { amount: listed, price: 4_000_000n })
  const id = await settledPurchase(market, market.player, [{ listingId, amount }])
  await query(`update purchases set settled_at = settled_at - $1::interval`, [settled])
  await stampAll()
  return id
}

describe('a push', () => {
  it('tells each of a player’s browsers of an alert, readable by that browser alone, signed by the market, and nothing about the player', async () => {
    const browsers = [await subscribe(), await subscribe()]
    await fire()
    servePushes()
    await received(2)
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
      expect(JSON.stringify([push.headers, read(push.body)])).not.toContain(market.player)
      expect(() => browsers.find((other) => other.path !== path)!.read(push.body)).toThrow()
    }
    await counted('pushes', 0)
  })

  it('tells a seller how many were sold, once, and nobody else', async () => {
    const browser = await subscribe(market.seller)
    await subscribe(market.player)
    await sell(40, { listed: 1_000 })
    expect(await pushSalesTogether()).toEqual([1, 0])
    servePushes()
    await received(1)
    expect(browser.read(service.received[0]!.body)).toMatchObject({ title: 'You sold 40 Apple Juice', url: '/' })
    expect(await pushSales(market.database, 100)).toBe(0)
  })

  it('is not written again when the chain undoes the payment of a sale', async () => {
    await subscribe(market.seller)
    const id = await sell(10)
    expect(await pushSales(market.database, 100)).toBe(1)
    await query(
      `insert into cases (purchase_id, kind, signature, seller, lamports, deliverable)
       select id, 'vanished', signature, sellers[1], 1, false from purchases where id = $1`,
      [id],
    )
    await stampAll()
    expect(await pushSales(market.database, 100)).toBe(1)
    expect(await count('pushes')).toBe(1)
  })

  it('is not written for sales that are old news', async () => {
    await subscribe(market.seller)
    await sell(10, { settled: '2 hours' })
    expect(await pushSales(market.database, 100)).toBe(1)
    expect(await count('pushes')).toBe(0)
  })

  it('is sent by one of several servers, and by another if that one stops', async () => {
    for (let n = 0; n < 5; n++) await subscribe()
    await fire()
    const servers = [servePushes(), servePushes(), servePushes()]
    await counted('pushes', 0)
    expect(new Set(service.received.map(({ path }) => path)).size).toBe(5)
    expect(service.received).toHaveLength(5)
    await servers[0]!.stop()
    await fire()
    await received(10)
  })

  it('that a push service does not take is tried again, with the same tag', async () => {
    const browser = await subscribe()
    service.answerWith(503)
    await fire()
    servePushes()
    await received(1)
    service.answerWith(201)
    const rows = await query("select failed_attempts as failed, attempt_at > now() + interval '20 s' as waits from push_subscriptions")
    expect(rows).toEqual([{ failed: 1, waits: true }])
    await query('update push_subscriptions set attempt_at = now()')
    await counted('pushes', 0)
    const [first, second] = service.received.map(({ body }) => browser.read(body))
    expect(second).toEqual(first)
    expect(service.received).toHaveLength(2)
  })

  it.each([404, 410])('that is answered with %i ends the subscription', async (status) => {
    await subscribe()
    service.answerWith(status)
    await fire()
    servePushes()
    await counted('push_subscriptions', 0)
    expect(await count('pushes')).toBe(0)
  })

  it.each([307, 400, 413])('that is answered with %i is given up, and nothing is followed', async (status) => {
    const browser = await subscribe()
    service.answerWith(status)
    await fire()
    servePushes()
    await counted('pushes', 0)
    expect(service.received.map(({ path }) => path)).toEqual([browser.path])
    // A site that takes none is not asked again at once.
    const [subscription] = await query("select attempt_at > now() + interval '20 s' as waits from push_subscriptions")
    expect(subscription).toEqual({ waits: true })
  })

  it('to a push service that does not answer holds up no other', async () => {
    const silent = await startPushService()
    silent.answerWith('never')
    await subscribe(market.player, silent)
    await subscribe()
    await fire()
    servePushes({ attemptMillis: 60_000 })
    await vi.waitFor(() => expect([silent.received.length, service.received.length]).toEqual([1, 1]), waiting)
    await fire()
    await received(2)
    await vi.waitFor(async () => expect([silent.received.length, await count('pushes')]).toEqual([1, 2]), waiting)
  })

  it('goes to no private address', async () => {
    const { log, about } = collectLog()
    await subscribe()
    await fire()
    servePushes({ log, allowPrivate: false })
    await vi.waitFor(() => expect(about('a push service does not take a push')).toMatchObject([{ status: null }]), waiting)
    expect(service.received).toEqual([])
  })
})

describe('a subscription', () => {
  it('ends at logout, with what waits for it', async () => {
    const [gone, kept] = [await subscribe(), await subscribe()]
    await fire()
    await revokeSession(market.database, gone.session.id)
    expect([await count('push_subscriptions'), await count('pushes')]).toEqual([1, 1])
    servePushes()
    await vi.waitFor(() => expect(service.received.map(({ path }) => path)).toEqual([kept.path]), waiting)
    await expect(recordSubscription(market.database, gone.session, gone.subscription)).rejects.toMatchObject({
      code: 'SESSION_ENDED',
    })
  })

  it('is sent nothing once its session has expired, and goes with it', async () => {
    const [expired, kept] = [await subscribe(), await subscribe()]
    await fire()
    await query(`update sessions set expires_at = now() where id = $1`, [expired.session.id])
    servePushes()
    await counted('pushes', 1)
    expect(service.received.map(({ path }) => path)).toEqual([kept.path])
    await query('delete from sessions where expires_at <= now()')
    expect([await count('push_subscriptions'), await count('pushes')]).toEqual([1, 0])
  })

  it('moves with its browser to whoever signs in there next', async () => {
    const { subscription } = await subscribe()
    const id = await openSession(market, market.seller)
    await recordSubscription(market.database, { id, player: market.seller }, subscription)
    const rows = await query('select session_id as id, wallet_address as wallet from push_subscriptions')
    expect(rows).toEqual([{ id, wallet: market.seller }])
  })

  it('of one browser by two sessions at the same time belongs to one of them', async () => {
    const { subscription } = createBrowser('https://push.example')
    const wallets = [market.player, market.seller]
    const sessions = await Promise.all(wallets.map(async (player) => ({ id: await openSession(market, player), player })))
    await Promise.all(sessions.flatMap((one) => [one, one, one]).map((one) => recordSubscription(market.database, one, subscription)))
    expect(await count('push_subscriptions')).toBe(1)
  })

  it(`is one of the ${MAX_PUSH_SUBSCRIPTIONS} newest of its wallet`, async () => {
    const first = await subscribe()
    for (let n = 0; n < MAX_PUSH_SUBSCRIPTIONS; n++) await subscribe()
    expect(await count('push_subscriptions')).toBe(MAX_PUSH_SUBSCRIPTIONS)
    const rows = await query('select 1 from push_subscriptions where session_id = $1', [first.session.id])
    expect(rows).toEqual([])
  })

  it('is one of as many, however many of its wallet come at the same time', async () => {
    const sessions = await Promise.all(Array.from({ length: 2 * MAX_PUSH_SUBSCRIPTIONS }, () => openSession(market, market.player)))
    const { database, close } = connectDatabase(market.databaseUrl, () => undefined)
    onTestFinished(close)
    const subscribing = sessions.map((id, index) => {
      const { subscription } = createBrowser(service.origin)
      return recordSubscription(index % 2 === 0 ? market.database : database, { id, player: market.player }, subscription)
    })
    await Promise.all(subscribing)
    expect(await count('push_subscriptions')).toBe(MAX_PUSH_SUBSCRIPTIONS)
  })

  it('has at most a hundred pushes waiting', async () => {
    await subscribe()
    await query(`select queue_push($1, 'alert', 'APPLE_JUICE', 1) from generate_series(1, 130)`, [market.player])
    expect(await count('pushes')).toBe(100)
  })
})

it('the keys are generated once, by whichever server needs them first', async () => {
  const other = connectDatabase(market.databaseUrl, () => undefined)
  onTestFinished(() => other.close())
  const { database } = market
  const keys = await Promise.all([database, other.database, database, other.database].map(createPushKeys))
  expect(new Set(keys.map(({ publicKey, privateKey }) => `${publicKey} ${privateKey}`)).size).toBe(1)
})
