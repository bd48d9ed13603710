import { randomUUID } from 'node:crypto'

import { describe, expect, it } from 'vitest'

import { endOverdueCheckouts, overdue } from './overdue.ts'
import { refused, useStudio } from '../studio/studio-client.ts'

const studio = useStudio({ settings: { CHECKOUT_ORIGINS: 'https://game.example' } })
const { call, get, createKey } = studio

const wish = (changes: object = {}) => ({
  tokenType: 'Apple Juice',
  amount: 2,
  returnUrl: 'https://game.example/shop',
  idempotencyKey: randomUUID(),
  ...changes,
})
const make = async (changes: object = {}) => (await call('POST', '/checkouts', { body: wish(changes) })).body.checkout
const publicIdOf = ({ url }: { url: string }) => new URL(url).pathname.replace('/checkout/', '')
const readAsPlayer = async (publicId: string) => {
  const reply = await fetch(`${studio.origin}/api/checkouts/${publicId}`)
  return { status: reply.status, body: (await reply.json()) as { checkout: object } }
}

describe('a checkout of the studio', () => {
  it('is made, read and seen by its player, who learns neither its reference nor its wallet', async () => {
    const wallet = 'GsbwXfJraMomNxBcjYLcG3mxkBUiyWXAB32fGbSMQRdW'
    const { status, body } = await call('POST', '/checkouts', {
      body: wish({ maxLamports: '5000000', wallet, clientReference: 'order 7', expiresInSeconds: 60 }),
    })
    expect(status).toBe(201)
    expect(body.checkout).toEqual({
      id: expect.any(String),
      url: expect.stringMatching(/^http:\/\/localhost:\d+\/checkout\/[\w-]{24}$/),
      status: 'open',
      tokenType: 'APPLE_JUICE',
      amount: 2,
      maxLamports: '5000000',
      wallet,
      clientReference: 'order 7',
      returnUrl: 'https://game.example/shop',
      expiresAt: expect.any(String),
      purchaseId: null,
      buyer: null,
      lamports: null,
      signature: null,
      createdAt: expect.any(String),
    })
    expect(Date.parse(body.checkout.expiresAt) - Date.parse(body.checkout.createdAt)).toBe(60_000)
    expect(await get(`/checkouts/${body.checkout.id}`)).toEqual({ status: 200, body })
    expect(await readAsPlayer(publicIdOf(body.checkout))).toEqual({
      status: 200,
      body: {
        checkout: {
          id: body.checkout.id,
          status: 'open',
          tokenType: 'APPLE_JUICE',
          tokenName: 'Apple Juice',
          amount: 2,
          maxLamports: '5000000',
          returnUrl: 'https://game.example/shop',
          expiresAt: body.checkout.expiresAt,
          millisLeft: expect.any(Number),
        },
      },
    })
  })

  it('is the same one for the same idempotency key, and another request with that key is refused', async () => {
    const body = wish({ clientReference: 'order 8' })
    const replies = await Promise.all([1, 2, 3].map(() => call('POST', '/checkouts', { body })))
    // As a server made it that did not know all of its fields yet.
    await studio.pool.query(`update checkouts set request = request - 'wallet' where id = $1`, [replies[0]?.body.checkout.id])
    replies.push(await call('POST', '/checkouts', { body }))
    expect(new Set(replies.map((reply) => `${reply.status} ${reply.body.checkout.id}`)).size).toBe(1)
    expect(await call('POST', '/checkouts', { body: { ...body, amount: 3 } })).toMatchObject(refused(409, 'IDEMPOTENCY_KEY_REUSED'))
    expect(await call('POST', '/checkouts', { body: { ...body, returnUrl: 'https://game.example/' } })).toMatchObject(
      refused(409, 'IDEMPOTENCY_KEY_REUSED'),
    )
  })

  it.each([
    ['an unknown item', { tokenType: 'MILK' }, 'TOKEN_TYPE_UNKNOWN'],
    ['nothing', { amount: 0 }, 'AMOUNT_INVALID'],
    ['no wallet', { wallet: '1'.repeat(43) }, 'WALLET_ADDRESS_INVALID'],
    ['a wallet far too short', { wallet: 'abc' }, 'WALLET_ADDRESS_INVALID'],
    ['a wallet without a key', { wallet: 'Hwemktm3bZx4tGFfqjr3AYUm64jTppUW5D2j67rBrGcq' }, 'WALLET_CANNOT_SIGN'],
    ['a foreign address', { returnUrl: 'https://evil.example/' }, 'BAD_REQUEST'],
    ['a moment', { expiresInSeconds: 59 }, 'BAD_REQUEST'],
    ['two days', { expiresInSeconds: 86_401 }, 'BAD_REQUEST'],
    ['less than nothing', { maxLamports: '-1' }, 'BAD_REQUEST'],
    ['nothing, which nobody could pay', { maxLamports: '00' }, 'BAD_REQUEST'],
    ['what nobody knows', { price: 1 }, 'BAD_REQUEST'],
  ])('is not made for %s', async (_what, changes, code) => {
    expect(await call('POST', '/checkouts', { body: wish(changes) })).toMatchObject(refused(400, code))
  })

  it('needs the scope checkout, or read to be read', async () => {
    const [seller, reader, other] = await Promise.all(['checkout', 'read', 'credit'].map((scope) => createKey({ scopes: [scope] })))
    const made = await call('POST', '/checkouts', { key: seller.secret, body: wish() })
    expect(made.status).toBe(201)
    const path = `/checkouts/${made.body.checkout.id}`
    const statuses = async (key: string) => {
      const replies = [
        call('POST', '/checkouts', { key, body: wish() }),
        call('GET', path, { key }),
        call('POST', `${path}/expire`, { key }),
      ]
      return (await Promise.all(replies)).map(({ status }) => status)
    }
    expect(await statuses(reader.secret)).toEqual([403, 200, 403])
    expect(await statuses(other.secret)).toEqual([403, 403, 403])
    expect(await statuses(seller.secret)).toEqual([201, 200, 200])
  })

  it('is ended by a call, again with the same answer, and then cannot be paid', async () => {
    const { id } = await make()
    const ended = await call('POST', `/checkouts/${id}/expire`)
    expect(ended).toMatchObject({ status: 200, body: { checkout: { id, status: 'expired', purchaseId: null } } })
    expect(await call('POST', `/checkouts/${id}/expire`)).toEqual(ended)
  })

  it('expires by itself', async () => {
    const made = await make({ expiresInSeconds: 60 })
    await overdue(studio.pool, made.id)
    expect((await get(`/checkouts/${made.id}`)).body.checkout.status).toBe('expired')
    expect((await readAsPlayer(publicIdOf(made))).body.checkout).toMatchObject({ status: 'expired', millisLeft: 0 })
    await endOverdueCheckouts(studio.database)
    const { rows } = await studio.pool.query('select status from checkouts where id = $1', [made.id])
    expect(rows).toEqual([{ status: 'expired' }])
  })

  it('is found by its reference and by its status, page by page', async () => {
    const clientReference = `order ${randomUUID()}`
    const made = [await make({ clientReference }), await make({ clientReference }), await make({ clientReference })]
    await overdue(studio.pool, made[0]!.id)
    const list = async (query: string) =>
      (await get(`/checkouts?clientReference=${encodeURIComponent(clientReference)}&${query}`)).body as {
        checkouts: { id: string }[]
        nextCursor: string | null
      }
    const ids = async (query: string) => (await list(query)).checkouts.map(({ id }) => id)
    expect(await ids('')).toEqual([made[2]!.id, made[1]!.id, made[0]!.id])
    expect(await ids('status=open')).toEqual([made[2]!.id, made[1]!.id])
    expect(await ids('status=expired')).toEqual([made[0]!.id])
    expect(await ids('status=completed')).toEqual([])
    const { nextCursor } = await list('limit=2')
    expect(await ids(`limit=2&cursor=${nextCursor}`)).toEqual([made[0]!.id])
    expect(await get('/checkouts?cursor=x')).toMatchObject(refused(400, 'CURSOR_INVALID'))
  })

  it('does not exist under another name', async () => {
    const { id } = await make()
    for (const path of [`/checkouts/${randomUUID()}`, '/checkouts/x', '/checkouts/x/attempts']) {
      expect(await get(path)).toMatchObject(refused(404, 'CHECKOUT_NOT_FOUND'))
    }
    expect(await call('POST', `/checkouts/${randomUUID()}/expire`)).toMatchObject(refused(404, 'CHECKOUT_NOT_FOUND'))
    for (const publicId of [id, 'x', 'A'.repeat(24)]) expect(await readAsPlayer(publicId)).toMatchObject(refused(404, 'CHECKOUT_NOT_FOUND'))
  })

  it('tells when its page was first opened', async () => {
    const made = await make()
    const attempts = async () => (await get(`/checkouts/${made.id}/attempts`)).body
    expect(await attempts()).toEqual({ openedAt: null, attempts: [] })
    await readAsPlayer(publicIdOf(made))
    const opened = await attempts()
    expect(opened).toEqual({ openedAt: expect.any(String), attempts: [] })
    await readAsPlayer(publicIdOf(made))
    expect(await attempts()).toEqual(opened)
  })
})
