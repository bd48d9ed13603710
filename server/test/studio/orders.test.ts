import { randomUUID } from 'node:crypto'

import fc from 'fast-check'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { createWallet } from '../sign-in/wallet.ts'
import { freshDatabase, type FreshDatabase } from '../support/fresh-database.ts'
import { startStudio } from './studio-client.ts'

let fresh: FreshDatabase
let pool: pg.Pool

beforeAll(async () => {
  fresh = await freshDatabase()
  pool = new pg.Pool({ connectionString: fresh.url, max: 4 })
})

afterAll(async () => {
  await pool.end()
  await fresh.drop()
})

const start = () => startStudio(fresh.url)

interface Order {
  walletAddress: string
  tokenType: string
  amount: number
  idempotencyKey: string
}

const order = (changes: Partial<Order & { reason: string }> = {}): Order => ({
  walletAddress: createWallet().address,
  tokenType: 'APPLE_JUICE',
  amount: 10,
  idempotencyKey: randomUUID(),
  ...changes,
})

type Result = { order?: Order & { id: string }; balance?: number; code?: string }
const codes = (results: Result[]) => results.map(({ code }) => code ?? 'posted')

async function credited(keyId: string): Promise<number> {
  const { rows } = await pool.query<{ credited: string }>('select credited from studio_key_days where key_id = $1', [keyId])
  return Number(rows[0]?.credited ?? 0)
}

describe('a credit or debit', () => {
  it('tells the balance after it, also when it is repeated', async () => {
    const { call } = await start()
    const { walletAddress } = order()
    const credit = await call('POST', '/credits', { body: order({ walletAddress, amount: 10 }) })
    expect(credit).toMatchObject({ status: 200, body: { credit: { direction: 'credit', amount: 10 }, balance: 10 } })
    await call('POST', '/credits', { body: order({ walletAddress, tokenType: 'GRAPE_SODA', amount: 3 }) })
    const debit = order({ walletAddress, amount: 4 })
    const first = await call('POST', '/debits', { body: debit })
    expect(first.body).toMatchObject({ debit: { direction: 'debit', amount: 4 }, balance: 6 })
    expect(await call('POST', '/debits', { body: debit })).toEqual(first)
  })

  it('is recorded in the log once, with its key, wallet, order and reason', async () => {
    const { call, createKey } = await start()
    const { secret: key } = await createKey({ name: 'quests', scopes: ['credit'] })
    const wish = order({ reason: 'quest 17' })
    const { body } = await call('POST', '/credits', { key, body: wish })
    await call('POST', '/credits', { key, body: wish })
    await call('POST', '/debits', { body: order({ walletAddress: wish.walletAddress, amount: 1 }) })
    await call('POST', '/debits', { body: order({ walletAddress: wish.walletAddress, amount: 1_000 }) })
    const { log } = (await call('GET', '/log')).body
    expect(log.filter(({ subject }: { subject: string }) => subject === wish.walletAddress)).toEqual([
      expect.objectContaining({ key: 'root key', call: 'studioDebit', reason: null }),
      {
        id: expect.any(String),
        key: 'quests',
        wallet: null,
        call: 'studioCredit',
        subject: wish.walletAddress,
        orderId: body.credit.id,
        order: { direction: 'credit', tokenType: body.credit.tokenType, amount: body.credit.amount },
        reason: 'quest 17',
        time: expect.any(String),
      },
    ])
  })
})

describe('the log', () => {
  it('is read page by page, the newest first, and refuses a cursor that it has not given', async () => {
    const { call, createKey } = await start()
    await createKey({ scopes: ['read'] })
    await createKey({ scopes: ['read'] })
    const seen: string[] = []
    for (let cursor = ''; ;) {
      const { body } = await call('GET', `/log?limit=1${cursor}`)
      seen.push(...body.log.map(({ id }: { id: string }) => id))
      if (body.nextCursor === null) break
      cursor = `&cursor=${body.nextCursor}`
    }
    const { rows } = await pool.query<{ id: string }>('select id from studio_log order by id desc')
    expect(seen).toEqual(rows.map(({ id }) => id))
    for (const cursor of ['x', '-1', '0', '9'.repeat(30)]) {
      expect(await call('GET', `/log?cursor=${cursor}`)).toMatchObject({ status: 400, body: { code: 'CURSOR_INVALID' } })
    }
  })
})

describe('many orders in one call', () => {
  it('are answered each for itself, in their order', async () => {
    const { call } = await start()
    const { walletAddress } = order()
    const credit = { direction: 'credit', ...order({ walletAddress }) }
    const orders = [
      { direction: 'debit', ...order({ walletAddress, amount: 1 }) },
      credit,
      credit,
      { ...credit, amount: 11 },
      { direction: 'debit', ...order({ walletAddress, amount: 4 }) },
      { direction: 'debit', ...order({ walletAddress, amount: 7 }) },
      { direction: 'credit', ...order({ walletAddress: 'Hwemktm3bZx4tGFfqjr3AYUm64jTppUW5D2j67rBrGcq' }) },
      { direction: 'credit', ...order({ walletAddress: 'x'.repeat(40) }) },
      { direction: 'credit', ...order({ tokenType: 'WATER' }) },
      { direction: 'credit', ...order({ amount: 0 }) },
      { direction: 'give', ...order() },
      { direction: 'credit', ...order({ idempotencyKey: 'a\0b' }) },
      { direction: 'credit', ...order(), colour: 'red' },
      null,
      'credit',
      [],
      { direction: 'credit', ...order({ walletAddress, tokenType: 'Grape Soda', amount: 2 }) },
    ]
    const { status, body } = await call('POST', '/orders', { body: { orders } })
    expect(status).toBe(200)
    expect(codes(body.results)).toEqual([
      'INSUFFICIENT_TOKENS',
      'posted',
      'posted',
      'IDEMPOTENCY_KEY_REUSED',
      'posted',
      'INSUFFICIENT_TOKENS',
      'WALLET_CANNOT_SIGN',
      'WALLET_ADDRESS_INVALID',
      'TOKEN_TYPE_UNKNOWN',
      'AMOUNT_INVALID',
      'BAD_REQUEST',
      'BAD_REQUEST',
      'BAD_REQUEST',
      'FIELDS_MISSING',
      'BAD_REQUEST',
      'BAD_REQUEST',
      'posted',
    ])
    expect(body.results[1]).toEqual(body.results[2])
    expect(body.results.map(({ balance }: Result) => balance).filter((balance: number | undefined) => balance !== undefined)).toEqual([
      10, 10, 6, 2,
    ])
  })

  it('are posted once, however often and in however many calls at the same time they are sent', async () => {
    const { call } = await start()
    const some = Array.from({ length: 40 }, () => ({ direction: 'credit', ...order() }))
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, turn) => {
        const orders = [...some.slice(turn * 2), ...some.slice(0, turn * 2)]
        return call('POST', '/orders', { body: { orders } })
      }),
    )
    const ids = answers.map(({ body }) => body.results.map(({ order: posted }: Result) => posted?.id).toSorted())
    expect(new Set(ids.map((each) => each.join())).size).toBe(1)
    const { rows } = await pool.query('select from transfers where idempotency_key = any($1)', [some.map((one) => one.idempotencyKey)])
    expect(rows).toHaveLength(40)
  })

  it('need the scope of their direction, each', async () => {
    const { call, createKey } = await start()
    const { secret: key } = await createKey({ scopes: ['credit'] })
    const { walletAddress } = order()
    const orders = [
      { direction: 'credit', ...order({ walletAddress }) },
      { direction: 'debit', ...order({ walletAddress, amount: 1 }) },
    ]
    expect(codes((await call('POST', '/orders', { key, body: { orders } })).body.results)).toEqual(['posted', 'INSUFFICIENT_SCOPE'])
  })

  it('may be 500 in 512 kB, and no more', async () => {
    const { call } = await start()
    const orders = Array.from({ length: 500 }, () => ({ direction: 'credit', ...order({ reason: 'x'.repeat(700) }) }))
    expect(JSON.stringify({ orders }).length).toBeGreaterThan(440_000)
    const { status, body } = await call('POST', '/orders', { body: { orders } })
    expect([status, new Set(codes(body.results))]).toEqual([200, new Set(['posted'])])
    for (const wrong of [[], [...orders.map(() => null), null], 'many', undefined]) {
      expect((await call('POST', '/orders', { body: { orders: wrong } })).status).toBe(400)
    }
    const large = orders.map((one) => ({ ...one, reason: 'x'.repeat(1000) }))
    expect(await call('POST', '/orders', { body: { orders: large } })).toMatchObject({ status: 413, body: { code: 'BODY_TOO_LARGE' } })
    expect((await call('POST', '/credits', { body: order({ reason: 'x'.repeat(20_000) }) })).status).toBe(413)
  })
})

describe('the daily limit of a key', () => {
  it(
    'is exact, however many calls reach it at the same time, on several servers, and counts no repetition',
    { timeout: 120_000 },
    async () => {
      const [{ call, createKey }, other] = [await start(), await start()]
      const calls = fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 50, maxLength: 50 })
      await fc.assert(
        fc.asyncProperty(calls, fc.integer({ min: 0, max: 200 }), async (amounts, dailyCreditLimit) => {
          const { id, secret: key } = await createKey({ scopes: ['credit', 'debit'], dailyCreditLimit })
          const wallets = [createWallet().address, createWallet().address]
          const sent = amounts.map((amount, index) => order({ walletAddress: wallets[index % 2] ?? '', amount }))
          const answers = await Promise.all(
            sent.flatMap((one, index): Promise<{ status: number; body: ReturnType<typeof JSON.parse> }>[] =>
              index % 3 === 0
                ? [call('POST', '/orders', { key, body: { orders: [{ direction: 'credit', ...one }] } })]
                : [call('POST', '/credits', { key, body: one }), other.call('POST', '/credits', { key, body: one })],
            ),
          )
          const refusals = answers.map(({ body }) => body.code ?? body.results?.[0].code).filter((code) => code !== undefined)
          expect(refusals.filter((code) => code !== 'DAILY_LIMIT')).toEqual([])
          const { rows } = await pool.query<{ key: string }>(
            'select idempotency_key as key from transfers where idempotency_key = any($1)',
            [sent.map(({ idempotencyKey }) => idempotencyKey)],
          )
          const posted = new Set(rows.map(({ key: known }) => known))
          const sum = sent.reduce((total, { amount, idempotencyKey }) => total + (posted.has(idempotencyKey) ? amount : 0), 0)
          expect(sum).toBeLessThanOrEqual(dailyCreditLimit)
          expect(await credited(id)).toBe(sum)
          // Nothing was refused that would still fit.
          const refused = sent.filter(({ idempotencyKey }) => !posted.has(idempotencyKey))
          expect(refused.filter(({ amount }) => amount <= dailyCreditLimit - sum)).toEqual([])
        }),
        { numRuns: 4, endOnFailure: true },
      )
    },
  )

  it('says in words how much is left, and is a new one the next day', async () => {
    const { call, createKey } = await start()
    const { id, secret: key } = await createKey({ name: 'limited', scopes: ['credit', 'debit'], dailyCreditLimit: 12 })
    const first = order()
    expect((await call('POST', '/credits', { key, body: first })).status).toBe(200)
    expect(await call('POST', '/credits', { key, body: order({ amount: 3 }) })).toEqual({
      status: 409,
      body: { code: 'DAILY_LIMIT', error: 'This studio key has a daily limit: it can credit 2 more drinks today.' },
    })
    expect((await call('POST', '/debits', { key, body: order({ walletAddress: first.walletAddress, amount: 9 }) })).status).toBe(200)
    expect((await call('POST', '/credits', { key, body: first })).status).toBe(200)
    const { keys } = (await call('GET', '/keys')).body
    expect(keys.find((one: { id: string }) => one.id === id)).toMatchObject({ dailyCreditLimit: 12, creditedToday: 10 })
    await pool.query('update studio_key_days set day = day - 1 where key_id = $1', [id])
    expect((await call('POST', '/credits', { key, body: order({ amount: 12 }) })).status).toBe(200)
  })
})
