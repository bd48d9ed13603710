import { gunzipSync, gzipSync } from 'node:zlib'
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { defaultCatalogue } from '../../support/catalogue.ts'
import { rollUpSales } from '../../../src/market/figure-store.ts'
import { compress, compressFigures } from '../../../src/http/compression.ts'
import { candleJson, type CandleRow, readCandleQuery } from '../../../src/market/figures.ts'
import { randomWallet, useMarket } from '../market-world.ts'

const market = useMarket()
beforeEach(async () => {
  await market.pool.query('truncate sales, candles, sales_to_stamp; update sales_head set ordinal = 0; update candles_head set ordinal = 0')
  await market.empty()
})

const json = async (call: string, query: Record<string, string> = {}) => {
  const reply = await market.get(call, query)
  expect(reply.statusCode).toBe(200)
  return reply.json()
}
const apple = { tokenType: 'APPLE_JUICE' }
const uuid = (n: number) => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`

interface SaleToAdd {
  tokenType?: string
  amount?: number
  lamports?: number
  at: string
  purchaseId?: string
  place?: number
  reverses?: boolean
}

/** Adds sales as if purchases had been settled, in the order given: by default, one apple juice for 0.001 SOL. */
async function addSales(...sales: SaleToAdd[]): Promise<void> {
  await market.pool.query(
    `with head as (update sales_head set ordinal = ordinal + cardinality($1::text[]) returning ordinal - cardinality($1::text[]) as before)
     insert into sales (ordinal, stamped_at, purchase_id, place, is_reversal, listing_id, buyer, seller, token_type, amount, price_lamports,
       fee_lamports, fee_basis_points, signature, settled_at)
     select head.before + n, now(), coalesce(purchase_id, gen_random_uuid()), place, is_reversal, gen_random_uuid(), 'buyer', 'seller', token_type,
       amount, lamports, 0, 0, 'signature of ' || head.before + n, at
     from head, unnest($1::text[], $2::bigint[], $3::bigint[], $4::timestamptz[], $5::uuid[], $6::smallint[], $7::boolean[]) with ordinality
       sale (token_type, amount, lamports, at, purchase_id, place, is_reversal, n)`,
    [
      sales.map(({ tokenType = 'APPLE_JUICE' }) => tokenType),
      sales.map(({ amount = 1 }) => amount),
      sales.map(({ lamports = 1_000_000 }) => lamports),
      sales.map(({ at }) => at),
      sales.map(({ purchaseId }) => purchaseId),
      sales.map(({ place = 1 }) => place),
      sales.map(({ reverses = false }) => reverses),
    ],
  )
}

/** An unpaged list of trades, by pages of any size. */
async function allTrades(query: Record<string, string>): Promise<{ id: string }[]> {
  const found: { id: string }[] = []
  for (let cursor: string | null = ''; cursor !== null;) {
    market.caches.clear()
    const page: { trades: { id: string }[]; nextCursor: string | null } = await json('trades', { ...query, ...(cursor && { cursor }) })
    found.push(...page.trades)
    cursor = page.nextCursor
  }
  return found
}

describe('trades', () => {
  it('are shown by whole milliseconds and sorted by what is shown, the newest first', async () => {
    const at = (micros: string) => `2030-01-01T00:00:00.000${micros}Z`
    await addSales(
      { at: at('900'), purchaseId: uuid(1), amount: 3, lamports: 1_000_000 },
      { at: at('100'), purchaseId: uuid(2), place: 2 },
      { at: at('100'), purchaseId: uuid(2), place: 10 },
      { at: '2030-01-01T00:00:00.001Z', purchaseId: uuid(0), tokenType: 'GRAPE_SODA' },
    )
    const { trades, nextCursor } = await json('trades')
    expect(nextCursor).toBeNull()
    expect(trades.map(({ id }: { id: string }) => id)).toEqual([`${uuid(0)}.01`, `${uuid(2)}.10`, `${uuid(2)}.02`, `${uuid(1)}.01`])
    expect(trades.at(-1)).toEqual({
      id: `${uuid(1)}.01`,
      tokenType: 'APPLE_JUICE',
      amount: 3,
      price: 0.001,
      unitPrice: 0.000333333,
      lamports: '1000000',
      feeLamports: '0',
      signature: 'signature of 1',
      coSigned: false,
      settledAt: '2030-01-01T00:00:00.000Z',
    })
    expect((await json('trades', { tokenType: 'Grape Soda' })).trades).toHaveLength(1)
  })

  it('are the same in pages of any size, also around those that were undone', async () => {
    const sales: SaleToAdd[] = Array.from({ length: 30 }, (_, n) => ({
      at: new Date(Date.UTC(2030, 0, 1) + Math.floor(n / 3)).toISOString(),
      purchaseId: uuid((n * 7) % 30),
    }))
    await addSales(...sales)
    const undone = [3, 4, 5, 29].map((n) => ({ at: '2030-02-01T00:00:00Z', purchaseId: uuid(n), reverses: true }))
    await addSales(...undone)
    const all = await allTrades({ limit: '200' })
    expect(all).toHaveLength(26)
    for (const limit of ['1', '2', '25', '26']) {
      expect(await allTrades({ limit })).toEqual(all)
      expect(await allTrades({ limit, ...apple })).toEqual(all)
    }
  })

  it('are found however many after them were undone, in bounded steps', async () => {
    await addSales({ at: '2030-01-01T00:00:00Z', purchaseId: uuid(0) })
    const many = Array.from({ length: 1_500 }, (_, n) => ({ at: '2030-01-02T00:00:00Z', purchaseId: uuid(n + 1) }))
    await addSales(...many, ...many.map((sale) => ({ ...sale, reverses: true })))
    const first = await json('trades', { limit: '1' })
    expect(first).toEqual({ trades: [], nextCursor: expect.any(String) })
    expect(await allTrades({ limit: '1' })).toEqual([expect.objectContaining({ id: `${uuid(0)}.01` })])
  })

  it.each(['x', '1.2.3', `1.${uuid(1)}.1`, `${'9'.repeat(15)}.${uuid(1)}.01`, `1.${uuid(1)}.99; select`])(
    'have no page with the cursor %j',
    async (cursor) => {
      expect((await market.get('trades', { cursor })).json()).toMatchObject({ code: 'CURSOR_INVALID' })
    },
  )

  it.each(['0', '99999999999999'])('have a page from any time on: %s', async (millis) => {
    expect((await market.get('trades', { cursor: `${millis}.${uuid(1)}.99` })).statusCode).toBe(200)
  })
})

describe('candles', () => {
  it('show what was just sold, and no longer what was undone', async () => {
    const range = { ...apple, step: '1h', from: '2030-01-01', to: '2030-01-02' }
    await addSales(
      { at: '2030-01-01T10:59:59.9999Z', purchaseId: uuid(1), amount: 3, lamports: 7_000_000 },
      { at: '2030-01-01T10:05:00Z', purchaseId: uuid(2), amount: 2, lamports: 3_000_000 },
      { at: '2030-01-01T11:00:00Z', purchaseId: uuid(3), lamports: 5_000_000 },
    )
    const [first, last] = [0.0015, 0.002333333]
    const ten = { open: first, high: last, low: first, close: last, amount: 5, sol: 0.01, trades: 2, average: 0.002 }
    const eleven = { open: 0.005, high: 0.005, low: 0.005, close: 0.005, amount: 1, sol: 0.005, trades: 1, average: 0.005 }
    const hours = [
      { start: '2030-01-01T10:00:00.000Z', ...ten },
      { start: '2030-01-01T11:00:00.000Z', ...eleven },
    ]
    expect(await json('candles', range)).toEqual({ candles: hours })
    await addSales(...[1, 2].map((n) => ({ at: '2030-01-03T00:00:00Z', purchaseId: uuid(n), reverses: true })))
    market.caches.clear()
    expect(await json('candles', range)).toEqual({ candles: hours.slice(1) })
    const { rows } = await market.pool.query('select step from candles order by step')
    expect(rows).toEqual([{ step: '1d' }, { step: '1h' }, { step: '5m' }])
  })

  it('begin at from and before to', async () => {
    const days = ['01', '02', '03'].map((day) => ({ at: `2030-01-${day}T12:00:00Z` }))
    await addSales(...days)
    const starts = async (from: string, to: string) =>
      (await json('candles', { ...apple, step: '1d', from, to })).candles.map(({ start }: { start: string }) => start.slice(8, 10))
    expect(await starts('2030-01-01', '2030-01-03')).toEqual(['01', '02'])
    expect(await starts('2030-01-01T00:00:00.001Z', '2030-01-03T00:00:00.001Z')).toEqual(['02', '03'])
    expect(await starts('2030-01-02T05:45:00+05:45', '2030-01-03T05:45:00+05:45')).toEqual(['02'])
    expect(await starts('2030-01-02', '2030-01-02')).toEqual([])
  })

  it('are 500 at most in one answer', () => {
    const now = new Date('2030-01-01T00:00:00Z')
    const read = (from: string, to: string) => readCandleQuery({ ...apple, step: '5m', from, to }, defaultCatalogue, now)
    expect(read('2030-01-01T00:00:00Z', '2030-01-02T17:40:00Z')).toBeDefined()
    expect(read('2030-01-01T00:00:00.001Z', '2030-01-02T17:40:00.001Z')).toBeDefined()
    expect(() => read('2030-01-01T00:00:00Z', '2030-01-02T17:40:00.001Z')).toThrow('501 steps')
    expect(() => read('2030-01-02', '2030-01-01')).toThrow('from must not be after to')
  })

  it('without a range are those of a day, a week and a year until now', () => {
    const now = new Date('2030-01-01T12:34:56.789Z')
    const from = (step: '5m' | '1h' | '1d') => readCandleQuery({ ...apple, step }, defaultCatalogue, now).from.toISOString()
    expect([from('5m'), from('1h'), from('1d')]).toEqual([
      '2029-12-31T12:35:00.000Z',
      '2029-12-25T13:00:00.000Z',
      '2029-01-02T00:00:00.000Z',
    ])
  })

  it.each([
    [{ step: '1d' }, 'FIELDS_MISSING'],
    [apple, 'FIELDS_MISSING'],
    [{ tokenType: 'WATER', step: '1d' }, 'TOKEN_TYPE_UNKNOWN'],
    [{ ...apple, step: '1w' }, 'BAD_REQUEST'],
    [{ ...apple, step: '1d', from: '2030-02-30' }, 'BAD_REQUEST'],
    [{ ...apple, step: '1d', from: '2030-01-01T00:00:00' }, 'BAD_REQUEST'],
    [{ ...apple, step: '1d', from: '1970-01-01' }, 'BAD_REQUEST'],
  ])('asked for by %j are refused with %s', async (query, code) => {
    const reply = await market.get('candles', query)
    expect([reply.statusCode, reply.json().code]).toEqual([400, code])
  })

  it('of a year of days take less than 8 kB', async () => {
    const walk = randomWalk(1)
    const sales = Array.from({ length: 365 * 3 }, (_, n) => {
      const [price, amount] = [walk.step(1), 1 + Math.floor(walk.random() * 20)]
      const at = new Date(Date.UTC(2029, 0, 1) + (n / 3) * 86_400_000).toISOString()
      return { at, amount, lamports: Math.max(1, Math.round(price * amount)) * 1_000_000 }
    })
    await addSales(...sales)
    while ((await rollUpSales(market.database)) > 0);
    const year = { ...apple, step: '1d', from: '2029-01-01', to: '2030-01-01' }
    const reply = await market.get('candles', year, { 'accept-encoding': 'gzip' })
    expect((await json('candles', year)).candles).toHaveLength(365)
    expect(reply.headers['content-encoding']).toBe('gzip')
    expect(reply.rawPayload.length).toBeLessThan(8_000)
    expect(gzipSync(reply.rawPayload).length).toBeGreaterThan(2_000)
  })
})

describe('a year of days', () => {
  it.each([
    ['3 trades a day of up to 20 drinks', { trades: 3, most: 20 }, 8_000],
    ['50 trades a day of up to 20 drinks', { trades: 50, most: 20 }, 8_000],
    ['2,000 trades a day of up to 1,000 drinks', { trades: 2_000, most: 1_000 }, 13_000],
  ])('of %s is as small as docs/market-data.md says', async (_what, market, bytes) => {
    const json = `{"candles":[${yearOf(market).map(candleJson).join(',')}]}`
    const compressed = await compressFigures(json)
    expect(JSON.parse(gunzipSync(compressed).toString()).candles).toHaveLength(365)
    expect(compressed.length).toBeLessThan(bytes)
    expect(compressed.length).toBeLessThan((await compress(json)).length)
  })

  /** Candles of trades whose prices differ a little. */
  function yearOf({ trades, most }: { trades: number; most: number }): CandleRow[] {
    const { step, random } = randomWalk(7)
    return Array.from({ length: 365 }, (_, day) => {
      const units: bigint[] = []
      let [amount, lamports] = [0n, 0n]
      for (let n = 0; n < trades; n++) {
        const price = step(Math.sqrt(trades / 3))
        const drinks = BigInt(1 + Math.floor(random() * most))
        const paid = BigInt(Math.max(1, Math.round(price * Number(drinks) * (0.97 + random() * 0.06)))) * 1_000_000n
        units.push((2n * paid + drinks) / (2n * drinks))
        amount += drinks
        lamports += paid
      }
      const [low, high] = [units.reduce((a, b) => (a < b ? a : b)), units.reduce((a, b) => (a > b ? a : b))]
      const start = new Date(Date.UTC(2029, 0, 1 + day))
      return { start, open: units[0]!, high, low, close: units.at(-1)!, amount, lamports: String(lamports), trades: BigInt(trades) }
    })
  }
})

/** A price that walks at random, and the same way in every run. */
function randomWalk(seed: number) {
  let [state, price] = [seed, 5]
  const random = () => (state = (state * 16_807) % 2_147_483_647) / 2_147_483_647
  return { random, step: (calm: number) => (price *= Math.exp((random() - 0.5) / 20 / calm)) }
}

describe('depth', () => {
  it('counts what can be bought, by the price of one', async () => {
    const ids = await market.add([
      { amount: 3 },
      { amount: 30, steps: 10 },
      { amount: 1 },
      { amount: 100 },
      { tokenType: 'GRAPE_SODA', amount: 100 },
    ])
    await market.hold(ids[3]!)
    expect(await json('depth', apple)).toEqual({
      levels: [
        { unitPrice: 0.000333333, lamports: '333333', amount: 33, listings: 2 },
        { unitPrice: 0.001, lamports: '1000000', amount: 1, listings: 1 },
      ],
      floor: 0.000333333,
      amount: 34,
    })
    expect(await json('depth', { tokenType: 'ORANGE_JUICE' })).toEqual({ levels: [], floor: null, amount: 0 })
  })

  it('tells of the thousand cheapest prices, and of the amount at all of them', async () => {
    await market.add(Array.from({ length: 1_001 }, (_, n) => ({ steps: n + 1 })))
    const { levels, amount } = await json('depth', apple)
    expect([levels.length, levels.at(-1).unitPrice, amount]).toEqual([1_000, 1, 1_001])
  })

  it('rounds a price exactly, which is just below a half lamport', async () => {
    await market.add([{ amount: 999_999_999, steps: 500 }])
    expect((await json('depth', apple)).levels).toEqual([{ unitPrice: 0.000000001, lamports: '1', amount: 999_999_999, listings: 1 }])
  })
})

describe('the summary', () => {
  it('has every drink, traded or not', async () => {
    const { items } = await json('summary')
    const none = { floor: null, last: null, change24h: null, volume24h: 0, amount: 0 }
    expect(items).toEqual(['APPLE_JUICE', 'GRAPE_SODA', 'ORANGE_JUICE'].map((tokenType) => ({ tokenType, ...none })))
  })

  it('compares the last price with that of 24 hours ago, and adds up what was paid since', async () => {
    const ago = async (...intervals: string[]) =>
      (await market.pool.query<{ at: string }>('select (now() - i::interval)::text as at from unnest($1::text[]) i', [intervals])).rows.map(
        ({ at }) => at,
      )
    const [before, edge, after, recent, undone] = await ago('3 days', '24:00:01', '23:59:30', '00:00:01', '00:00:00')
    // On both sides of that moment, as near as may be: these are read one by one.
    const undoneAtEdge = await ago('24:00:00.5', '23:59:59')
    await addSales(
      ...undoneAtEdge.flatMap((at, n) => [
        { at, lamports: 50_000_000, purchaseId: uuid(10 + n) },
        { at, purchaseId: uuid(10 + n), reverses: true },
      ]),
      { at: before!, lamports: 9_000_000 },
      { at: edge!, lamports: 4_000_000 },
      { at: after!, lamports: 7_000_000 },
      { at: recent!, amount: 2, lamports: 10_000_000 },
      { at: undone!, lamports: 99_000_000, purchaseId: uuid(1) },
      { at: undone!, purchaseId: uuid(1), reverses: true },
    )
    await market.add([{ amount: 4, steps: 10 }])
    const { items } = await json('summary')
    expect(items[0]).toEqual({ tokenType: 'APPLE_JUICE', floor: 0.0025, last: 0.005, change24h: 0.25, volume24h: 0.017, amount: 4 })
  })

  it('has floor and amount as depth has them: without what somebody is buying, and what frozen sellers offer', async () => {
    const frozen = randomWallet()
    const [held] = await market.add([{ amount: 2 }, { seller: frozen, amount: 4, steps: 2 }, { amount: 8, steps: 8 }])
    await market.hold(held!)
    await market.pool.query(
      `insert into cases (kind, signature, lamports, deliverable, seller, buyer, genesis_hash, paid_at_slot)
       values ('lost', 'lost', 1, false, $1, 'buyer', 'genesis', 1)`,
      [frozen],
    )
    onTestFinished(async () => void (await market.pool.query(`delete from cases where signature = 'lost'`)))
    const { floor, amount } = await json('depth', apple)
    expect([floor, amount]).toEqual([0.001, 8])
    expect((await json('summary')).items[0]).toMatchObject({ floor, amount })
  })
})

describe('while the database is away', () => {
  const lost = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' })
  const calls: [string, Record<string, string>][] = [
    ['trades', {}],
    ['candles', { ...apple, step: '1d' }],
    ['summary', {}],
  ]

  it('everything but depth is shown as it was, with its age', async () => {
    for (const [call, query] of calls) await json(call, query)
    await json('depth', apple)
    market.caches.clear()
    const spies = [vi.spyOn(market.connection.database, 'runStatement'), vi.spyOn(market.connection.readPool, 'query')]
    for (const spy of spies) spy.mockRejectedValue(lost)
    const probe = vi.spyOn(market.connection, 'probe').mockRejectedValue(lost)
    for (const [call, query] of calls) {
      const reply = await market.get(call, query)
      const { age, etag, 'cache-control': caching } = reply.headers
      expect([reply.statusCode, age, caching, etag]).toEqual([200, '0', 'no-store', undefined])
      expect((await market.get(call, query, { authorization: 'Bearer x' })).statusCode).not.toBe(200)
    }
    expect((await market.get('depth', apple)).statusCode).not.toBe(200)
    for (const spy of [...spies, probe]) spy.mockRestore()
  })

  it('an answer is not sent again to who has it', async () => {
    const { headers } = await market.get('summary')
    const again = await market.get('summary', {}, { 'if-none-match': String(headers.etag) })
    expect([again.statusCode, again.body]).toEqual([304, ''])
  })
})

it('candles of whole steps are kept in memory, and no others, of which there are too many', async () => {
  const etag = async (range: Record<string, string>) => (await market.get('candles', { ...apple, step: '1h', ...range })).headers.etag
  const whole = { from: '2030-01-01T00:00:00Z', to: '2030-01-01T05:00:00Z' }
  expect(await etag({})).toBeDefined()
  expect(await etag(whole)).toBeDefined()
  expect(await etag({ ...whole, from: '2030-01-01T00:00:00.001Z' })).toBeUndefined()
  expect(await etag({ ...whole, to: '2030-01-01T04:30:00Z' })).toBeUndefined()
})
