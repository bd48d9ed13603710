import { describe, expect, it } from 'vitest'

import { estimate } from '../../src/features/inventory/inventory.tsx'
import { cheaperText } from '../../src/features/inventory/sell-form.ts'
import { stripDrinks } from '../../src/features/market/price-strip.tsx'
import { allDrinks, staleAfter, type SummaryItem } from '../../src/figures/figure-queries.ts'
import { listing } from '../support/listing.ts'

const figures = (tokenType: SummaryItem['tokenType'], change: Partial<SummaryItem> = {}): SummaryItem => ({
  tokenType,
  floor: 0.5,
  last: 0.5,
  change24h: null,
  volume24h: 0,
  amount: 0,
  ...change,
})

describe('the prices above the market’s cards', () => {
  const summary = [figures('APPLE_JUICE', { amount: 5 }), figures('ORANGE_JUICE', { volume24h: 2 }), figures('GRAPE_SODA', { amount: 7 })]
  const names = (search: string, most: number, tokenType?: SummaryItem['tokenType']) =>
    stripDrinks(allDrinks(), { search, tokenType }, summary, most).map(({ name }) => name)

  it('are those that the filter lets through', () => {
    expect(names('', 3)).toEqual(['Apple Juice', 'Orange Juice', 'Grape Soda'])
    expect(names(' JUICE ', 3)).toEqual(['Apple Juice', 'Orange Juice'])
    expect(names('', 3, 'GRAPE_SODA')).toEqual(['Grape Soda'])
    expect(names('a seller', 3)).toHaveLength(3)
  })

  it('are of the most traded drinks if there is no room for all', () => {
    expect(names('', 2)).toEqual(['Orange Juice', 'Grape Soda'])
    expect(names('', 1)).toEqual(['Orange Juice'])
  })
})

describe('an inventory', () => {
  it('is worth what the cheapest cost, as far as any are for sale', () => {
    const owned = [
      { tokenType: 'APPLE_JUICE', balance: 10 },
      { tokenType: 'GRAPE_SODA', balance: 2 },
    ] as const
    expect(estimate(owned, [figures('APPLE_JUICE'), figures('GRAPE_SODA', { floor: 0.25 })])).toEqual({ total: 5.5, unpriced: [] })
    expect(estimate(owned, [figures('APPLE_JUICE'), figures('GRAPE_SODA', { floor: null })])).toEqual({
      total: 5,
      unpriced: ['GRAPE_SODA'],
    })
    expect(estimate(owned, [])).toEqual({ total: undefined, unpriced: ['APPLE_JUICE', 'GRAPE_SODA'] })
  })
})

describe('a price that is asked for', () => {
  it('comes after all cheaper ones, as far as they are known', () => {
    const levels = [
      { unitPrice: 0.1, lamports: '100000000', amount: 1_000, listings: 1 },
      { unitPrice: 0.2, lamports: '200000000', amount: 500, listings: 1 },
    ]
    expect(cheaperText({ levels, floor: 0.1, amount: 1_500 }, 0.2)).toBe('1,000')
    expect(cheaperText({ levels, floor: 0.1, amount: 1_500 }, 0.3)).toBe('1,500')
    expect(cheaperText({ levels, floor: 0.1, amount: 9_000 }, 0.3)).toBe('at least 1,500')
  })
})

describe('figures', () => {
  it('are asked for again when an event changes them, and no others', () => {
    const offers = [
      ['figures', 'summary'],
      ['figures', 'depth', 'APPLE_JUICE'],
    ]
    expect(staleAfter({ type: 'listing.held', listing: listing() })).toEqual(offers)
    expect(staleAfter({ type: 'listing.sold', listing: listing() })).toEqual([
      ...offers,
      ['figures', 'trades', 'APPLE_JUICE'],
      ['figures', 'candles', 'APPLE_JUICE'],
    ])
    expect(staleAfter({ type: 'reset' })).toEqual([['figures']])
    expect(staleAfter({ type: 'balance.changed' })).toEqual([])
  })
})
