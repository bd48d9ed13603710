import fc from 'fast-check'
import { describe, expect, it } from 'vitest'

import { gathered, withTail } from '../../src/figures/candle-series.ts'
import { type Candle } from '../../src/figures/figure-queries.ts'
import { priceLine } from '../../src/figures/last-day.ts'
import { sparkPath } from '../../src/features/market/price-strip.tsx'

const MINUTE = 60_000
const STEP = 5 * MINUTE
const BEGIN = Date.UTC(2030, 0, 1)

/** A trade in lamports, some minutes after the beginning. */
interface Trade {
  minute: number
  unit: number
  amount: number
}

const trades = fc
  .array(fc.record({ minute: fc.nat(600), unit: fc.integer({ min: 1, max: 5_000_000 }), amount: fc.integer({ min: 1, max: 1_000 }) }), {
    maxLength: 60,
  })
  .map((list) => list.toSorted((a, b) => a.minute - b.minute))

/** Candles as the server makes them: of each step, the trades in their order. */
function candlesOf(list: readonly Trade[], step: number): Candle[] {
  const steps = new Map<number, Trade[]>()
  for (const trade of list) {
    const index = Math.floor((trade.minute * MINUTE) / step)
    steps.set(index, [...(steps.get(index) ?? []), trade])
  }
  return [...steps].map(([index, inside]) => {
    const units = inside.map(({ unit }) => unit / 1e9)
    const amount = inside.reduce((sum, trade) => sum + trade.amount, 0)
    const lamports = inside.reduce((sum, trade) => sum + trade.amount * trade.unit, 0)
    const half = 2n * BigInt(lamports) + BigInt(amount)
    return {
      start: new Date(BEGIN + index * step).toISOString(),
      open: units[0]!,
      high: Math.max(...units),
      low: Math.min(...units),
      close: units.at(-1)!,
      amount,
      sol: lamports / 1e9,
      trades: inside.length,
      average: Number(half / (2n * BigInt(amount))) / 1e9,
    }
  })
}

describe('candles', () => {
  it('of a longer step are the same as if the server had made them', () => {
    fc.assert(
      fc.property(trades, fc.constantFrom(1, 2, 3, 6, 12), (list, factor) => {
        expect(gathered(candlesOf(list, STEP), factor * STEP)).toEqual(candlesOf(list, factor * STEP))
      }),
    )
  })

  it('of a longer step have an average that is rounded up at half a lamport', () => {
    const halves = [1, 2].map((unit) => ({ minute: unit * 5, unit, amount: 1 }))
    expect(gathered(candlesOf(halves, STEP), 12 * STEP)).toMatchObject([{ average: 2e-9 }])
  })

  it('with their tail read again are the same as if all had been', () => {
    fc.assert(
      fc.property(trades, fc.nat(600), fc.nat(20), (list, minute, stepsBefore) => {
        const before = candlesOf(
          list.filter((trade) => trade.minute < minute),
          STEP,
        )
        const all = candlesOf(list, STEP)
        // The tail begins with the step in which the first were read, or earlier.
        const from = BEGIN + Math.max(0, Math.floor((minute * MINUTE) / STEP) - stepsBefore) * STEP
        const tail = all.filter(({ start }) => Date.parse(start) >= from)
        expect(withTail(before, from, tail)).toEqual(all)
      }),
    )
  })

  it('whose trades were undone leave with the tail', () => {
    const all = candlesOf(
      [1, 6, 11].map((minute) => ({ minute, unit: 1, amount: 1 })),
      STEP,
    )
    expect(withTail(all, BEGIN + STEP, [])).toEqual(all.slice(0, 1))
  })
})

describe('the line of a price', () => {
  it('is at every close, stays there until the next trade, and ends now', () => {
    const list = [
      { minute: 2, unit: 1_000_000_000, amount: 1 },
      { minute: 22, unit: 3_000_000_000, amount: 1 },
    ]
    const at = (minutes: number) => BEGIN + minutes * MINUTE
    expect(priceLine(candlesOf(list, STEP), STEP, at(24))).toEqual([
      { at: at(2.5), price: 1 },
      { at: at(20), price: 1 },
      { at: at(22.5), price: 3 },
      { at: at(24), price: 3 },
    ])
    expect(priceLine([], STEP, at(24))).toEqual([])
  })

  it('never goes back in time, nor beyond now', () => {
    fc.assert(
      fc.property(trades, fc.integer({ min: 0, max: 30 }), (list, later) => {
        const now = BEGIN + ((list.at(-1)?.minute ?? 0) + later) * MINUTE
        const times = priceLine(candlesOf(list, STEP), STEP, now).map(({ at }) => at)
        expect(times).toEqual(times.toSorted((a, b) => a - b))
        expect(times.every((at) => at <= now)).toBe(true)
      }),
    )
  })

  it('is drawn inside its small picture', () => {
    fc.assert(
      fc.property(trades, (list) => {
        const now = BEGIN + 601 * MINUTE
        const candles = candlesOf(list, 60 * MINUTE)
        const path = sparkPath(candles, now)
        const numbers = path
          .split(/[ML]/)
          .filter(Boolean)
          .map((point) => point.split(' ').map(Number))
        expect(path !== '').toBe(candles.some(({ start }) => Date.parse(start) <= now - 60 * MINUTE))
        for (const [x = -1, y = -1] of numbers) {
          expect(x >= 0 && x <= 96 && y >= 0 && y <= 32).toBe(true)
        }
      }),
    )
  })
})
