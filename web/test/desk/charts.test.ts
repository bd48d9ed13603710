import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'

import { barPlaces, linePath, placeAt, roundTop } from '../../src/desk/today/chart-card.tsx'

describe('the top of a chart', () => {
  it.each([
    [0, 1],
    [1, 1],
    [3, 5],
    [11, 20],
    [21, 25],
    [0.031, 0.05],
    [100, 100],
  ])('for %s is %s', (highest, top) => {
    expect(roundTop(highest)).toBe(top)
  })

  it('leaves room for every value, and never much more', () => {
    fc.assert(
      fc.property(fc.double({ min: 1e-9, max: 1e12, noNaN: true }), (highest) => {
        const top = roundTop(highest)
        expect(top).toBeGreaterThanOrEqual(highest * (1 - 1e-9))
        expect(top).toBeLessThanOrEqual(highest * 2.5)
      }),
    )
  })
})

describe('bars', () => {
  it('stand side by side inside the chart', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 90 }), fc.integer({ min: 200, max: 2000 }), (count, width) => {
        const places = barPlaces(count, width)
        expect(places).toHaveLength(count)
        for (const [index, { x, width: bar }] of places.entries()) {
          expect(x).toBeGreaterThanOrEqual(0)
          expect(x + bar).toBeLessThanOrEqual((places[index + 1]?.x ?? width) + 1e-6)
        }
      }),
    )
  })

  it('are found from where the pointer is', () => {
    const size = { count: 7, width: 350 }
    expect([-5, 0, 49, 50, 349, 360].map((x) => placeAt(x, size))).toEqual([0, 0, 0, 1, 6, 6])
  })
})

describe('a line', () => {
  const size = { width: 400, height: 100, top: 10 }

  it('goes through every value, and has gaps where there is none', () => {
    expect(linePath([0, 10, null, 5], size)).toEqual({ path: 'M50 100L150 0M350 50', lone: [{ x: 350, y: 50 }] })
  })

  it('of nothing is empty', () => {
    expect(linePath([null, null], size)).toEqual({ path: '', lone: [] })
  })
})
