import fc from 'fast-check'
import { describe, expect, it } from 'vitest'

import { candleTime, candleWords } from '../../src/features/drink/price-chart.tsx'
import { changeOver, chartData, nearestCandle } from '../../src/features/drink/price-chart.tsx'
import { type Range, ranges, stepMillis } from '../../src/figures/candle-series.ts'
import { changeText, changeWords } from '../../src/figures/change.tsx'
import { type Candle } from '../../src/figures/figure-queries.ts'

const HOUR = 3_600_000
const NOW = Date.UTC(2030, 5, 15, 12, 34, 56)

function candle(start: number, change: Partial<Candle> = {}): Candle {
  return {
    start: new Date(start).toISOString(),
    open: 1,
    high: 3,
    low: 0.5,
    close: 2,
    amount: 10,
    sol: 15,
    trades: 4,
    average: 1.5,
    ...change,
  }
}

describe('a chart', () => {
  it('has room for its candles at any width, and they are inside its frame', () => {
    fc.assert(
      fc.property(
        fc.constantFrom<Range>('day', 'week', 'month', 'all'),
        fc.integer({ min: 240, max: 2_000 }),
        fc.uniqueArray(fc.nat(700), { maxLength: 100 }),
        (range, width, places) => {
          const step = stepMillis[ranges[range].step]
          const last = Math.floor(NOW / step) * step
          const count = ranges[range].count
          const from = count === undefined ? undefined : last - (count - 1) * step
          const starts = places.map((place) => last - place * step).filter((start) => from === undefined || start >= from)
          const candles = starts.toSorted((a, b) => a - b).map((start) => candle(start))
          const { frame, candles: shown } = chartData(range, { candles, from, readAt: NOW }, { now: NOW, width })
          expect(frame.to).toBeGreaterThan(NOW)
          expect((frame.to - frame.from) / frame.step).toBeLessThanOrEqual(width / 4)
          expect(shown.every(({ start }) => Date.parse(start) >= frame.from && Date.parse(start) < frame.to)).toBe(true)
          expect(shown.reduce((sum, { trades }) => sum + trades, 0)).toBe(candles.length * 4)
        },
      ),
    )
  })

  it('finds the candle that is pointed at', () => {
    const data = { frame: { from: 0, to: 24 * HOUR, step: HOUR }, candles: [2, 3, 20].map((hour) => candle(hour * HOUR)) }
    expect([0, 2.6, 3.1, 11, 12.5, 24].map((hour) => nearestCandle(data, hour * HOUR))).toEqual([0, 0, 1, 1, 2, 2])
    expect(nearestCandle({ ...data, candles: [] }, 0)).toBeUndefined()
  })

  it('says how far the price moved', () => {
    expect(changeOver([candle(0, { open: 2 }), candle(HOUR, { close: 3 })])).toBe(0.5)
    expect(changeOver([])).toBeUndefined()
    expect(changeOver([candle(0, { trades: 1, open: 2, close: 2 })])).toBeUndefined()
    expect(changeOver([candle(0, { trades: 2, open: 2, close: 1 })])).toBe(-0.5)
    expect(changeOver([candle(0, { open: 0 })])).toBeUndefined()
    expect([0.0251, -0.5, 0.0004, 12].map(changeWords)).toEqual(['up 2.5%', 'down 50%', 'unchanged', 'up 1,200%'])
    expect(changeText(-0.1234)).toBe('12.3%')
  })

  it('is read out candle by candle', () => {
    const words = candleWords(candle(Date.UTC(2030, 0, 5)), 24 * HOUR)
    expect(words).toBe('5 Jan 2030: first 1, highest 3, lowest 0.5, last 2 SOL. 10 for 15 SOL in 4 trades.')
    expect(candleWords(candle(Date.UTC(2030, 0, 5), { trades: 1, close: 1.5 }), 24 * HOUR)).toBe(
      '5 Jan 2030: at 1.5 SOL. 10 for 15 SOL in 1 trade.',
    )
    expect(candleTime(candle(Date.UTC(2030, 0, 5)), 7 * 24 * HOUR)).toBe('5 Jan 2030 to 11 Jan 2030')
  })
})
