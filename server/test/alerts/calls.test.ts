import { parseWalletAddress } from '@juicebar/contract/addresses'
import { type Alert } from '@juicebar/contract/schemas'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'

import { postStudioOrder } from '../../src/inventory/post-studio-order.ts'
import { type FreshDatabase, freshDatabase } from '../support/fresh-database.ts'
import { collectLog } from '../logging/collected-log.ts'
import { signInAt } from '../studio/staff/desk-client.ts'
import { startApp } from '../support/start-app.ts'
import { waiting } from './alert-market.ts'
import { createBrowser, startPushService } from './push-receiver.ts'

const nobody = '01a1f7d2-f049-703c-aa02-0770f4434472'

let fresh: FreshDatabase

beforeAll(async () => void (fresh = await freshDatabase()))
afterAll(() => fresh.drop())

async function openCalls(options: Parameters<typeof startApp>[1] = {}) {
  const app = await startApp(fresh.url, options)
  await expect.poll(async () => (await app.get('/health/ready')).status, waiting).toBe(200)
  const { origin, connection } = app
  /** A player with apple juice. */
  const addPlayer = async () => {
    const { wallet, token } = await signInAt(origin)
    const walletAddress = parseWalletAddress(wallet.address)!
    const order = { walletAddress, tokenType: 'APPLE_JUICE', amount: 100, idempotencyKey: walletAddress } as const
    await postStudioOrder({ database: connection.database, log: collectLog().log }, { ...order, direction: 'credit' })
    const call = async (method: string, path: string, body?: unknown) => {
      const headers = { authorization: `Bearer ${token}`, ...(body !== undefined && { 'content-type': 'application/json' }) }
      const reply = await fetch(`${origin}/api${path}`, { method, headers, ...(body !== undefined && { body: JSON.stringify(body) }) })
      const text = await reply.text()
      return { status: reply.status, body: text === '' ? undefined : JSON.parse(text) }
    }
    return {
      token,
      call,
      list: (amount: number, price: number) => call('POST', '/marketplace/listings', { tokenType: 'APPLE_JUICE', amount, price }),
    }
  }
  return { origin, addPlayer, pool: connection.pool }
}

/** Reads a player's event stream, as text that grows. */
async function readEvents(origin: string, token?: string) {
  const closing = new AbortController()
  onTestFinished(() => closing.abort())
  const reply = await fetch(`${origin}/api/marketplace/events`, {
    headers: { ...(token !== undefined && { authorization: `Bearer ${token}` }) },
    signal: closing.signal,
  })
  const seen = { text: '' }
  const read = async () => {
    for await (const chunk of reply.body!.pipeThrough(new TextDecoderStream())) seen.text += chunk
  }
  read().catch(() => undefined)
  await expect.poll(() => seen.text, waiting).toContain('event: ready')
  return seen
}

const refused = (status: number, code: string) => ({ status, body: { code } })

describe('the calls of alerts', () => {
  it('set one, list it and delete it', async () => {
    const { addPlayer } = await openCalls()
    const { call } = await addPlayer()
    const set = await call('POST', '/marketplace/alerts', { tokenType: 'Orange Juice', below: 0.000004 })
    expect(set).toMatchObject({ status: 201, body: { alert: { tokenType: 'ORANGE_JUICE', below: 0.000004, firedAt: null, price: null } } })
    expect(await call('GET', '/marketplace/alerts')).toEqual({ status: 200, body: { alerts: [set.body.alert] } })
    expect(await call('DELETE', `/marketplace/alerts/${set.body.alert.id}`)).toEqual({ status: 200, body: set.body })
    expect(await call('DELETE', `/marketplace/alerts/${set.body.alert.id}`)).toMatchObject(refused(404, 'ALERT_NOT_FOUND'))
    expect(await call('GET', '/marketplace/alerts')).toEqual({ status: 200, body: { alerts: [] } })
  })

  it('refuse what is wrong, and what belongs to another', async () => {
    const { addPlayer, origin } = await openCalls()
    const [player, other] = [await addPlayer(), await addPlayer()]
    for (const below of [0, -1, 0.0000001, 0.0040000001, 1_000_001])
      expect(await player.call('POST', '/marketplace/alerts', { tokenType: 'APPLE_JUICE', below })).toMatchObject(
        refused(400, 'ALERT_PRICE_INVALID'),
      )
    expect(await player.call('POST', '/marketplace/alerts', { tokenType: 'WATER', below: 1 })).toMatchObject(
      refused(400, 'TOKEN_TYPE_UNKNOWN'),
    )
    expect(await player.call('POST', '/marketplace/alerts', { tokenType: 'APPLE_JUICE', below: 1, wallet: 'x' })).toMatchObject({
      status: 400,
    })
    expect(await player.call('POST', '/marketplace/alerts', { tokenType: 'APPLE_JUICE', below: '1' })).toMatchObject({ status: 400 })
    const { body } = await player.call('POST', '/marketplace/alerts', { tokenType: 'APPLE_JUICE', below: 0.001 })
    for (const id of [body.alert.id, nobody, 'x'])
      expect(await other.call('DELETE', `/marketplace/alerts/${id}`)).toMatchObject(refused(404, 'ALERT_NOT_FOUND'))
    expect((await fetch(`${origin}/api/marketplace/alerts`)).status).toBe(401)
  })

  it('lead to one event on the streams of whoever set it, as soon as somebody else’s offer is there', async () => {
    const { addPlayer, origin } = await openCalls()
    const [player, seller] = [await addPlayer(), await addPlayer()]
    const streams = {
      own: await readEvents(origin, player.token),
      other: await readEvents(origin, seller.token),
      open: await readEvents(origin),
    }
    const { body } = await player.call('POST', '/marketplace/alerts', { tokenType: 'APPLE_JUICE', below: 0.004 })
    expect(body.alert.firedAt).toBeNull()
    expect(await player.list(1, 0.001)).toMatchObject({ status: 201 })
    expect(await seller.list(2, 0.008)).toMatchObject({ status: 201 })
    await expect.poll(() => streams.own.text, waiting).toContain('event: alert.fired')
    const data = /event: alert\.fired\ndata: (.*)\n/.exec(streams.own.text)?.[1] ?? '{}'
    const fired: { alert: Alert } = JSON.parse(data)
    expect(fired.alert).toEqual({ ...body.alert, price: 0.004, firedAt: expect.any(String) })
    expect(await player.call('GET', '/marketplace/alerts')).toEqual({ status: 200, body: { alerts: [fired.alert] } })
    await seller.list(1, 0.002)
    await expect.poll(() => streams.other.text, waiting).toContain('"price" : 0.002')
    expect(streams.own.text.match(/alert\.fired\n/g)).toHaveLength(1)
    expect([streams.other.text, streams.open.text].join('')).not.toContain('alert.fired')
  })
})

describe('the calls of pushes', () => {
  const endpoint = 'https://push.example/send/1'
  const bodyOf = ({ endpoint: given, p256dh, auth }: ReturnType<typeof createBrowser>['subscription']) => ({
    endpoint: given,
    keys: { p256dh, auth },
  })
  const own = () => bodyOf({ ...createBrowser('https://push.example').subscription, endpoint })

  it('say the market’s key, subscribe a browser, end that at logout, and on wish', async () => {
    const { addPlayer, pool } = await openCalls()
    const [player, other] = [await addPlayer(), await addPlayer()]
    const before = await player.call('GET', '/marketplace/push')
    expect(before).toEqual({ status: 200, body: { publicKey: expect.stringMatching(/^B[\w-]{86}$/), endpoint: null } })
    expect(await player.call('PUT', '/marketplace/push', own())).toEqual({ status: 204, body: undefined })
    expect(await player.call('GET', '/marketplace/push')).toEqual({ status: 200, body: { ...before.body, endpoint } })
    expect((await other.call('GET', '/marketplace/push')).body.endpoint).toBeNull()
    expect(await player.call('DELETE', '/marketplace/push')).toEqual({ status: 204, body: undefined })
    expect((await player.call('GET', '/marketplace/push')).body.endpoint).toBeNull()

    await player.call('PUT', '/marketplace/push', own())
    expect((await pool.query('select from push_subscriptions')).rowCount).toBe(1)
    expect(await player.call('POST', '/auth/logout')).toMatchObject({ status: 204 })
    expect((await pool.query('select from push_subscriptions')).rowCount).toBe(0)
    expect(await player.call('PUT', '/marketplace/push', own())).toMatchObject(refused(401, 'SESSION_ENDED'))
  })

  it.each([
    'http://push.example/1',
    'https://127.0.0.1/',
    'https://127.1/',
    'https://2130706433/',
    'https://0x7f000001/',
    'https://0177.0.0.1/',
    'https://0/',
    'https://①②⑦.0.0.1/',
    'https://10.0.0.1:8443/',
    'https://192.168.1.1/',
    'https://169.254.169.254/latest/meta-data/',
    'https://168.63.129.16/',
    'https://[::1]/',
    'https://[::ffff:127.0.0.1]/',
    'https://[64:ff9b::169.254.169.254]/',
    'https://[fe80::1]/',
    'https://user:secret@push.example/',
    'ftp://push.example/',
    'push.example/1',
    `https://push.example/${'x'.repeat(1_024)}`,
  ])('refuse to send to %s', async (given) => {
    const { addPlayer } = await openCalls()
    const { call } = await addPlayer()
    const { status, body } = await call('PUT', '/marketplace/push', { ...own(), endpoint: given })
    expect([status, given.length > 1_024 ? 'PUSH_SUBSCRIPTION_INVALID' : body.code]).toEqual([400, 'PUSH_SUBSCRIPTION_INVALID'])
  })

  it('lead to no request to a private address, even where webhooks may make some, and to no address in the log', async () => {
    const service = await startPushService()
    const { log, about } = collectLog()
    const { addPlayer, pool } = await openCalls({ log, settings: { WEBHOOK_ALLOW_PRIVATE: 'on' } })
    const { call } = await addPlayer()
    expect((await call('PUT', '/marketplace/push', own())).status).toBe(204)
    // As if its name had led elsewhere when it was subscribed.
    await pool.query('update push_subscriptions set endpoint = $1', [`${service.origin}/secret-of-a-browser`])
    await pool.query(`select queue_push(wallet_address, 'alert', 'APPLE_JUICE', 1) from push_subscriptions`)
    const words = 'a push service does not take a push'
    await expect.poll(() => about(words), waiting).toMatchObject([{ pushService: `127.0.0.1:${service.port}`, status: null }])
    expect(service.received).toEqual([])
    expect(JSON.stringify(about(''))).not.toContain('secret-of-a-browser')
    await pool.query('delete from push_subscriptions')
  })

  it('refuse keys that encrypt nothing', async () => {
    const { addPlayer } = await openCalls()
    const { call } = await addPlayer()
    const { keys } = own()
    const offCurve = Buffer.from(keys.p256dh, 'base64url').fill(7, 40).toString('base64url')
    for (const wrong of [
      { p256dh: offCurve },
      { p256dh: 'BA' },
      { p256dh: '!'.repeat(87) },
      { auth: 'AA' },
      { auth: keys.auth.replace(/^./, '!') },
    ])
      expect(await call('PUT', '/marketplace/push', { endpoint, keys: { ...keys, ...wrong } })).toMatchObject(
        refused(400, 'PUSH_SUBSCRIPTION_INVALID'),
      )
  })
})
