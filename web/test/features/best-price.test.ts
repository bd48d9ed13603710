import fc from 'fast-check'
import { describe, expect, test } from 'vitest'

import { watchPrice } from '../../src/features/purchase/best-price/quote.ts'
import { readAmount, sliderStops, stopAt } from '../../src/ui/amount/amount-field.tsx'

describe('a price that is asked for again', () => {
  test('has to be accepted if it has risen, and says from where', () => {
    const first = watchPrice(undefined, 10, 100n)
    expect(first).toEqual({ amount: 10, total: 100n })
    const risen = watchPrice(first, 10, 120n)
    expect(risen).toEqual({ amount: 10, total: 120n, risenFrom: 100n })
    expect(watchPrice(risen, 10, 130n)).toEqual({ amount: 10, total: 130n, risenFrom: 100n })
    expect(watchPrice(risen, 10, 120n).risenFrom).toBe(100n)
  })

  test('needs no word if it has fallen, or is for another amount', () => {
    expect(watchPrice({ amount: 10, total: 120n, risenFrom: 100n }, 10, 100n)).toEqual({ amount: 10, total: 100n })
    expect(watchPrice({ amount: 10, total: 120n }, 11, 500n)).toEqual({ amount: 11, total: 500n })
  })
})

describe('the slider', () => {
  test('stops at ever farther round numbers from 1 to the end', () => {
    expect(sliderStops(1)).toEqual([1])
    expect(sliderStops(12)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12])
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 1_000_000_000 }), (max) => {
        const stops = sliderStops(max)
        expect(stops[0]).toBe(1)
        expect(stops.at(-1)).toBe(max)
        expect(stops.length).toBeLessThan(100)
        stops.slice(1).forEach((stop, index) => expect(stop).toBeGreaterThan(stops[index] ?? 0))
      }),
    )
  })

  test('is at the last stop that is not above the amount', () => {
    expect(stopAt([1, 2, 5], 4)).toBe(1)
    expect(stopAt([1, 2, 5], 900)).toBe(2)
  })
})

test('an amount is a whole number within its bounds', () => {
  expect(readAmount('120', 1_000)).toBe(120)
  for (const text of ['', '0', '-1', '1.5', '1e3', '1001', 'ten']) expect(readAmount(text, 1_000)).toBeUndefined()
})
