import { type Listing } from '@juicebar/contract/schemas'
import { describe, expect, it } from 'vitest'

import { checkFigures, type FiguresSeen } from '../../chaos/checks/figures/check-figures.ts'
import { type CaseSeen } from '../../chaos/checks/product-record.ts'
import { recordOf, soldPurchase } from './product-records.ts'

const settledAt = '2030-01-01T00:00:02.500Z'
const now = Date.parse(settledAt) + 1_000
const apple = { id: 'p1.01', tokenType: 'APPLE_JUICE', amount: 3, price: 3e-7, unitPrice: 1e-7, signature: 'paid', settledAt }
const soda = { id: 'p1.02', tokenType: 'GRAPE_SODA', amount: 1, price: 1e-7, unitPrice: 1e-7, signature: 'paid', settledAt }
const listing: Listing = {
  _id: 'l9',
  seller: 'seller 1',
  tokenName: 'Apple Juice',
  tokenType: 'APPLE_JUICE',
  amount: 3,
  price: 0.001,
  unitPrice: 0.000333333,
  divisible: true,
  status: 'active',
  heldUntil: null,
  createdAt: settledAt,
}
const held = { ...listing, _id: 'l8', price: 0.0001, heldUntil: settledAt }
const candle = { open: 1e-7, high: 1e-7, low: 1e-7, close: 1e-7, amount: 3, sol: 3e-7, trades: 1, average: 1e-7 }
const depth = { levels: [{ unitPrice: 0.000333333, amount: 3, listings: 1 }], floor: 0.000333333, amount: 3 }
const summary = { tokenType: 'APPLE_JUICE', floor: 0.000333333, last: 1e-7, change24h: null, volume24h: 3e-7, amount: 3 }
const vanished: CaseSeen = {
  caseId: 'c1',
  kind: 'vanished',
  status: 'open',
  purchaseId: 'p1',
  buyer: 'buyer',
  seller: 'seller 1',
  lamports: '300',
  fee: null,
  signature: 'paid',
  refundSignature: null,
}

const right: FiguresSeen = {
  trades: [soda, apple],
  listings: [listing, held],
  candles: new Map([['APPLE_JUICE 1d', [{ start: '2030-01-01T00:00:00.000Z', ...candle }]]]),
  depths: new Map([['APPLE_JUICE', depth]]),
  summary: [summary],
}
const nothing: FiguresSeen = { trades: [], listings: [], candles: new Map([['APPLE_JUICE 1d', []]]), depths: new Map(), summary: [] }
const check = (seen: Partial<FiguresSeen>, product = recordOf({ purchases: [soldPurchase] })) =>
  checkFigures({ ...right, ...seen }, product, now)

describe('chaos', () => {
  it('accepts figures that follow from what was sold and is for sale', () => {
    expect(check({})).toEqual([])
    expect(check(nothing, recordOf({ purchases: [soldPurchase], cases: [vanished] }))).toEqual([])
  })

  it.each<[string, Partial<FiguresSeen>, string]>([
    ['a trade is missing', { trades: [apple] }, 'the trades'],
    ['a trade has another price', { trades: [{ ...soda, price: 2e-7 }, apple] }, 'the trades'],
    ['a candle is missing', { candles: new Map([['APPLE_JUICE 1d', []]]) }, 'the candles of APPLE_JUICE 1d'],
    [
      'a candle starts at another time',
      { candles: new Map([['APPLE_JUICE 5m', [{ start: '2030-01-01T00:05:00.000Z', ...candle }]]]) },
      'the candles of APPLE_JUICE 5m',
    ],
    ['a held listing counts', { depths: new Map([['APPLE_JUICE', { ...depth, amount: 6 }]]) }, 'the depth of APPLE_JUICE'],
    ['the floor is another', { summary: [{ ...summary, floor: 0.0001 }] }, 'the summary of APPLE_JUICE'],
    ['the volume is another', { summary: [{ ...summary, volume24h: 0 }] }, 'the summary of APPLE_JUICE'],
  ])('finds that %s', (_, seen, what) => {
    expect(check(seen)).toEqual([expect.stringContaining(`${what}: `)])
  })

  it('finds trades whose payment the chain has undone', () => {
    expect(check({}, recordOf({ purchases: [soldPurchase], cases: [vanished] }))).toEqual([expect.stringContaining('the trades: ')])
  })

  it('counts the change of a day from the last trade before it', () => {
    const yesterday = { ...apple, id: 'p0.01', price: 6e-7, settledAt: '2029-12-31T00:00:00.000Z' }
    const product = recordOf({
      purchases: [
        soldPurchase,
        { ...soldPurchase, purchaseId: 'p0', items: [{ ...soldPurchase.items[0]!, lamports: '600' }], settledAt: yesterday.settledAt },
      ],
    })
    const seen = { trades: [soda, apple, yesterday], candles: new Map() }
    expect(check({ ...seen, summary: [{ ...summary, change24h: -0.5 }] }, product)).toEqual([])
    expect(check({ ...seen, summary: [summary] }, product)).toHaveLength(1)
  })
})
