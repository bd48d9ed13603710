import { parseWalletAddress } from '@juicebar/contract/addresses'
import { type Alert } from '@juicebar/contract/schemas'
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'

import { postStudioOrder } from '../../src/inventory/post-studio-order.ts'
import { recordBlock } from '../../src/studio/record-restrictions.ts'
import { useDatabase } from '../support/fresh-database.ts'
import { collectLog } from '../runtime/collected-log.ts'
import { signInAt } from '../studio/staff/desk-client.ts'
import { openApp } from '../support/start-app.ts'
import { waiting } from './alert-market.ts'
import { createBrowser, startPushService } from './push-receiver.ts'

const nobody = '01a1f7d2-f049-703c-aa02-0770f4434472'

const database = useDatabase()
const { log, about } = collectLog()
let app: Awaited<ReturnType<typeof openApp>>
let player: Player
let other: Player

beforeAll(async () => {
  app = await openApp(database.url, { log, settings: { WEBHOOK_ALLOW_PRIVATE: 'on' } })
  await vi.waitFor(async () => expect((await app.get('/health/ready')).status).toBe(200), waiting)
})
afterAll(() => app.stop())
beforeEach(async () => void ([player, other] = await Promise.all([addPlayer(), addPlayer()])))

type Player = Awaited<ReturnType<typeof addPlayer>>

/** A player with apple juice, who is signed in. */
async function addPlayer() {
  const { origin } = app
  const { wallet, token } = await signInAt(origin)
  const walletAddress = parseWalletAddress(wallet.address)!
  const order = { walletAddress, tokenType: 'APPLE_JUICE', amount: 100, idempotencyKey: walletAddress } as const
  await postStudioOrder({ database: database.database, log }, { ...order, direction: 'credit' })
  const call = async (method: string, path: string, body?: unknown) => {
    const headers = { authorization: `Bearer ${token}`, ...(body !== undefined && { 'content-type': 'application/json' }) }
    const reply = await fetch(`${origin}/api${path}`, { method, headers, ...(body !== undefined && { body: JSON.stringify(body) }) })
    const text = await reply.text()
    return { status: reply.status, body: text === '' ? undefined : JSON.parse(text) }
  }
  return {
    address: wallet.address,
    token,
    call,
    alerts: () => call('GET', '/marketplace/alerts'),
    setAlert: (body: unknown) => call('POST', '/marketplace/alerts', body),
    deleteAlert: (id: string) => call('DELETE', `/marketplace/alerts/${id}`),
    list: (amount: number, price: number) => call('POST', '/marketplace/listings', { tokenType: 'APPLE_JUICE', amount, price }),
    push: () => call('GET', '/marketplace/push'),
    subscribe: (subscription: unknown) => call('PUT', '/marketplace/push', subscription),
  }
}

/** Reads a player's event stream, as text that grows. */
async function readEvents(token?: string) {
  const closing = new AbortController()
  onTestFinished(() => closing.abort())
  const headers = { ...(token !== undefined && { authorization: `Bearer ${token}` }) }
  const reply = await fetch(`${app.origin}/api/marketplace/events`, { headers, signal: closing.signal })
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
  const apple = { tokenType: 'APPLE_JUICE' }

  it('set one, list it and delete it', async () => {
    const set = await player.setAlert({ tokenType: 'Orange Juice', below: 0.000004 })
    expect(set).toMatchObject({ status: 201, body: { alert: { tokenType: 'ORANGE_JUICE', below: 0.000004, firedAt: null, price: null } } })
    expect(await player.alerts()).toEqual({ status: 200, body: { alerts: [set.body.alert] } })
    expect(await player.deleteAlert(set.body.alert.id)).toEqual({ status: 200, body: set.body })
    expect(await player.deleteAlert(set.body.alert.id)).toMatchObject(refused(404, 'ALERT_NOT_FOUND'))
    expect(await player.alerts()).toEqual({ status: 200, body: { alerts: [] } })
  })

  it.each<[wish: object, status: number, code?: string]>([
    [{ ...apple, below: 0 }, 400, 'ALERT_PRICE_INVALID'],
    [{ ...apple, below: -1 }, 400, 'ALERT_PRICE_INVALID'],
    [{ ...apple, below: 0.0000001 }, 400, 'ALERT_PRICE_INVALID'],
    [{ ...apple, below: 0.0040000001 }, 400, 'ALERT_PRICE_INVALID'],
    [{ ...apple, below: 1_000_001 }, 400, 'ALERT_PRICE_INVALID'],
    [{ tokenType: 'WATER', below: 1 }, 400, 'TOKEN_TYPE_UNKNOWN'],
    [{ ...apple, below: 1, wallet: 'x' }, 400],
    [{ ...apple, below: '1' }, 400],
  ])('refuse %j', async (wish, status, code) => {
    expect(await player.setAlert(wish)).toMatchObject({ status, ...(code !== undefined && { body: { code } }) })
  })

  it('refuse what belongs to another', async () => {
    const { body } = await player.setAlert({ ...apple, below: 0.001 })
    for (const id of [body.alert.id, nobody, 'x']) expect(await other.deleteAlert(id)).toMatchObject(refused(404, 'ALERT_NOT_FOUND'))
    expect((await fetch(`${app.origin}/api/marketplace/alerts`)).status).toBe(401)
  })

  it('set none for a blocked wallet, which may still delete what it has set', async () => {
    const { body } = await player.setAlert({ ...apple, below: 0.001 })
    const wallet = parseWalletAddress(player.address)!
    await recordBlock(database.database, {
      wallet,
      reason: 'Sells what others paid for',
      until: null,
      removeListings: false,
      actor: 'test',
    })
    expect(await player.setAlert({ ...apple, below: 0.002 })).toMatchObject(refused(403, 'BLOCKED'))
    expect(await player.deleteAlert(body.alert.id)).toMatchObject({ status: 200 })
  })

  it('lead to one event on the streams of whoever set it, as soon as somebody else’s offer is there', async () => {
    const streams = { own: await readEvents(player.token), other: await readEvents(other.token), open: await readEvents() }
    const { body } = await player.setAlert({ ...apple, below: 0.004 })
    expect(body.alert.firedAt).toBeNull()
    expect(await player.list(1, 0.001)).toMatchObject({ status: 201 })
    expect(await other.list(2, 0.008)).toMatchObject({ status: 201 })
    await expect.poll(() => streams.own.text, waiting).toContain('event: alert.fired')
    const data = /event: alert\.fired\ndata: (.*)\n/.exec(streams.own.text)?.[1] ?? '{}'
    const fired: { alert: Alert } = JSON.parse(data)
    expect(fired.alert).toEqual({ ...body.alert, price: 0.004, firedAt: expect.any(String) })
    expect(await player.alerts()).toEqual({ status: 200, body: { alerts: [fired.alert] } })
    await other.list(1, 0.002)
    await expect.poll(() => streams.other.text, waiting).toContain('"price" : 0.002')
    expect(streams.own.text.match(/alert\.fired\n/g)).toHaveLength(1)
    expect([streams.other.text, streams.open.text].join('')).not.toContain('alert.fired')
  })
})

describe('the calls of pushes', () => {
  const endpoint = 'https://push.example/send/1'
  const own = () => {
    const { p256dh, auth } = createBrowser('https://push.example').subscription
    return { endpoint, keys: { p256dh, auth } }
  }
  const count = async () => (await database.pool.query('select from push_subscriptions')).rowCount

  it('say the market’s key, subscribe a browser, end that at logout, and on wish', async () => {
    const before = await player.push()
    expect(before).toEqual({ status: 200, body: { publicKey: expect.stringMatching(/^B[\w-]{86}$/), endpoint: null } })
    expect(await player.subscribe(own())).toEqual({ status: 204, body: undefined })
    expect(await player.push()).toEqual({ status: 200, body: { ...before.body, endpoint } })
    expect((await other.push()).body.endpoint).toBeNull()
    expect(await player.call('DELETE', '/marketplace/push')).toEqual({ status: 204, body: undefined })
    expect((await player.push()).body.endpoint).toBeNull()

    await player.subscribe(own())
    expect(await count()).toBe(1)
    expect(await player.call('POST', '/auth/logout')).toMatchObject({ status: 204 })
    expect(await count()).toBe(0)
    expect(await player.subscribe(own())).toMatchObject(refused(401, 'SESSION_ENDED'))
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
  ])('refuse to send to %s', async (given) => {
    expect(await player.subscribe({ ...own(), endpoint: given })).toMatchObject(refused(400, 'PUSH_SUBSCRIPTION_INVALID'))
  })

  it('refuse to send to an address that is too long', async () => {
    expect(await player.subscribe({ ...own(), endpoint: `https://push.example/${'x'.repeat(1_024)}` })).toMatchObject({ status: 400 })
  })

  it('lead to no request to a private address, even where webhooks may make some, and to no address in the log', async () => {
    const service = await startPushService()
    expect((await player.subscribe(own())).status).toBe(204)
    // As if its name had led elsewhere when it was subscribed.
    await database.pool.query('update push_subscriptions set endpoint = $1', [`${service.origin}/secret-of-a-browser`])
    await database.pool.query(`select queue_push(wallet_address, 'alert', 'APPLE_JUICE', 1) from push_subscriptions`)
    const words = 'a push service does not take a push'
    await expect.poll(() => about(words), waiting).toMatchObject([{ pushService: `127.0.0.1:${service.port}`, status: null }])
    expect(service.received).toEqual([])
    expect(JSON.stringify(about(''))).not.toContain('secret-of-a-browser')
    await database.pool.query('delete from push_subscriptions')
  })

  const { keys } = own()
  it.each([
    ['a point off the curve', { p256dh: Buffer.from(keys.p256dh, 'base64url').fill(7, 40).toString('base64url') }],
    ['too short a point', { p256dh: 'BA' }],
    ['no base64url for a point', { p256dh: '!'.repeat(87) }],
    ['too short a secret', { auth: 'AA' }],
    ['no base64url for a secret', { auth: keys.auth.replace(/^./, '!') }],
  ])('refuse keys that encrypt nothing: %s', async (_what, wrong) => {
    expect(await player.subscribe({ endpoint, keys: { ...keys, ...wrong } })).toMatchObject(refused(400, 'PUSH_SUBSCRIPTION_INVALID'))
  })
})
