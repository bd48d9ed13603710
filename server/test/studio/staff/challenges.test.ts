import { randomUUID } from 'node:crypto'

import { signedCalls } from '@juicebar/contract/endpoints/signed'
import { CHALLENGE_SECONDS, MAX_OPEN_CHALLENGES } from '@juicebar/contract/limits'
import { scopes } from '@juicebar/contract/scopes'
import pg from 'pg'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'

import { connectDatabase } from '../../../src/database/connect.ts'
import { deleteOldChallenges, spendChallenge } from '../../../src/studio/staff/challenge-store.ts'
import { createWallet } from '../../sign-in/wallet.ts'
import { freshDatabase, type FreshDatabase } from '../../support/fresh-database.ts'
import { startStudio } from '../studio-client.ts'
import { deskOf, type Member, memberOfStaff, type Signature } from './desk-client.ts'

let fresh: FreshDatabase
let pool: pg.Pool
let studio: Awaited<ReturnType<typeof startStudio>>
let member: Member
let desk: ReturnType<typeof deskOf>

beforeAll(async () => {
  fresh = await freshDatabase()
  pool = new pg.Pool({ connectionString: fresh.url, max: 2 })
})
beforeEach(async () => {
  studio = await startStudio(fresh.url, { settings: { PRODUCT_NAME: 'Corner Bar', PUBLIC_ORIGIN: 'https://bar.example' } })
  member = await memberOfStaff(studio, { scopes })
  desk = deskOf(studio.origin, member)
})
afterAll(async () => {
  await pool.end()
  await fresh.drop()
})

const newKey = (name = 'a key') => JSON.stringify({ name, scopes: ['read'] })
const post = (text: string, signed?: Partial<Signature>, path = '/keys') => desk.call('POST', path, { text, signed })
const refused = (code: string) => ({ status: 403, body: { code } })
const keysMade = async () => (await pool.query<{ n: number }>('select count(*)::integer as n from studio_keys')).rows[0]?.n ?? 0
const age = (id: string, seconds: number) =>
  pool.query('update studio_challenges set expires_at = expires_at - make_interval(secs => $2) where id = $1', [id, seconds])

describe('a fresh signature', () => {
  it('lets one call be made, once, on whichever server', async () => {
    const other = await startStudio(fresh.url)
    const signed = await desk.sign('POST', '/keys', newKey())
    const made = await deskOf(other.origin, member).call('POST', '/keys', { text: newKey(), signed })
    expect(made).toMatchObject({ status: 201, body: { key: { createdBy: member.wallet.address } } })
    for (const { origin } of [studio, other]) {
      const again = await deskOf(origin, member).call('POST', '/keys', { text: newKey(), signed })
      expect(again).toMatchObject(refused('CHALLENGE_USED'))
    }
  })

  it('lets one of many calls through that use it at the same time', async () => {
    const other = deskOf((await startStudio(fresh.url)).origin, member)
    const signed = await desk.sign('POST', '/keys', newKey())
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
    const order = { walletAddress: wallet, tokenType: 'APPLE_JUICE', amount: 1, idempotencyKey: wallet }
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
      expect([path, await desk.call(method, path, { text })]).toMatchObject([path, refused('CHALLENGE_NEEDED')])
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
    const { challenge, signature } = await desk.sign('POST', '/keys', newKey())
    for (const signed of [undefined, { challenge }, { signature }]) {
      expect(await post(newKey(), signed)).toMatchObject(refused('CHALLENGE_NEEDED'))
    }
    expect((await post(newKey(), { challenge, signature })).status).toBe(201)
  })

  it('another body, however alike', async () => {
    const signed = await desk.sign('POST', '/keys', newKey())
    for (const text of [newKey('another'), `${newKey()} `, newKey().replace('"a key"', '"\\u0061 key"')]) {
      expect(await post(text, signed)).toMatchObject(refused('CHALLENGE_BODY_DIFFERS'))
    }
    expect((await post(newKey(), signed)).status).toBe(201)
  })

  it('another call', async () => {
    const wallet = createWallet().address
    const order = JSON.stringify({ walletAddress: wallet, tokenType: 'APPLE_JUICE', amount: 1, idempotencyKey: wallet })
    const signed = await desk.sign('POST', '/debits', order)
    expect(await post(order, signed, '/credits')).toMatchObject(refused('CHALLENGE_CALL_DIFFERS'))
    const removal = await desk.sign('DELETE', `/staff/${wallet}`)
    expect(await desk.call('DELETE', `/staff/${member.wallet.address}`, { signed: removal })).toMatchObject(
      refused('CHALLENGE_CALL_DIFFERS'),
    )
    expect(await desk.call('DELETE', `/staff/${wallet}?reason=x`, { signed: removal })).toMatchObject(refused('CHALLENGE_CALL_DIFFERS'))
    expect(await desk.call('PUT', `/staff/${wallet}`, { signed: removal })).toMatchObject(refused('CHALLENGE_CALL_DIFFERS'))
  })

  it('another wallet, and what another wallet has signed', async () => {
    const thief = await memberOfStaff(studio, { scopes })
    const { challenge, message, signature } = await desk.sign('POST', '/keys', newKey())
    const theirs = { text: newKey(), signed: { challenge, signature } }
    expect(await deskOf(studio.origin, thief).call('POST', '/keys', theirs)).toMatchObject(refused('CHALLENGE_WALLET_DIFFERS'))
    const forged = [thief.wallet.sign(message), member.wallet.sign(`${message} `), member.wallet.sign(''), '1'.repeat(64), 'no signature']
    for (const wrong of forged) {
      expect(await post(newKey(), { challenge, signature: wrong })).toMatchObject(refused('CHALLENGE_SIGNATURE_INVALID'))
    }
    expect((await post(newKey(), { challenge, signature })).status).toBe(201)
  })

  it('a signature that comes too late', async () => {
    const [late, inTime] = [await desk.sign('POST', '/keys', newKey()), await desk.sign('POST', '/keys', newKey())]
    await age(late.challenge, CHALLENGE_SECONDS)
    await age(inTime.challenge, CHALLENGE_SECONDS / 2)
    expect(await post(newKey(), late)).toMatchObject(refused('CHALLENGE_EXPIRED'))
    expect((await post(newKey(), inTime)).status).toBe(201)
    // Also where its time ends after it was looked at.
    const connection = connectDatabase(fresh.url, () => undefined)
    expect(await spendChallenge(connection.database, late.challenge)).toBe(false)
    await connection.close()
  })

  it('a challenge that nobody has made', async () => {
    const { signature } = await desk.sign('POST', '/keys', newKey())
    for (const challenge of [randomUUID(), 'x', "' or 1=1--"]) {
      expect(await post(newKey(), { challenge, signature })).toMatchObject(refused('CHALLENGE_NOT_FOUND'))
    }
  })

  it('the signature of a sign-in', async () => {
    const { challenge } = await desk.sign('POST', '/keys', newKey())
    const headers = { 'content-type': 'application/json' }
    const body = JSON.stringify({ walletAddress: member.wallet.address })
    const reply = await fetch(`${studio.origin}/api/auth/nonce`, { method: 'POST', headers, body })
    const { message } = (await reply.json()) as { message: string }
    expect(await post(newKey(), { challenge, signature: member.wallet.sign(message) })).toMatchObject(
      refused('CHALLENGE_SIGNATURE_INVALID'),
    )
  })

  it('what is wrong in itself, before the signature is used up', async () => {
    const reader = deskOf(studio.origin, await memberOfStaff(studio, { scopes: ['read'] }))
    const signed = await reader.sign('POST', '/keys', newKey())
    expect(await reader.call('POST', '/keys', { text: newKey(), signed })).toMatchObject(refused('INSUFFICIENT_SCOPE'))
    expect(await post('{"name":"a key"}', await desk.sign('POST', '/keys', newKey()))).toMatchObject({ status: 400 })
    const { rows } = await pool.query('select from studio_challenges where id = $1 and used_at is null', [signed.challenge])
    expect(rows).toHaveLength(1)
  })
})

describe('a challenge', () => {
  it('says in words what will be done, where', async () => {
    const wallet = createWallet().address
    const order = { walletAddress: wallet, tokenType: 'APPLE_JUICE', amount: 25, idempotencyKey: wallet, reason: 'quest 17\nfor Ann' }
    const { challenge } = (await desk.challenge('POST', '/credits', JSON.stringify(order))).body
    const [title, action, reason, gap, call, hash, id, ...rest] = challenge.message.split('\n')
    expect([title, action, reason, gap, call, id, rest]).toEqual([
      'Confirm at the studio desk of Corner Bar, bar.example',
      `Credit 25 APPLE_JUICE to ${wallet}`,
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
    const id = randomUUID()
    expect(await wordsOf(`/webhooks/${id}/rotate`)).toBe(`Make another secret for the webhook ${id}`)
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
      expect(await desk.challenge(method, path, '{}')).toMatchObject({ status: 409, body: { code: 'SIGNATURE_NOT_NEEDED' } })
    }
    const body = { method: 'POST', path: '/api/studio/keys', body: newKey() }
    expect(await studio.call('POST', '/challenges', { body })).toMatchObject({ status: 409, body: { code: 'SIGNATURE_NOT_NEEDED' } })
    expect((await desk.challenge('POST', '/keys', '{"name":')).status).toBe(400)
    expect(await desk.challenge('POST', '/keys', '{"name":"a key"}')).toMatchObject({ body: { code: 'FIELDS_MISSING' } })
    expect(await desk.challenge('POST', '/keys')).toMatchObject({ body: { code: 'FIELDS_MISSING' } })
    expect((await desk.challenge('PUT', `/staff/${createWallet().address}`)).status).toBe(201)
  })

  it('is one of a bounded number, until it is used or over', async () => {
    const signed = await desk.sign('POST', '/keys', newKey())
    const ask = () => desk.challenge('POST', '/keys', newKey())
    for (let count = 1; count < MAX_OPEN_CHALLENGES; count++) expect((await ask()).status).toBe(201)
    expect(await ask()).toMatchObject({ status: 429, body: { code: 'TOO_MANY_REQUESTS' } })
    const others = deskOf(studio.origin, await memberOfStaff(studio, { scopes }))
    expect((await others.challenge('POST', '/keys', newKey())).status).toBe(201)
    expect((await post(newKey(), signed)).status).toBe(201)
    const next = await ask()
    expect([next.status, (await ask()).status]).toEqual([201, 429])
    await age(next.body.challenge.id, CHALLENGE_SECONDS)
    expect((await ask()).status).toBe(201)
  })

  it('is deleted some minutes after its time', async () => {
    const [old, young] = [await desk.sign('POST', '/keys', newKey()), await desk.sign('POST', '/keys', newKey())]
    await age(old.challenge, CHALLENGE_SECONDS + 601)
    await age(young.challenge, CHALLENGE_SECONDS + 300)
    const connection = connectDatabase(fresh.url, () => undefined)
    await deleteOldChallenges(connection.database)
    await connection.close()
    expect(await post(newKey(), old)).toMatchObject(refused('CHALLENGE_NOT_FOUND'))
    expect(await post(newKey(), young)).toMatchObject(refused('CHALLENGE_EXPIRED'))
  })
})
