import fc from 'fast-check'
import { describe, expect, test } from 'vitest'

import { ageText } from '../../src/features/market/activity/market-activity.tsx'
import {
  type MarketSale,
  type SaleList,
  type SalesPage,
  withLatest,
  withOlder,
} from '../../src/features/market/activity/market-activity.tsx'

const PAGE = 4
const sale = (n: number): MarketSale => ({
  id: `sale ${String(n).padStart(5, '0')}`,
  tokenType: 'APPLE_JUICE',
  amount: n,
  price: n,
  unitPrice: 1,
  lamports: String(n * 1_000_000_000),
  feeLamports: '0',
  signature: 's',
  coSigned: true,
  // Two of each are of the same time.
  settledAt: new Date(Math.floor(n / 2)).toISOString(),
})

/** A page of the market, the newest first, after `cursor`. */
function pageOf(market: readonly MarketSale[], cursor?: string): SalesPage {
  const after = market.toReversed().filter(({ id }) => cursor === undefined || id < cursor)
  const trades = after.slice(0, PAGE)
  return { trades, nextCursor: after.length > PAGE ? (trades.at(-1)?.id ?? null) : null }
}

describe('the list of what was sold', () => {
  test('has no gap and nothing twice, whatever is sold, undone and asked for, in any order', () => {
    const step = fc.oneof(
      fc.record({ kind: fc.constant('sell' as const), count: fc.integer({ min: 1, max: 6 }) }),
      fc.record({ kind: fc.constant('undo' as const), which: fc.nat(30) }),
      fc.constant({ kind: 'renew' as const }),
      fc.constant({ kind: 'older' as const }),
    )
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
        let market: MarketSale[] = []
        let sold = 0
        let list: SaleList | undefined
        for (const one of steps) {
          if (one.kind === 'sell') for (let n = 0; n < one.count; n++) market.push(sale(sold++))
          if (one.kind === 'undo') market = market.filter(({ amount }) => amount !== sold - 1 - one.which)
          if (one.kind === 'older' && list?.nextCursor) list = withOlder(list, list.nextCursor, pageOf(market, list.nextCursor))
          if (one.kind === 'renew') list = withLatest(list, pageOf(market))
        }
        let all = withLatest(list, pageOf(market))
        const newest = market.toReversed()
        const shown = new Set(all.sales.map(({ id }) => id))
        expect(shown.size).toBe(all.sales.length)
        // What was undone further down may still be shown; nothing that was kept is missing between what is.
        expect(all.sales.filter(({ id }) => market.some((kept) => kept.id === id))).toEqual(
          newest.filter(({ id }) => id >= (all.sales.at(-1)?.id ?? '~')),
        )
        for (let pages = 0; all.nextCursor !== null && pages < 100; pages++) {
          all = withOlder(all, all.nextCursor, pageOf(market, all.nextCursor))
        }
        expect(newest.every(({ id }) => all.sales.some((one) => one.id === id))).toBe(true)
      }),
    )
  })

  test('forgets what was undone in its newest page', () => {
    const market = [1, 2, 3].map(sale)
    const list = withLatest(withLatest(undefined, pageOf(market)), pageOf(market.slice(1)))
    expect(list.sales.map(({ amount }) => amount)).toEqual([3, 2])
  })

  test('begins again where the newest page does not reach what is known', () => {
    const list = withLatest(withLatest(undefined, pageOf([1, 2].map(sale))), pageOf(Array.from({ length: 20 }, (_, n) => sale(n))))
    expect(list.sales).toHaveLength(PAGE)
    expect(list.nextCursor).not.toBeNull()
  })

  test('takes no page that was asked for before it began again', () => {
    const list = withLatest(undefined, pageOf(Array.from({ length: 20 }, (_, n) => sale(n))))
    expect(withOlder(list, 'another', pageOf([sale(0)]))).toBe(list)
  })

  test('stays small in a tab that is open for days', () => {
    let list: SaleList | undefined
    const market: MarketSale[] = []
    for (let n = 0; n < 3_000; n++) {
      market.push(sale(n))
      list = withLatest(list, pageOf(market.slice(-20)))
      expect(list.sales.length).toBeLessThanOrEqual(1_000)
    }
  })
})

test.each([
  [0, 'just now'],
  [-60_000, 'just now'],
  [1_000, '1 s ago'],
  [59_999, '59 s ago'],
  [60_000, '1 min ago'],
  [3_599_999, '59 min ago'],
  [3_600_000, '1 h ago'],
  [86_400_000, '1 d ago'],
  [7 * 86_400_000, expect.stringMatching(/^\d+ \w+ \d{4}, \d\d:\d\d$/)],
])('%i ms ago is told as %s', (age, text) => {
  const now = Date.UTC(2030, 5, 15, 12)
  expect(ageText(new Date(now - age).toISOString(), now)).toEqual(text)
})
