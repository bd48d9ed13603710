import fc from 'fast-check'
import { describe, expect, test } from 'vitest'

import { boardFor, visibleRange } from '../../src/features/market/market-grid.tsx'

describe('the board', () => {
  test('fills any width exactly', () => {
    fc.assert(
      fc.property(fc.integer({ min: 540, max: 4_000 }), (width) => {
        const { columns, cardWidth, gap } = boardFor(width, 16)
        expect(columns * cardWidth + (columns - 1) * gap).toBeCloseTo(width)
        expect(cardWidth).toBeGreaterThanOrEqual(244)
      }),
    )
    expect(boardFor(320, 16)).toMatchObject({ columns: 1, cardWidth: 320, cardHeight: 160 })
    expect(boardFor(1280, 32).columns).toBe(2)
  })

  test('has every row that the window shows, and not many more', () => {
    fc.assert(
      fc.property(fc.nat(500), fc.nat(200_000), fc.integer({ min: 1, max: 2_000 }), (count, scroll, height) => {
        const { first, end } = visibleRange({ count, rowHeight: 400, top: 300 }, { scroll, height })
        const shown = Array.from({ length: count }, (_, row) => row).filter(
          (row) => 300 + row * 400 < scroll + height && 300 + (row + 1) * 400 > scroll,
        )
        for (const row of shown) expect(row >= first && row < end).toBe(true)
        expect(end - first).toBeLessThanOrEqual(shown.length + 8)
      }),
    )
    expect(visibleRange({ count: 0, rowHeight: 400, top: 0 }, { scroll: 0, height: 900 })).toEqual({ first: 0, end: 0 })
  })
})
