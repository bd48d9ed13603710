import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { text as textOf } from 'node:stream/consumers'

import { scopes } from '@juicebar/contract/scopes'
import { describe, expect, it, onTestFinished } from 'vitest'

import { createWallet } from '../../sign-in/wallet.ts'
import { freshDatabase } from '../../support/fresh-database.ts'
import { refused, startStudio, useStudio } from '../studio-client.ts'
import { deskOf, openDesk, signInAt } from './desk-client.ts'

const studio = useStudio()
const { call, get, createKey } = studio
/** Another server of the same market. */
const start = (settings: Record<string, string> = {}) => startStudio(studio.url, { settings })
const notStaff = refused(403, 'NOT_STAFF')
const tooPowerful = refused(403, 'STAFF_TOO_POWERFUL')

describe('a wallet that is put on the staff', () => {
  it('may read, close cases and set rules, or what was named, on every server at once', async () => {
    const member = await signInAt(studio.origin)
    const { address } = member.wallet
    const desk = deskOf(await start(), member)
    expect(await desk.get('/me')).toMatchObject(notStaff)
    expect((await get(`/staff/${address}`)).body).toEqual({ staff: null })

    const set = await call('PUT', `/staff/${address}`, { body: { name: 'Ann' } })
    const staff = { wallet: address, name: 'Ann', scopes: ['read', 'cases', 'rules'], source: 'call', addedBy: 'root key' }
    expect(set).toMatchObject({ status: 200, body: { staff } })
    expect((await desk.get('/me')).body).toEqual({ me: { wallet: address, name: 'Ann', scopes: staff.scopes } })
    expect((await desk.get('/cases')).status).toBe(200)
    expect((await get(`/staff/${address}`)).body).toEqual(set.body)

    await call('PUT', `/staff/${address}`, { body: { scopes: ['admin'] } })
    expect((await desk.get('/me')).body).toEqual({ me: { wallet: address, name: null, scopes: ['admin'] } })
    expect(await desk.get('/cases')).toMatchObject(refused(403, 'INSUFFICIENT_SCOPE'))
    expect((await desk.get('/staff')).body.staff).toContainEqual(expect.objectContaining({ wallet: address, scopes: ['admin'] }))
  })

  it('is powerless on every server once it is taken off, and stays so when that is repeated', async () => {
    const member = await openDesk(studio, { scopes })
    const desks = [member, deskOf(await start(), member)]
    for (const desk of desks) expect((await desk.get('/cases')).status).toBe(200)
    const signed = await desks[1]!.sign('POST', '/keys', '{"name":"late","scopes":["read"]}')

    const removal = () => call('DELETE', `/staff/${member.wallet.address}?reason=left`)
    expect(await removal()).toEqual({ status: 200, body: { staff: null } })
    for (const desk of desks) {
      expect(await desk.get('/cases')).toMatchObject(notStaff)
      expect(await desk.call('POST', '/keys', { text: '{"name":"late","scopes":["read"]}', signed })).toMatchObject(notStaff)
    }
    expect(await removal()).toEqual({ status: 200, body: { staff: null } })
    const entries = (await get('/log?limit=2')).body.log
    expect(entries).toMatchObject([
      { call: 'removeStaff', subject: member.wallet.address, reason: 'left', key: 'root key', wallet: null },
      { call: 'setStaff', subject: member.wallet.address, reason: `scopes: ${scopes.join(', ')}` },
    ])
  })

  it.each([
    ['PUT', '{"message":"too late"}'],
    ['DELETE', 'null'],
  ])('is powerless in the midst of a call, too: %s with the body %s', async (method, text) => {
    const member = await openDesk(studio, {})
    const pausedBefore = method === 'DELETE'
    if (pausedBefore) await call('PUT', '/pause', { body: { message: 'We refill the ice.' } })
    const headers = {
      authorization: `Bearer ${member.token}`,
      'content-type': 'application/json',
      'content-length': text.length,
      expect: '100-continue',
    }
    const sending = request(`${studio.origin}/api/studio/pause`, { method, headers })
    const answered = once(sending, 'response') as Promise<[IncomingMessage]>
    sending.flushHeaders()
    await once(sending, 'continue')
    await call('PUT', `/staff/${member.wallet.address}`, { body: { scopes: ['read'] } })
    sending.end(text)
    const [reply] = await answered
    expect([reply.statusCode, JSON.parse(await textOf(reply)).code]).toEqual([403, 'INSUFFICIENT_SCOPE'])
    expect((await get('/pause')).body.pause !== null).toBe(pausedBefore)
    await call('DELETE', '/pause')
  })

  it('must be one that somebody can sign with', async () => {
    expect(await call('PUT', `/staff/${'1'.repeat(32)}`, { body: {} })).toMatchObject(refused(400, 'WALLET_CANNOT_SIGN'))
    for (const method of ['GET', 'PUT', 'DELETE']) {
      expect(await call(method, `/staff/${'x'.repeat(40)}0`)).toMatchObject(refused(400, 'WALLET_ADDRESS_INVALID'))
    }
    expect(await call('DELETE', `/staff/${createWallet().address}`)).toMatchObject(refused(404, 'STAFF_NOT_FOUND'))
  })

  it('is one of at most a hundred, of whom one more may come when one has gone', async () => {
    const fresh = await freshDatabase()
    onTestFinished(fresh.drop)
    const own = await startStudio(fresh.url)
    await own.pool.query(
      `insert into studio_staff (wallet_address, scopes, set_by) select 'w' || n, '{read}', 'test' from generate_series(1, 99) n`,
    )
    const wallets = [createWallet().address, createWallet().address]
    const set = (wallet: string | undefined) => own.call('PUT', `/staff/${wallet}`)
    const replies = await Promise.all(wallets.map(set))
    expect(replies.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 409])
    const [member, other] = replies[0]?.status === 200 ? wallets : wallets.toReversed()
    expect(await set(other)).toMatchObject(refused(409, 'TOO_MANY_STAFF'))
    expect((await set(member)).status).toBe(200)
    await own.call('DELETE', `/staff/${member}`)
    expect((await set(other)).status).toBe(200)
    expect((await own.get('/staff')).body.staff).toHaveLength(100)
  })
})

describe('STUDIO_WALLETS', () => {
  it('names who may do everything, until the restart without it', async () => {
    const wallet = createWallet()
    const first = await start({ STUDIO_WALLETS: wallet.address })
    const member = await signInAt(first.origin, wallet)
    expect((await deskOf(first, member).get('/me')).body).toEqual({
      me: { wallet: wallet.address, name: null, scopes: [...scopes] },
    })
    expect((await first.get('/staff')).body.staff).toContainEqual({
      wallet: wallet.address,
      name: null,
      scopes: [...scopes],
      source: 'setting',
      addedAt: null,
      addedBy: null,
    })
    const restarted = await start()
    expect(await deskOf(restarted, member).get('/me')).toMatchObject(notStaff)
  })

  it('does not bring back whom a call has taken off, nor restore what a call has taken away', async () => {
    const [removed, reduced] = [createWallet(), createWallet()]
    const settings = { STUDIO_WALLETS: `${removed.address},${reduced.address}` }
    const first = await start(settings)
    const [formerly, less] = [await signInAt(first.origin, removed), await signInAt(first.origin, reduced)]
    await first.call('DELETE', `/staff/${removed.address}`)
    await first.call('PUT', `/staff/${reduced.address}`, { body: { scopes: ['read'] } })
    const restarted = await start(settings)
    for (const server of [first, restarted]) {
      expect(await deskOf(server, formerly).get('/cases')).toMatchObject(notStaff)
      expect((await deskOf(server, less).get('/me')).body.me.scopes).toEqual(['read'])
    }
    const wallets = (await restarted.get('/staff')).body.staff.map(({ wallet }: { wallet: string }) => wallet)
    expect(wallets).toContain(reduced.address)
    expect(wallets).not.toContain(removed.address)
    await restarted.call('PUT', `/staff/${removed.address}`)
    expect((await deskOf(first, formerly).get('/cases')).status).toBe(200)
  })
})

describe('nobody gives more than they have', () => {
  it('of the staff', async () => {
    const desk = await openDesk(studio, { scopes: ['admin', 'read'] })
    const route = `/staff/${createWallet().address}`
    expect((await desk.callSigned('PUT', route, { scopes: ['read', 'admin'] })).status).toBe(200)
    for (const wish of [{}, { scopes: ['credit'] }, { scopes: ['admin', 'read', 'rules'] }]) {
      expect(await desk.callSigned('PUT', route, wish)).toMatchObject(tooPowerful)
    }
    const key = { name: 'a key', scopes: ['read', 'credit'] }
    expect(await desk.callSigned('POST', '/keys', key)).toMatchObject(refused(403, 'KEY_TOO_POWERFUL'))
  })

  it('with a key: neither beyond its daily limit or its expiry, nor over other keys', async () => {
    const limited = await createKey({ name: 'limited', scopes: ['admin', 'credit', 'read'], dailyCreditLimit: 5 })
    const passing = await createKey({ name: 'passing', scopes: ['admin', 'read'], expiresAt: '2090-01-01T00:00:00Z' })
    const set = (secret: string, given: string[]) =>
      call('PUT', `/staff/${createWallet().address}`, { key: secret, body: { scopes: given } })
    expect((await set(limited.secret, ['read'])).status).toBe(200)
    expect(await set(limited.secret, ['credit'])).toMatchObject(tooPowerful)
    // The staff may end every key, and a key only those below it.
    for (const { secret } of [limited, await createKey({ scopes: ['admin'] })])
      expect(await set(secret, ['admin'])).toMatchObject(tooPowerful)
    expect(await set(passing.secret, ['read'])).toMatchObject(tooPowerful)
  })
})

describe('the log', () => {
  it('names the wallet of the staff, and says that it is one', async () => {
    const desk = await openDesk(studio, { scopes: ['rules', 'admin', 'credit'] })
    const { address } = desk.wallet
    expect((await desk.call('PUT', '/pause', { text: '{"message":"We refill the ice."}' })).body.pause).toMatchObject({ actor: address })
    expect((await desk.call('DELETE', '/pause')).status).toBe(200)
    const order = { walletAddress: address, tokenType: 'APPLE_JUICE', amount: 3, idempotencyKey: address, reason: 'for the tests' }
    const { credit } = (await desk.callSigned('POST', '/credits', order)).body
    const { key } = (await desk.callSigned('POST', '/keys', { name: 'made at the desk', scopes: ['credit'] })).body
    expect(key).toMatchObject({ createdBy: address })
    const by = { key: address, wallet: address }
    expect((await desk.get('/log?limit=4')).body.log).toMatchObject([
      { ...by, call: 'createStudioKey', subject: key.id },
      { ...by, call: 'studioCredit', subject: address, orderId: credit.id, reason: 'for the tests' },
      { ...by, call: 'resumeMarket' },
      { ...by, call: 'pauseMarket', reason: 'We refill the ice.' },
    ])
    await call('POST', '/audits', { key: (await createKey({ name: 'auditor', scopes: ['read'] })).secret })
    expect((await get('/log?limit=1')).body.log).toMatchObject([{ key: 'auditor', wallet: null }])
  })
})

it('who am I: a key has its name, and no wallet', async () => {
  const { secret: key } = await createKey({ name: 'game', scopes: ['credit'] })
  expect((await call('GET', '/me', { key })).body).toEqual({ me: { wallet: null, name: 'game', scopes: ['credit'] } })
  expect((await get('/me')).body).toEqual({ me: { wallet: null, name: 'root key', scopes: [...scopes] } })
})
