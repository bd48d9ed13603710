import fc from 'fast-check'
import { describe, expect, it } from 'vitest'

import { priceScale, roundStep, timeTicks } from '../../src/ui/chart/price-scale.ts'

const lamports = fc.integer({ min: 0, max: 1_000_000_000_000 })
/** Two prices in SOL, in lamports far from each other or next to each other. */
const prices = fc
  .tuple(lamports, fc.oneof(lamports, fc.nat(20)), fc.boolean())
  .map(([one, other, isNear]) => [one, isNear ? one + (other % 20) : other].toSorted((a, b) => a - b).map((price) => price / 1e9))

describe('a scale of prices', () => {
  it('reaches beyond all prices, and has a few round lines inside', () => {
    fc.assert(
      fc.property(prices, fc.integer({ min: 2, max: 8 }), ([low = 0, high = 0], count) => {
        const scale = priceScale(low, high, count)
        expect(scale.low).toBeLessThanOrEqual(low)
        expect(scale.low).toBeGreaterThanOrEqual(0)
        expect(scale.high).toBeGreaterThan(high)
        expect(scale.ticks.length).toBeLessThanOrEqual(count + 1)
        expect(scale.ticks.every((tick) => tick >= scale.low && tick <= scale.high)).toBe(true)
        expect(scale.ticks).toEqual([...new Set(scale.ticks)].toSorted((a, b) => a - b))
        expect(scale.ticks).toEqual(scale.ticks.map((tick) => Math.round(tick * 1e9) / 1e9))
      }),
    )
  })

  it('reaches its lines also where one is at a whole lamport and its end is not', () => {
    const { low, ticks } = priceScale(1000, 1000.000000003, 2)
    expect(ticks[0]).toBeGreaterThanOrEqual(low)
  })

  it('puts a price that never changed into the middle', () => {
    const { low, high, ticks } = priceScale(0.004, 0.004, 4)
    expect((low + high) / 2).toBeCloseTo(0.004, 12)
    expect(ticks).toContain(0.004)
  })

  it('shows a small move as a small one', () => {
    const { low, high } = priceScale(0.009228, 0.009254, 4)
    expect((0.009254 - 0.009228) / (high - low)).toBeLessThan(0.1)
    expect((low + high) / 2).toBeCloseTo(0.009241, 9)
  })

  it('has lines without the noise of floats', () => {
    expect(priceScale(0.1, 0.35, 4).ticks).toEqual([0.1, 0.2, 0.3])
    expect([0.0011, 0.003, 0.024, 1].map(roundStep)).toEqual([0.002, 0.005, 0.025, 1])
  })

  it('has no line between two lamports', () => {
    expect([0, 1e-10, 1e-9, 2.1e-9, 2.1e-8].map(roundStep)).toEqual([1e-9, 1e-9, 1e-9, 5e-9, 2.5e-8])
    expect(priceScale(1e-9, 2e-9, 5).ticks).toEqual([1e-9, 2e-9])
  })
})

describe('the lines of a time axis', () => {
  const DAY = 24 * 60 * 60_000

  it('are few, in order, inside, and at whole hours of where the browser is', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 40_000 }),
        fc.integer({ min: 1, max: 24 * 365 * 12 }),
        fc.integer({ min: 2, max: 12 }),
        (day, hours, most) => {
          const from = day * DAY + 17 * 60_000
          const to = from + hours * 60 * 60_000
          const ticks = timeTicks(from, to, most).map(({ at }) => at)
          expect(ticks.length).toBeLessThanOrEqual(most + 1)
          expect(ticks).toEqual([...new Set(ticks)].toSorted((a, b) => a - b))
          expect(ticks.every((at) => at >= from && at <= to && new Date(at).getMinutes() === 0)).toBe(true)
        },
      ),
    )
  })

  it('name hours within a day, days within a month, months within a year, and years', () => {
    const shown = (days: number) =>
      new Set(timeTicks(new Date(2030, 0, 10).getTime(), new Date(2030, 0, 10 + days).getTime(), 6).map(({ shows }) => shows))
    expect(shown(1)).toEqual(new Set(['day', 'hour']))
    expect(shown(7)).toEqual(new Set(['day']))
    expect(shown(300)).toEqual(new Set(['month']))
    expect(shown(2_000)).toEqual(new Set(['year']))
  })
})
