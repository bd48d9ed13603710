import { randomUUID } from 'node:crypto'
import { signedCalls } from '@juicebar/contract/endpoints/signed'
import { CHALLENGE_SECONDS, MAX_OPEN_CHALLENGES } from '@juicebar/contract/limits'
import { scopes } from '@juicebar/contract/scopes'
import { beforeEach, describe, expect, it } from 'vitest'
import { deleteOldChallenges, spendChallenge } from '../../../src/studio/staff/staff-store.ts'
import { createWallet } from '../../sign-in/wallet.ts'
import { refused, startStudio, useStudio } from '../studio-client.ts'
import { deskOf, openDesk, type Signature } from './desk-client.ts'

const studio = useStudio({ settings: { PRODUCT_NAME: 'Corner Bar', PUBLIC_ORIGIN: 'https://bar.example' } })
let desk: Awaited<ReturnType<typeof openDesk>>

beforeEach(async () => void (desk = await openDesk(studio, { scopes })))

const newKey = (name = 'a key') => JSON.stringify({ name, scopes: ['read'] })
const orderTo = (wallet: string) => ({ walletAddress: wallet, tokenType: 'APPLE_JUICE', amount: 1, idempotencyKey: wallet })
const signKey = () => desk.sign('POST', '/keys', newKey())
const post = (text: string, signed?: Partial<Signature>, path = '/keys') => desk.call('POST', path, { text, signed })
const forbidden = (code: string) => refused(403, code)
const keysMade = async () => (await studio.pool.query<{ n: number }>('select count(*)::integer as n from studio_keys')).rows[0]?.n ?? 0
const age = (id: string, seconds: number) =>
  studio.pool.query('update studio_challenges set expires_at = expires_at - make_interval(secs => $2) where id = $1', [id, seconds])

describe('a fresh signature', () => {
  it('lets one call be made, once, on whichever server', async () => {
    const other = await startStudio(studio.url)
    const signed = await signKey()
    const made = await deskOf(other, desk).call('POST', '/keys', { text: newKey(), signed })
    expect(made).toMatchObject({ status: 201, body: { key: { createdBy: desk.wallet.address } } })
    for (const server of [studio, other]) {
      const again = await deskOf(server, desk).call('POST', '/keys', { text: newKey(), signed })
      expect(again).toMatchObject(forbidden('CHALLENGE_USED'))
    }
  })

  it('lets one of many calls through that use it at the same time', async () => {
    const other = deskOf(await startStudio(studio.url), desk)
    const signed = await signKey()
    const before = await keysMade()
    const replies = await Promise.all(
      Array.from({ length: 20 }, (_, index) => (index % 2 ? desk : other).call('POST', '/keys', { text: newKey(), signed })),
    )
    expect(replies.map(({ body }) => String(body.code ?? 'made')).toSorted()).toEqual([
      ...Array.from({ length: 19 }, () => 'CHALLENGE_USED'),
      'made',
    ])
    expect(await keysMade()).toBe(before + 1)
  })

  it('is needed for each of these calls, and by keys for none', async () => {
    const wallet = createWallet().address
    const order = orderTo(wallet)
    const calls: [string, string, object?][] = [
      ['POST', '/credits', order],
      ['POST', '/debits', { ...order, idempotencyKey: `${wallet} back` }],
      ['POST', '/orders', { orders: [{ direction: 'credit', ...order }] }],
      ['POST', '/keys', { name: 'a key', scopes: ['read'] }],
      ['DELETE', `/keys/${(await studio.createKey({ scopes: ['read'] })).id}`],
      ['PUT', `/staff/${wallet}`],
      ['DELETE', `/staff/${wallet}?reason=she%20left`],
      ['POST', `/purchases/${randomUUID()}/release`, { reason: 'nobody can tell' }],
      ['POST', `/recoveries/${randomUUID()}/accept`, { reason: 'no endpoint keeps the blocks' }],
      ['POST', '/webhooks', { url: 'https://game.example/market', events: ['sale.settled'] }],
      ['POST', `/webhooks/${randomUUID()}/rotate?reason=it%20leaked`],
    ]
    expect(calls).toHaveLength(signedCalls.length)
    for (const [method, path, body] of calls) {
      const text = body && JSON.stringify(body)
      expect([path, await desk.call(method, path, { text })]).toMatchObject([path, forbidden('CHALLENGE_NEEDED')])
      const { status, body: reply } = await desk.callSigned(method, path, body)
      expect([path, reply.code ?? status]).toEqual([
        path,
        expect.toBeOneOf([200, 201, 'PURCHASE_NOT_FOUND', 'RECOVERY_NOT_FOUND', 'WEBHOOK_NOT_FOUND']),
      ])
      expect((await studio.call(method, path, { body })).status).not.toBe(403)
    }
  })
})

describe('refused is', () => {
  it('a call without a signature, or with half of it', async () => {
    const { challenge, signature } = await signKey()
    for (const signed of [undefined, { challenge }, { signature }]) {
      expect(await post(newKey(), signed)).toMatchObject(forbidden('CHALLENGE_NEEDED'))
    }
    expect((await post(newKey(), { challenge, signature })).status).toBe(201)
  })

  it('another body, however alike', async () => {
    const signed = await signKey()
    for (const text of [newKey('another'), `${newKey()} `, newKey().replace('"a key"', '"\\u0061 key"')]) {
      expect(await post(text, signed)).toMatchObject(forbidden('CHALLENGE_BODY_DIFFERS'))
    }
    expect((await post(newKey(), signed)).status).toBe(201)
  })

  it('another call', async () => {
    const wallet = createWallet().address
    const order = JSON.stringify(orderTo(wallet))
    const signed = await desk.sign('POST', '/debits', order)
    expect(await post(order, signed, '/credits')).toMatchObject(forbidden('CHALLENGE_CALL_DIFFERS'))
    const removal = await desk.sign('DELETE', `/staff/${wallet}`)
    for (const [method, path] of [
      ['DELETE', desk.wallet.address],
      ['DELETE', `${wallet}?reason=x`],
      ['PUT', wallet],
    ] as const) {
      expect(await desk.call(method, `/staff/${path}`, { signed: removal })).toMatchObject(forbidden('CHALLENGE_CALL_DIFFERS'))
    }
  })

  it('another wallet, and what another wallet has signed', async () => {
    const thief = await openDesk(studio, { scopes })
    const { challenge, message, signature } = await signKey()
    const theirs = { text: newKey(), signed: { challenge, signature } }
    expect(await thief.call('POST', '/keys', theirs)).toMatchObject(forbidden('CHALLENGE_WALLET_DIFFERS'))
    const forged = [thief.wallet.sign(message), desk.wallet.sign(`${message} `), desk.wallet.sign(''), '1'.repeat(64), 'no signature']
    for (const wrong of forged) {
      expect(await post(newKey(), { challenge, signature: wrong })).toMatchObject(forbidden('CHALLENGE_SIGNATURE_INVALID'))
    }
    expect((await post(newKey(), { challenge, signature })).status).toBe(201)
  })

  it('a signature that comes too late', async () => {
    const [late, inTime] = [await signKey(), await signKey()]
    await age(late.challenge, CHALLENGE_SECONDS)
    await age(inTime.challenge, CHALLENGE_SECONDS / 2)
    expect(await post(newKey(), late)).toMatchObject(forbidden('CHALLENGE_EXPIRED'))
    expect((await post(newKey(), inTime)).status).toBe(201)
    // Also where its time ends after it was looked at.
    expect(await spendChallenge(studio.database, late.challenge)).toBe(false)
  })

  it('a challenge that nobody has made', async () => {
    const { signature } = await signKey()
    for (const challenge of [randomUUID(), 'x', "' or 1=1--"]) {
      expect(await post(newKey(), { challenge, signature })).toMatchObject(forbidden('CHALLENGE_NOT_FOUND'))
    }
  })

  it('the signature of a sign-in', async () => {
    const { challenge } = await signKey()
    const headers = { 'content-type': 'application/json' }
    const body = JSON.stringify({ walletAddress: desk.wallet.address })
    const reply = await fetch(`${studio.origin}/api/auth/nonce`, { method: 'POST', headers, body })
    const { message } = (await reply.json()) as { message: string }
    expect(await post(newKey(), { challenge, signature: desk.wallet.sign(message) })).toMatchObject(
      forbidden('CHALLENGE_SIGNATURE_INVALID'),
    )
  })

  it('what is wrong in itself, before the signature is used up', async () => {
    const reader = await openDesk(studio, { scopes: ['read'] })
    const signed = await reader.sign('POST', '/keys', newKey())
    expect(await reader.call('POST', '/keys', { text: newKey(), signed })).toMatchObject(forbidden('INSUFFICIENT_SCOPE'))
    expect(await post('{"name":"a key"}', await signKey())).toMatchObject({ status: 400 })
    const { rows } = await studio.pool.query('select from studio_challenges where id = $1 and used_at is null', [signed.challenge])
    expect(rows).toHaveLength(1)
  })
})

describe('a challenge', () => {
  it('says in words what will be done, where', async () => {
    const wallet = createWallet().address
    const order = { ...orderTo(wallet), amount: 25, reason: 'quest 17\nfor Ann' }
    const { challenge } = (await desk.challenge('POST', '/credits', JSON.stringify(order))).body
    const [title, action, reason, gap, call, hash, id, ...rest] = challenge.message.split('\n')
    expect([title, action, reason, gap, call, id, rest]).toEqual([
      'Confirm at the studio desk of Corner Bar, bar.example',
      `Credit 25 APPLE_JUICE to ${wallet}, idempotency key "${wallet}"`,
      'Reason: "quest 17�for Ann"',
      '',
      'POST /api/studio/credits',
      `Challenge: ${challenge.id}`,
      [],
    ])
    expect(hash).toMatch(/^SHA-256 of the body: [0-9a-f]{64}$/)
    expect(challenge.millisLeft).toBeGreaterThan((CHALLENGE_SECONDS - 60) * 1000)
    expect(challenge.millisLeft).toBeLessThanOrEqual(CHALLENGE_SECONDS * 1000)
  })

  it('says what a webhook, its secret and a recovery are about', async () => {
    const wordsOf = async (path: string, body?: object) =>
      (await desk.challenge('POST', path, body && JSON.stringify(body))).body.challenge.message.split('\n')[1]
    const events = ['sale.settled', 'case.opened']
    expect(await wordsOf('/webhooks', { url: 'https://game.example/market', events })).toBe(
      'Have sale.settled, case.opened posted to "https://game.example/market"',
    )
    const leaving = `/keys/${randomUUID()}?reason=it%20leaked`
    expect((await desk.challenge('DELETE', leaving)).body.challenge.message.split('\n')[2]).toBe('Reason: "it leaked"')
    const id = randomUUID()
    expect(await wordsOf(`/webhooks/${id}/rotate`)).toBe(`Rotate the secret of the webhook ${id}`)
    expect(await wordsOf(`/recoveries/${id}/accept`, { reason: 'x' })).toBe(
      `Open the market although the recovery ${id} could not check everything`,
    )
  })

  it('is made only for calls that need one, with a body that they would take', async () => {
    for (const [method, path] of [
      ['POST', '/cases'],
      ['DELETE', '/pause'],
      ['POST', '/challenges'],
      ['POST', '/keys/x'],
      ['PUT', '/staff'],
    ] as const) {
      expect(await desk.challenge(method, path, '{}')).toMatchObject(refused(409, 'SIGNATURE_NOT_NEEDED'))
    }
    const body = { method: 'POST', path: '/api/studio/keys', body: newKey() }
    expect(await studio.call('POST', '/challenges', { body })).toMatchObject(refused(409, 'SIGNATURE_NOT_NEEDED'))
    expect((await desk.challenge('POST', '/keys', '{"name":')).status).toBe(400)
    expect(await desk.challenge('POST', '/keys', '{"name":"a key"}')).toMatchObject({ body: { code: 'FIELDS_MISSING' } })
    expect(await desk.challenge('POST', '/keys')).toMatchObject({ body: { code: 'FIELDS_MISSING' } })
    expect((await desk.challenge('PUT', `/staff/${createWallet().address}`)).status).toBe(201)
  })

  it('is one of a bounded number, until it is used or over', async () => {
    const signed = await signKey()
    const ask = () => desk.challenge('POST', '/keys', newKey())
    for (let count = 1; count < MAX_OPEN_CHALLENGES; count++) expect((await ask()).status).toBe(201)
    expect(await ask()).toMatchObject(refused(429, 'TOO_MANY_REQUESTS'))
    const others = await openDesk(studio, { scopes })
    expect((await others.challenge('POST', '/keys', newKey())).status).toBe(201)
    expect((await post(newKey(), signed)).status).toBe(201)
    const next = await ask()
    expect([next.status, (await ask()).status]).toEqual([201, 429])
    await age(next.body.challenge.id, CHALLENGE_SECONDS)
    expect((await ask()).status).toBe(201)
  })

  it('is deleted some minutes after its time', async () => {
    const [old, young] = [await signKey(), await signKey()]
    await age(old.challenge, CHALLENGE_SECONDS + 601)
    await age(young.challenge, CHALLENGE_SECONDS + 300)
    await deleteOldChallenges(studio.database)
    expect(await post(newKey(), old)).toMatchObject(forbidden('CHALLENGE_NOT_FOUND'))
    expect(await post(newKey(), young)).toMatchObject(forbidden('CHALLENGE_EXPIRED'))
  })
})
