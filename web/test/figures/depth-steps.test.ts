import fc from 'fast-check'
import { describe, expect, it } from 'vitest'

import { cheaperThan, depthSteps } from '../../src/figures/depth-steps.ts'
import { type Level } from '../../src/figures/figure-queries.ts'

function level(lamports: number, amount: number): Level {
  return { unitPrice: lamports / 1e9, lamports: String(lamports), amount, listings: 1 }
}

const levels = fc
  .uniqueArray(fc.integer({ min: 1, max: 2_000_000_000 }), { minLength: 1, maxLength: 200 })
  .chain((prices) =>
    fc.tuple(
      ...prices.toSorted((a, b) => a - b).map((lamports) => fc.integer({ min: 1, max: 10_000 }).map((amount) => level(lamports, amount))),
    ),
  )

describe('the steps of what is for sale', () => {
  it('of few prices are these prices', () => {
    const few = [level(4_000_000, 40), level(5_500_000, 2)]
    expect(depthSteps(few, 7)).toEqual([
      { price: 0.004, inclusive: true, amount: 40 },
      { price: 0.0055, inclusive: true, amount: 42 },
    ])
    expect(depthSteps([], 7)).toEqual([])
  })

  it('of many prices are round ones', () => {
    const many = Array.from({ length: 40 }, (_, index) => level(4_100_000 + index * 100_000, 10))
    expect(depthSteps(many, 7)).toEqual([
      { price: 0.005, inclusive: false, amount: 90 },
      { price: 0.006, inclusive: false, amount: 190 },
      { price: 0.007, inclusive: false, amount: 290 },
      { price: 0.008, inclusive: false, amount: 390 },
      { price: 0.009, inclusive: false, amount: 400 },
    ])
  })

  it('say of each price what can be had for less, rise, and leave nothing cheap out', () => {
    fc.assert(
      fc.property(levels, fc.integer({ min: 3, max: 8 }), (all, most) => {
        const steps = depthSteps(all, most)
        expect(steps.length).toBeGreaterThan(0)
        expect(steps.length).toBeLessThanOrEqual(most)
        for (const [index, { price, inclusive, amount }] of steps.entries()) {
          const cheap = all.filter(({ unitPrice }) => (inclusive ? unitPrice <= price : unitPrice < price))
          expect(amount).toBe(cheap.reduce((sum, level) => sum + level.amount, 0))
          expect(amount).toBeGreaterThan(steps[index - 1]?.amount ?? 0)
          expect(price).toBeGreaterThan(steps[index - 1]?.price ?? 0)
        }
      }),
    )
  })
})

it('drinks of the same price are not cheaper, however the price was divided', () => {
  const levels = [level(333_333_333, 3), level(500_000_000, 4)]
  expect([0.3, 1 / 3, 0.4, 0.5, 1].map((price) => cheaperThan(levels, price))).toEqual([0, 0, 3, 3, 7])
})
