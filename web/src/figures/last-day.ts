import { type TokenType } from '@juicebar/contract/catalogue'
import { queryOptions } from '@tanstack/react-query'

import { type Candle, figureKeys, FIGURES_REFRESH_MS, readCandles } from './figure-queries.ts'

export const HOUR = 60 * 60_000
export const DAY = 24 * HOUR

/** The hours of the last day, for a small picture. */
export function hoursQuery(tokenType: TokenType) {
  return queryOptions({
    queryKey: [...figureKeys.candles(tokenType), 'hours'],
    queryFn: ({ signal }) => readCandles({ tokenType, step: '1h', from: new Date(nextStep(Date.now(), HOUR) - DAY).toISOString() }, signal),
    refetchInterval: FIGURES_REFRESH_MS,
    meta: { quiet: true },
  })
}

/** The end of the step that is under way. */
export function nextStep(now: number, millis: number): number {
  return (Math.floor(now / millis) + 1) * millis
}

/** A price at a moment in milliseconds. */
interface PricePoint {
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
