import { describe, expect, test } from 'vitest'

import { type Level } from '../../src/figures/figure-queries.ts'
import {
  cheaperThan,
  compareUnitPrice,
  escrowPreview,
  isIncomplete,
  isMissing,
  matchingPrice,
  sellProblems,
  unitPriceOf,
} from '../../src/features/inventory/sell-form.ts'

describe('the sell form', () => {
  test('is incomplete while a field is empty or not above 0', () => {
    for (const fields of [
      { amount: '', price: '1' },
      { amount: '1', price: '' },
      { amount: '0', price: '1' },
      { amount: '1', price: '-1' },
    ]) {
      expect(isIncomplete(fields)).toBe(true)
    }
    expect(isIncomplete({ amount: '1', price: '0.001' })).toBe(false)
    expect(isMissing({ amount: '0', price: ' ' })).toBe(true)
    expect(isMissing({ amount: '0', price: '0' })).toBe(false)
  })

  test('names what is out of bounds', () => {
    const problems = (amount: string, price: string) => sellProblems({ amount, price, divisible: true }, 5)
    expect(problems('', '')).toEqual({ amount: undefined, price: undefined })
    expect(problems('5', '0.001')).toEqual({ amount: undefined, price: undefined })
    expect(problems('6', '0.0009')).toEqual({ amount: 'You have 5.', price: 'The lowest price is 0.001 SOL.' })
    expect(problems('1.5', '0.0015').amount).toBe('Only whole tokens can be sold.')
    expect(problems('1', '0.0015').price).toContain('steps of 0.001 SOL')
    expect(problems('1', '1000001').price).toContain('at most 1,000,000 SOL')
  })

  test('knows the unit price and how it compares', () => {
    expect(unitPriceOf({ amount: '4', price: '1' })).toBe(0.25)
    expect(unitPriceOf({ amount: '0', price: '1' })).toBeUndefined()
    expect(unitPriceOf({ amount: '', price: '' })).toBeUndefined()
  })

  test('takes the lowest price of one for all, rounded down to the step', () => {
    const cheapest = { amount: 7, lamports: '10000000' }
    expect(matchingPrice('7', cheapest)).toBe('0.01')
    expect(matchingPrice('14', cheapest)).toBe('0.02')
    // 12,857,142.86 lamports
    expect(matchingPrice('9', cheapest)).toBe('0.012')
    expect(matchingPrice('1', { amount: 1_000_000_000, lamports: '1000000' })).toBe('0.001')
    expect(matchingPrice('1000000000', { amount: 3, lamports: '1000000000000001' })).toBe('333333333333333.666')
    for (const amount of ['', '0', '-1', '1.5', 'x', '1e400']) expect(matchingPrice(amount, cheapest)).toBeUndefined()
  })

  test('knows where a price stands among the others', () => {
    const text = (unit: number, cheapest = 1) => compareUnitPrice(unit, cheapest).text
    expect(compareUnitPrice(1, 1)).toEqual({ text: 'Same as the lowest price', farOff: false })
    expect(text(0.999)).toBe('Yours would be the cheapest, by less than 1%')
    expect(text(1.001)).toBe('Less than 1% above the lowest price')
    expect(compareUnitPrice(1.5, 1)).toEqual({ text: '50% above the lowest price', farOff: false })
    expect(compareUnitPrice(0.51, 1)).toEqual({ text: 'Yours would be the cheapest, by 49%', farOff: false })
    expect(compareUnitPrice(0.5, 1)).toEqual({ text: 'Yours would be the cheapest, by 50%. Is this the price you mean?', farOff: true })
    expect(compareUnitPrice(2, 1).farOff).toBe(true)
  })

  test('says what drinks that may be bought in parts must cost, a lamport each', () => {
    const problem = (amount: number, price: string, divisible = true) =>
      sellProblems({ amount: String(amount), price, divisible }, 1_000_000_000).price
    expect(problem(1_000_000, '0.001')).toBeUndefined()
    expect(problem(1_000_001, '0.001')).toBe('To be sold in parts, this many must cost at least 0.002 SOL.')
    expect(problem(1_000_000_000, '0.999')).toBe('To be sold in parts, this many must cost at least 1 SOL.')
    expect(problem(1_000_001, '0.001', false)).toBeUndefined()
    expect(problem(1_000_001, '0.0001')).toBe('The lowest price is 0.001 SOL.')
  })

  test('says what the listing holds and what stays', () => {
    expect(escrowPreview('GRAPE_SODA', 1_000, 2_500)).toBe(
      'The listing holds 1,000 Grape Soda until it is sold or removed; 1,500 stay in your inventory.',
    )
  })
})

test('drinks of the same price are not cheaper, however the price was divided', () => {
  const level = (lamports: number, amount: number): Level => ({
    unitPrice: lamports / 1e9,
    lamports: String(lamports),
    amount,
    listings: 1,
  })
  const levels = [level(333_333_333, 3), level(500_000_000, 4)]
  expect([0.3, 1 / 3, 0.4, 0.5, 1].map((price) => cheaperThan(levels, price))).toEqual([0, 0, 3, 3, 7])
})
