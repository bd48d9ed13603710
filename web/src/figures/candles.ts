import { LAMPORTS_PER_SOL, nearestLamports, roundToLamport } from '@juicebar/contract/money'

import { type Candle } from './figure-queries.ts'

const LAMPORTS = Number(LAMPORTS_PER_SOL)

/**
 * Candles with the newest of them read again: those that begin at `from` or later are replaced.
 *
 * @param from in milliseconds
 */
export function withTail(known: readonly Candle[], from: number, tail: readonly Candle[]): Candle[] {
  return [...known.filter(({ start }) => Date.parse(start) < from), ...tail]
}

/**
 * Candles of a longer step, made of those of a shorter one. Steps are counted from 1970, as the server does.
 *
 * @param step the longer one, in milliseconds: a multiple of the candles' own
 */
export function gathered(candles: readonly Candle[], step: number): Candle[] {
  const whole: Candle[] = []
  for (const candle of candles) {
    const start = new Date(Math.floor(Date.parse(candle.start) / step) * step).toISOString()
    const last = whole.at(-1)
    if (last?.start === start) whole[whole.length - 1] = together(last, candle)
    else whole.push({ ...candle, start })
  }
  return whole
}

/** A price at a moment in milliseconds. */
export interface PricePoint {
  at: number
  price: number
}

/**
 * The last price over time: it stays the same until the next trade. Each candle's price is placed in the middle of its step, and the
 * current step's price at the present moment.
 *
 * @param step of the candles, and `now`, in milliseconds
 */
export function priceLine(candles: readonly Candle[], step: number, now: number): PricePoint[] {
  const points: PricePoint[] = []
  let before: { start: number; close: number } | undefined
  for (const { start: text, close } of candles) {
    const start = Date.parse(text)
    if (before && start - before.start > step) points.push({ at: start, price: before.close })
    points.push({ at: Math.min(start + step / 2, Math.max(now, start)), price: close })
    before = { start, close }
  }
  const last = points.at(-1)
  if (last && last.at < now) points.push({ at: now, price: last.price })
  return points
}

function together(first: Candle, next: Candle): Candle {
  const amount = first.amount + next.amount
  const sol = roundToLamport(first.sol + next.sol)
  return {
    start: first.start,
    open: first.open,
    high: Math.max(first.high, next.high),
    low: Math.min(first.low, next.low),
    close: next.close,
    amount,
    sol,
    trades: first.trades + next.trades,
    // Of whole lamports, a half is rounded up, as the server does. A quotient of SOL may lie just below a half.
    average: Math.round(nearestLamports(sol) / amount) / LAMPORTS,
  }
}
