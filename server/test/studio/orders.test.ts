import { randomUUID } from 'node:crypto'

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'

import { createWallet } from '../sign-in/wallet.ts'
import { refused, startStudio, useStudio } from './studio-client.ts'

const studio = useStudio()
const { call, createKey, readPages } = studio

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

const creditOf = (changes?: Parameters<typeof order>[0]) => ({ direction: 'credit', ...order(changes) })
const debitOf = (changes?: Parameters<typeof order>[0]) => ({ direction: 'debit', ...order(changes) })

type Result = { order?: Order & { id: string }; balance?: number; code?: string }
const codes = (results: Result[]) => results.map(({ code }) => code ?? 'posted')

/** What a key has credited on each day: a day may begin while a test runs. */
async function creditedByDay(keyId: string): Promise<number[]> {
  const { rows } = await studio.pool.query<{ credited: bigint }>('select credited from studio_key_days where key_id = $1', [keyId])
  return rows.map(({ credited }) => Number(credited))
}

describe('a credit or debit', () => {
  it('tells the balance after it, also when it is repeated', async () => {
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
    await createKey({ scopes: ['read'] })
    await createKey({ scopes: ['read'] })
    const { rows } = await studio.pool.query<{ id: string }>('select id::text from studio_log order by id desc')
    expect(await readPages('/log', 'log', 1)).toEqual(rows.map(({ id }) => id))
    for (const cursor of ['x', '-1', '0', '9'.repeat(30)]) {
      expect(await call('GET', `/log?cursor=${cursor}`)).toMatchObject(refused(400, 'CURSOR_INVALID'))
    }
  })
})

describe('many orders in one call', () => {
  it('are answered each for itself, in their order', async () => {
    const { walletAddress } = order()
    const credit = { direction: 'credit', ...order({ walletAddress }) }
    const sent: [order: unknown, result: string][] = [
      [debitOf({ walletAddress, amount: 1 }), 'INSUFFICIENT_TOKENS'],
      [credit, 'posted'],
      [credit, 'posted'],
      [{ ...credit, amount: 11 }, 'IDEMPOTENCY_KEY_REUSED'],
      [debitOf({ walletAddress, amount: 4 }), 'posted'],
      [debitOf({ walletAddress, amount: 7 }), 'INSUFFICIENT_TOKENS'],
      [creditOf({ walletAddress: 'Hwemktm3bZx4tGFfqjr3AYUm64jTppUW5D2j67rBrGcq' }), 'WALLET_CANNOT_SIGN'],
      [creditOf({ walletAddress: 'x'.repeat(40) }), 'WALLET_ADDRESS_INVALID'],
      [creditOf({ tokenType: 'WATER' }), 'TOKEN_TYPE_UNKNOWN'],
      [creditOf({ amount: 0 }), 'AMOUNT_INVALID'],
      [{ direction: 'give', ...order() }, 'BAD_REQUEST'],
      [creditOf({ idempotencyKey: 'a\0b' }), 'BAD_REQUEST'],
      [{ ...creditOf(), colour: 'red' }, 'BAD_REQUEST'],
      [null, 'FIELDS_MISSING'],
      ['credit', 'BAD_REQUEST'],
      [[], 'BAD_REQUEST'],
      [creditOf({ walletAddress, tokenType: 'Grape Soda', amount: 2 }), 'posted'],
    ]
    const { status, body } = await call('POST', '/orders', { body: { orders: sent.map(([one]) => one) } })
    expect(status).toBe(200)
    expect(codes(body.results)).toEqual(sent.map(([, result]) => result))
    expect(body.results[1]).toEqual(body.results[2])
    expect(body.results.flatMap(({ balance }: Result) => balance ?? [])).toEqual([10, 10, 6, 2])
  })

  it('are posted once, however often and in however many calls at the same time they are sent', async () => {
    const some = Array.from({ length: 40 }, () => creditOf())
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, turn) => {
        const orders = [...some.slice(turn * 2), ...some.slice(0, turn * 2)]
        return call('POST', '/orders', { body: { orders } })
      }),
    )
    const ids = answers.map(({ body }) => body.results.map(({ order: posted }: Result) => posted?.id).toSorted())
    expect(new Set(ids.map((each) => each.join())).size).toBe(1)
    const { rows } = await studio.pool.query('select from transfers where idempotency_key = any($1)', [
      some.map((one) => one.idempotencyKey),
    ])
    expect(rows).toHaveLength(40)
  })

  it('need the scope of their direction, each', async () => {
    const { secret: key } = await createKey({ scopes: ['credit'] })
    const { walletAddress } = order()
    const orders = [creditOf({ walletAddress }), debitOf({ walletAddress, amount: 1 })]
    expect(codes((await call('POST', '/orders', { key, body: { orders } })).body.results)).toEqual(['posted', 'INSUFFICIENT_SCOPE'])
  })

  it('may be 500 in 512 kB, and no more', async () => {
    const orders = Array.from({ length: 500 }, () => creditOf({ reason: 'x'.repeat(700) }))
    expect(JSON.stringify({ orders }).length).toBeGreaterThan(440_000)
    const { status, body } = await call('POST', '/orders', { body: { orders } })
    expect([status, new Set(codes(body.results))]).toEqual([200, new Set(['posted'])])
    for (const wrong of [[], [...orders.map(() => null), null], 'many', undefined]) {
      expect((await call('POST', '/orders', { body: { orders: wrong } })).status).toBe(400)
    }
    const large = orders.map((one) => ({ ...one, reason: 'x'.repeat(1000) }))
    expect(await call('POST', '/orders', { body: { orders: large } })).toMatchObject(refused(413, 'BODY_TOO_LARGE'))
    expect((await call('POST', '/credits', { body: order({ reason: 'x'.repeat(20_000) }) })).status).toBe(413)
  })
})

describe('the daily limit of a key', () => {
  it('is exact, however many calls reach it at the same time, on several servers, and counts no repetition', async () => {
    const other = await startStudio(studio.url)
    const calls = fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 50, maxLength: 50 })
    await fc.assert(
      fc.asyncProperty(calls, fc.integer({ min: 0, max: 200 }), async (amounts, dailyCreditLimit) => {
        const { id, secret: key } = await createKey({ scopes: ['credit', 'debit'], dailyCreditLimit })
        const wallets = [createWallet().address, createWallet().address]
        const sent = amounts.map((amount, index) => order({ walletAddress: wallets[index % 2] ?? '', amount }))
        const answers = await Promise.all(
          sent.flatMap((one, index) =>
            index % 3 === 0
              ? [call('POST', '/orders', { key, body: { orders: [{ direction: 'credit', ...one }] } })]
              : [call('POST', '/credits', { key, body: one }), other.call('POST', '/credits', { key, body: one })],
          ),
        )
        const refusals = answers.map(({ body }) => body.code ?? body.results?.[0].code).filter((code) => code !== undefined)
        expect(refusals.filter((code) => code !== 'DAILY_LIMIT')).toEqual([])
        const { rows } = await studio.pool.query<{ key: string }>(
          'select idempotency_key as key from transfers where idempotency_key = any($1)',
          [sent.map(({ idempotencyKey }) => idempotencyKey)],
        )
        const posted = new Set(rows.map(({ key: known }) => known))
        const sum = sent.reduce((total, { amount, idempotencyKey }) => total + (posted.has(idempotencyKey) ? amount : 0), 0)
        const days = await creditedByDay(id)
        expect(Math.max(0, ...days)).toBeLessThanOrEqual(dailyCreditLimit)
        expect(days.reduce((total, day) => total + day, 0)).toBe(sum)
        // Nothing was refused that would still fit.
        const left = dailyCreditLimit - Math.max(0, ...days)
        const refusedOrders = sent.filter(({ idempotencyKey }) => !posted.has(idempotencyKey))
        expect(refusedOrders.filter(({ amount }) => amount <= left)).toEqual([])
      }),
      { numRuns: 4, endOnFailure: true },
    )
  })

  it('counts what all keys below it credit: the least that is left decides', async () => {
    const limited = (dailyCreditLimit: number) => ({ scopes: ['admin', 'credit'], dailyCreditLimit })
    const maker = await createKey(limited(100))
    const [child, sister] = [await createKey(limited(80), maker.secret), await createKey(limited(60), maker.secret)]
    const grandchild = await createKey(limited(70), child.secret)
    const credit = async ({ secret: key }: { secret: string }, amount: number) => {
      const { status, body } = await call('POST', '/credits', { key, body: order({ amount }) })
      return status === 200 ? 'posted' : body.error
    }
    const left = (amount: number) => `This studio key has a daily limit: it can credit ${amount} more today.`
    // So that it makes no difference if the next day begins meanwhile.
    const today = new Date().toISOString().slice(0, 10)
    const bothDays = (credited: number, ...keys: { id: string }[]) =>
      studio.pool.query(
        `insert into studio_key_days (key_id, day, credited) select id, $2::date + days, $3 from unnest($1::uuid[]) id, generate_series(0, 1) days
          on conflict (key_id, day) do update set credited = excluded.credited`,
        [keys.map(({ id }) => id), today, credited],
      )
    expect(await credit(grandchild, 60)).toBe('posted')
    await bothDays(60, maker, child, grandchild)
    expect(await credit(grandchild, 11)).toBe(left(10))
    expect(await credit(child, 21)).toBe(left(20))
    expect(await credit(sister, 41)).toBe(left(40))
    expect(await credit(sister, 40)).toBe('posted')
    await bothDays(100, maker)
    for (const key of [maker, child, grandchild, sister]) expect(await credit(key, 1)).toBe(left(0))
    const counted = ({ id }: { id: string }) => creditedByDay(id)
    for (const key of [child, grandchild]) expect(await counted(key)).toEqual([60, 60])
    expect(Math.max(...(await counted(sister)))).toBe(40)
  })

  it('holds for a key and those below it, however many of their calls come at the same time, on several servers', async () => {
    const other = await startStudio(studio.url)
    const limited = { scopes: ['admin', 'credit'], dailyCreditLimit: 50 }
    const maker = await createKey(limited)
    const [child, sister] = [await createKey(limited, maker.secret), await createKey(limited, maker.secret)]
    const keys = [maker, child, sister, await createKey(limited, child.secret)]
    const answers = await Promise.all(
      Array.from({ length: 100 }, (_, index) =>
        (index % 3 ? studio : other).call('POST', '/credits', { key: keys[index % 4].secret, body: order({ amount: 1 }) }),
      ),
    )
    const posted = answers.filter(({ status }) => status === 200).length
    expect(new Set(answers.flatMap(({ body }) => body.code ?? []))).toEqual(new Set(['DAILY_LIMIT']))
    const days = await creditedByDay(maker.id)
    expect([Math.max(...days), days.reduce((sum, day) => sum + day, 0)]).toEqual([50, posted])
  })

  it('says in words how much is left, and is a new one the next day', async () => {
    const { id, secret: key } = await createKey({ name: 'limited', scopes: ['credit', 'debit'], dailyCreditLimit: 12 })
    const first = order()
    expect((await call('POST', '/credits', { key, body: first })).status).toBe(200)
    // So that it makes no difference if the next day begins now.
    const tomorrow =
      'insert into studio_key_days (key_id, day, credited) select key_id, day + 1, credited from studio_key_days where key_id = $1'
    await studio.pool.query(tomorrow, [id])
    expect(await call('POST', '/credits', { key, body: order({ amount: 3 }) })).toEqual({
      status: 409,
      body: { code: 'DAILY_LIMIT', error: 'This studio key has a daily limit: it can credit 2 more today.' },
    })
    expect((await call('POST', '/debits', { key, body: order({ walletAddress: first.walletAddress, amount: 9 }) })).status).toBe(200)
    expect((await call('POST', '/credits', { key, body: first })).status).toBe(200)
    const { keys } = (await call('GET', '/keys')).body
    expect(keys.find((one: { id: string }) => one.id === id)).toMatchObject({ dailyCreditLimit: 12, creditedToday: 10 })
    await studio.pool.query('update studio_key_days set day = day - 2 where key_id = $1', [id])
    expect((await call('POST', '/credits', { key, body: order({ amount: 12 }) })).status).toBe(200)
  })
})

describe('an idempotency key', () => {
  const both = { scopes: ['admin', 'credit', 'debit'] }
  /** The number of the order that a key posts, or has posted with the same idempotency key. */
  const post = async (body: Order, key?: string): Promise<string> => {
    const reply = await call('POST', '/credits', { body, ...(key !== undefined && { key }) })
    return reply.body.credit?.id ?? reply.body.code
  }

  it('is shared by all keys without a daily limit, and is another one of each key that has one', async () => {
    const [free, limited, another] = [
      await createKey(both),
      await createKey({ ...both, dailyCreditLimit: 100 }),
      await createKey({ ...both, dailyCreditLimit: 100 }),
    ]
    const one = order()
    const ids = [await post(one, limited.secret), await post(one, another.secret), await post(one), await post(one, free.secret)]
    expect(ids.slice(2)).toEqual([ids[2], ids[2]])
    expect(new Set(ids).size).toBe(3)
    expect([await post(one, limited.secret), await post(one, another.secret)]).toEqual(ids.slice(0, 2))
    expect(await post({ ...one, amount: 11 }, limited.secret)).toBe('IDEMPOTENCY_KEY_REUSED')
    const { results } = (await call('POST', '/orders', { key: limited.secret, body: { orders: [{ direction: 'credit', ...one }] } })).body
    expect(results[0].order.id).toBe(ids[0])
  })

  it('stays the same for a key that replaces another', async () => {
    const limited = { ...both, dailyCreditLimit: 100 }
    const old = await createKey(limited)
    const young = await createKey({ ...limited, replaces: old.id })
    await call('DELETE', `/keys/${old.id}`)
    const one = order()
    const first = await post(one, young.secret)
    const replacements = [
      { ...limited, replaces: young.id },
      { ...both, replaces: old.id },
    ]
    for (const wish of replacements) expect(await post(one, (await createKey(wish)).secret)).toBe(first)
    expect(await post(one, (await createKey(limited)).secret)).not.toBe(first)
    const free = await createKey(both)
    expect(await post(one, (await createKey({ ...limited, replaces: free.id })).secret)).toBe(await post(one))
  })

  it('of an order of 0.2.0 counts for every key', async () => {
    const { secret } = await createKey({ ...both, dailyCreditLimit: 100 })
    const one = order()
    const first = await post(one)
    await studio.pool.query('update transfers set namespace = null where idempotency_key = $1', [one.idempotencyKey])
    expect([await post(one, secret), await post(one)]).toEqual([first, first])
    expect(await post({ ...one, amount: 11 }, secret)).toBe('IDEMPOTENCY_KEY_REUSED')
  })

  it('is used once by many calls at the same time, also of keys that share it', async () => {
    const old = await createKey({ ...both, dailyCreditLimit: 100 })
    const young = await createKey({ ...both, dailyCreditLimit: 100, replaces: old.id })
    const wanted = Array.from({ length: 20 }, () => order({ idempotencyKey: old.id }))
    const ids = await Promise.all(wanted.map((one, index) => post(one, (index % 2 ? old : young).secret)))
    expect(ids.filter((id) => id !== 'IDEMPOTENCY_KEY_REUSED')).toHaveLength(1)
  })
})
