import { type CandleSeries, gathered, type Range, ranges, stepMillis } from '../../figures/candle-series.ts'
import { type Candle } from '../../figures/figure-queries.ts'

/** The minimum width of a candle with its spacing, in pixels. */
const LEAST_PLACE = 6
/** A chart of all trades is at least this many steps long, even on a market's first day. */
const LEAST_STEPS = 14

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR
/** How long a candle of each range may be: on a narrow screen there are fewer, longer ones. */
const candleSteps: Record<Range, readonly number[]> = {
  day: [5, 10, 15, 30, 60].map((minutes) => minutes * MINUTE),
  week: [1, 2, 3, 4, 6, 12].map((hours) => hours * HOUR),
  month: [4, 6, 8, 12, 24].map((hours) => hours * HOUR),
  all: [1, 2, 7, 14, 28, 91, 182, 364].map((days) => days * DAY),
}

/** The start and end of a chart in milliseconds: whole steps, including the current one. */
export interface Frame {
  from: number
  to: number
  step: number
}

/** The candles of a chart's frame, each one step long, oldest first. */
export interface ChartData {
  frame: Frame
  candles: readonly Candle[]
}

/** Fits a range into a chart of a width in pixels. */
export function chartData(range: Range, { candles, from }: CandleSeries, { now, width }: { now: number; width: number }): ChartData {
  const [first] = candles
  const base = stepMillis[ranges[range].step]
  const begin = from ?? Math.min(first ? Date.parse(first.start) : now, now - LEAST_STEPS * base)
  const choices = candleSteps[range]
  const fits = (step: number) => ((now - begin) / step + 1) * LEAST_PLACE <= width
  const step = choices.find(fits) ?? choices.at(-1) ?? base
  const frame = { from: Math.floor(begin / step) * step, to: (Math.floor(now / step) + 1) * step, step }
  return { frame, candles: gathered(candles, step) }
}

/** The index of the candle nearest to a moment in milliseconds; undefined if there is none. */
export function nearestCandle({ frame: { step }, candles }: ChartData, at: number): number | undefined {
  let nearest: number | undefined
  let distance = Infinity
  for (const [index, { start }] of candles.entries()) {
    const away = Math.abs(Date.parse(start) + step / 2 - at)
    if (away < distance) [nearest, distance] = [index, away]
  }
  return nearest
}

/** How far the price moved over all candles, as a fraction of the first; undefined without two prices to compare. */
export function changeOver(candles: readonly Candle[]): number | undefined {
  const [first, next] = candles
  const last = candles.at(-1)
  const isOneTrade = first?.trades === 1 && next === undefined
  return first && last && first.open > 0 && !isOneTrade ? last.close / first.open - 1 : undefined
}
