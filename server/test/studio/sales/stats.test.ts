import { type StatsGroup, type StatsRow } from '@juicebar/contract/schemas'
import fc from 'fast-check'
import { describe, expect, inject, it } from 'vitest'
import { feeShares, type FeeTerms } from '../../../src/purchases/purchase/purchase.ts'
import { postStudioOrder } from '../../../src/inventory/post-studio-order.ts'
import { readStats } from '../../../src/studio/sales/read-sales.ts'
import { readRange, statsCsv, takesCsv } from '../../../src/studio/sales/stats.ts'
import { offer } from '../../purchases/baskets/store-market.ts'
import { settledPurchase, useSaleMarket } from './sale-market.ts'

const numRuns = inject('propertyRuns')
const tokens = ['APPLE_JUICE', 'ORANGE_JUICE'] as const
const DAY = 86_400_000
const FIRST = Date.parse('2030-03-01T00:00:00Z')

const market = useSaleMarket({ sellers: 2, buyers: 3, tokens: 1_000_000 })
let orders = 0

/** Around the edges of days and hours, to the millisecond. */
const times = fc
  .tuple(fc.integer({ min: 0, max: 1 }), fc.constantFrom(0, 1, DAY / 2, DAY / 2 + 1, DAY / 2 - 1, DAY - 1))
  .map(([day, millis]) => new Date(FIRST + day * DAY + millis))
const items = fc.record({
  seller: fc.nat(1),
  token: fc.nat(1),
  amount: fc.integer({ min: 1, max: 5 }),
  price: fc.integer({ min: 1, max: 30 }).map((steps) => BigInt(steps) * 1_000_000n),
  part: fc.option(fc.integer({ min: 1, max: 5 })),
})
const purchases = fc.record({
  buyer: fc.nat(2),
  items: fc.array(items, { minLength: 1, maxLength: 3 }),
  at: times,
  undone: fc.boolean(),
  basisPoints: fc.constantFrom(0, 250, 999),
})
const credits = fc.record({ at: times, token: fc.nat(1), amount: fc.integer({ min: 1, max: 9 }), isDebit: fc.boolean() })

/** One settled item, as the test knows it. */
interface Sold {
  at: Date
  token: string
  buyer: string
  amount: number
  lamports: bigint
  fee: bigint
}

interface Moved {
  at: Date
  token: string
  amount: number
  isDebit: boolean
}

/** Adds everything up, row by row. */
function addUp(sold: readonly Sold[], moved: readonly Moved[], group: StatsGroup, { from, to }: { from: Date; to: Date }): StatsRow[] {
  const inRange = ({ at }: { at: Date }) => at >= from && at < to
  const keyOf = ({ at, token }: { at: Date; token: string }) => {
    if (group === 'tokenType') return token
    return group === 'day' ? at.toISOString().slice(0, 10) : `${at.toISOString().slice(0, 13)}:00:00Z`
  }
  const keys = new Set([...sold, ...moved].filter(inRange).map(keyOf))
  return [...keys].toSorted().map((key) => {
    const mine = sold.filter((each) => inRange(each) && keyOf(each) === key)
    const orders = moved.filter((each) => inRange(each) && keyOf(each) === key)
    const total = (isDebit: boolean) => orders.filter((each) => each.isDebit === isDebit).reduce((sum, each) => sum + each.amount, 0)
    return {
      [group]: key,
      sales: mine.length,
      amount: mine.reduce((sum, each) => sum + each.amount, 0),
      buyers: new Set(mine.map(({ buyer }) => buyer)).size,
      volumeLamports: mine.reduce((sum, each) => sum + each.lamports, 0n).toString(),
      medianUnitPrice: medianOf(mine.map(({ lamports, amount }) => Number(lamports) / amount / 1e9)),
      feesLamports: mine.reduce((sum, each) => sum + each.fee, 0n).toString(),
      credited: total(false),
      debited: total(true),
    }
  })
}

function medianOf(values: readonly number[]): number | null {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = sorted.length / 2
  if (sorted.length === 0) return null
  const [low, high] = [sorted[Math.ceil(middle) - 1]!, sorted[Math.floor(middle)]!]
  return (low + high) / 2
}

async function buy({ buyer, items: wanted, at, undone, basisPoints }: typeof purchases extends fc.Arbitrary<infer T> ? T : never) {
  const { sellers, buyers } = market
  const fee: FeeTerms = { basisPoints, wallet: sellers[1] }
  const ordered = []
  for (const { seller, token, amount, price, part } of wanted) {
    const listingId = await offer(market, sellers[seller]!, { amount, price, tokenType: tokens[token]! })
    ordered.push({ listingId, ...(part !== null && part < amount && { amount: part }) })
  }
  const id = await settledPurchase(market, buyers[buyer]!, ordered, { fee })
  // The triggers have noted the sale; it takes its place when it is read.
  await market.query('update purchases set settled_at = $2 where id = $1', [id, at])
  if (undone) {
    await market.query(
      `insert into cases (purchase_id, kind, signature, seller, lamports, deliverable) select id, 'vanished', signature, sellers[1], 1, false from purchases where id = $1`,
      [id],
    )
  }
  const { rows } = await market.query(
    'select seller, token_type, amount::int, price_lamports from purchase_items where purchase_id = $1 order by place',
    [id],
  )
  if (undone) return []
  const paid = rows.map((row) => ({ seller: row.seller, lamports: row.price_lamports }))
  const shares = feeShares(paid, fee, buyers[buyer])
  return rows.map((row, n): Sold => {
    return { at, token: row.token_type, buyer: buyers[buyer]!, amount: row.amount, lamports: row.price_lamports, fee: shares[n]! }
  })
}

async function order({ at, token, amount, isDebit }: { at: Date; token: number; amount: number; isDebit: boolean }): Promise<Moved> {
  const tokenType = tokens[token]!
  const direction = isDebit ? 'debit' : 'credit'
  const idempotencyKey = `stats:${++orders}`
  await postStudioOrder(market, { direction, walletAddress: market.seller, tokenType, amount, idempotencyKey })
  await market.query('update transfers set created_at = $2 where idempotency_key = $1', [idempotencyKey, at])
  return { at, token: tokenType, amount, isDebit }
}

it('the figures of any range are those that somebody gets who adds up every sale and order', { timeout: numRuns * 30_000 }, async () => {
  const range = fc.tuple(times, times).map(([a, b]) => (a < b ? { from: a, to: b } : { from: b, to: a }))
  await fc.assert(
    fc.asyncProperty(
      fc.array(purchases, { maxLength: 6 }),
      fc.array(credits, { maxLength: 4 }),
      range,
      async (bought, moves, { from, to }) => {
        await market.query('truncate sales, sales_to_stamp')
        await market.query(`update transfers set created_at = '2020-01-01' where kind in ('credit', 'debit')`)
        const sold: Sold[] = []
        for (const each of bought) sold.push(...(await buy(each)))
        const moved: Moved[] = []
        for (const each of moves) moved.push(await order(each))
        for (const group of ['day', 'hour', 'tokenType'] as const) {
          const stats = await readStats(market.database, { from: from.toISOString(), to: to.toISOString(), group })
          const expected = addUp(sold, moved, group, { from, to })
          const rounded = (rows: readonly StatsRow[]) =>
            rows.map((row) => ({ ...row, medianUnitPrice: row.medianUnitPrice === null ? null : row.medianUnitPrice.toFixed(12) }))
          expect(rounded(stats)).toEqual(rounded(expected))
        }
      },
    ),
    { numRuns, endOnFailure: true },
  )
})

it('a day ends at midnight in UTC, for sales and orders', async () => {
  const midnight = FIRST + 9 * DAY
  for (const at of [new Date(midnight - 1), new Date(midnight)]) {
    await buy({ buyer: 0, items: [{ seller: 0, token: 0, amount: 1, price: 1_000_000n, part: null }], at, undone: false, basisPoints: 0 })
    await order({ at, token: 0, amount: 7, isDebit: false })
  }
  const stats = await readStats(market.database, { from: '2030-03-09', to: '2030-03-11T00:00:00Z' })
  expect(stats).toMatchObject([
    { day: '2030-03-09', sales: 1, credited: 7 },
    { day: '2030-03-10', sales: 1, credited: 7 },
  ])
})

describe('the range', () => {
  const now = new Date('2031-05-20T10:30:00Z')

  it('is the last 30 days unless it is said', () => {
    expect(readRange({}, now)).toEqual({ from: new Date('2031-04-20T10:30:00Z'), to: now })
  })

  it('by hour is the last 48 hours, and never longer', () => {
    expect(readRange({}, now, 'hour')).toEqual({ from: new Date('2031-05-18T10:30:00Z'), to: now })
    const from = '2031-05-18T10:30:00Z'
    expect(readRange({ from }, now, 'hour')).toEqual({ from: new Date(from), to: now })
    expect(() => readRange({ from: '2031-05-18T10:29:59.999Z' }, now, 'hour')).toThrow('at most 48 hours')
  })

  it('takes dates in UTC, and times with their zone', () => {
    const range = readRange({ from: '2031-02-01', to: '2031-02-02T00:00:00+02:00' }, now)
    expect(range).toEqual({ from: new Date('2031-02-01T00:00:00Z'), to: new Date('2031-02-01T22:00:00Z') })
  })

  it.each(['', 'yesterday', '2031-02-30', '2031-13-01', '2031-02-01T00:00', '1e9', '2031-02-01T25:00:00Z'])('%j is no time', (from) => {
    expect(() => readRange({ from }, now)).toThrow('from must be')
  })

  it('does not run backwards', () => {
    expect(() => readRange({ from: '2031-02-02', to: '2031-02-01' }, now)).toThrow('from must not be after to')
  })
})

describe('CSV', () => {
  it('has a line of names, then a line for each row', () => {
    const row = { sales: 2, amount: 5, buyers: 1, volumeLamports: '7', medianUnitPrice: null, feesLamports: '0', credited: 3, debited: 0 }
    expect(statsCsv([{ tokenType: 'APPLE_JUICE', ...row }], 'tokenType')).toBe(
      'tokenType,sales,buyers,volumeLamports,medianUnitPrice,feesLamports,credited,debited,amount\r\nAPPLE_JUICE,2,1,7,,0,3,0,5\r\n',
    )
  })

  it.each([
    [undefined, false],
    ['*/*', false],
    ['application/json', false],
    ['text/csv', true],
    ['Text/CSV; q=0.5', true],
    ['text/csv;q=0', false],
    ['text/csv;q=0.4, application/json;q=0.5', false],
    ['application/json, text/csv', true],
  ])('is sent for %j: %s', (accept, expected) => {
    expect(takesCsv(accept)).toBe(expected)
  })
})
