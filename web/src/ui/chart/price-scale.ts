import { roundToLamport } from '@juicebar/contract/money'

const STEPS = [1, 2, 2.5, 5, 10]
/** A chart shows at least this share of its highest price from bottom to top: else the least move would look like a fall. */
const LEAST_SHARE = 0.05
/** In SOL; no price is between two of them. */
const LAMPORT = 1e-9

/** The lowest and highest price of a chart, and the prices of its lines. */
export interface PriceScale {
  low: number
  high: number
  ticks: readonly number[]
}

/**
 * A scale for prices from `low` to `high`, with round prices at about `count` lines and some air above and below. Where all prices are
 * the same, they are in the middle.
 */
export function priceScale(low: number, high: number, count: number): PriceScale {
  const span = high - low
  const air = span > 0 ? Math.max(span * 0.08, (high * LEAST_SHARE - span) / 2) : low > 0 ? low * 0.2 : 1
  const bottom = Math.max(0, low - air)
  const top = high + air
  const step = roundStep((top - bottom) / Math.max(1, count))
  const first = Math.ceil(bottom / step - 1e-9)
  const last = Math.floor(top / step + 1e-9)
  const ticks = Array.from({ length: Math.max(0, last - first + 1) }, (_, index) => roundToLamport((first + index) * step))
  // A line is at a whole lamport, and so may be a little beyond.
  return { low: Math.min(bottom, ticks[0] ?? bottom), high: Math.max(top, ticks.at(-1) ?? top), ticks }
}

/** The smallest round number not below `atLeast`: 1, 2, 2.5 or 5, times a power of ten, and a whole number of lamports. */
export function roundStep(atLeast: number): number {
  if (!(atLeast > LAMPORT)) return LAMPORT
  const magnitude = 10 ** Math.floor(Math.log10(atLeast))
  const step = STEPS.find((candidate) => candidate * magnitude >= atLeast * (1 - 1e-9) && isWhole((candidate * magnitude) / LAMPORT)) ?? 10
  return roundToLamport(step * magnitude)
}

function isWhole(lamports: number): boolean {
  return Math.abs(lamports - Math.round(lamports)) < 1e-3
}

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

/** Lines of a time axis are a whole number of these apart: hours, days, or months. */
const steps: readonly { millis: number; unit: 'hour' | 'day' | 'month'; count: number }[] = [
  { millis: HOUR, unit: 'hour', count: 1 },
  { millis: 3 * HOUR, unit: 'hour', count: 3 },
  { millis: 6 * HOUR, unit: 'hour', count: 6 },
  { millis: 12 * HOUR, unit: 'hour', count: 12 },
  { millis: DAY, unit: 'day', count: 1 },
  { millis: 2 * DAY, unit: 'day', count: 2 },
  { millis: 7 * DAY, unit: 'day', count: 7 },
  { millis: 14 * DAY, unit: 'day', count: 14 },
  { millis: 30 * DAY, unit: 'month', count: 1 },
  { millis: 91 * DAY, unit: 'month', count: 3 },
  { millis: 182 * DAY, unit: 'month', count: 6 },
  { millis: 365 * DAY, unit: 'month', count: 12 },
  { millis: 1_826 * DAY, unit: 'month', count: 60 },
]

/** A line of a time axis. */
interface TimeTick {
  /** In milliseconds. */
  at: number
  /** What the axis says there: a time of the day, a day, or a year. */
  shows: 'hour' | 'day' | 'month' | 'year'
}

/** The lines of a time axis between two moments in milliseconds: at most `most`, at whole hours, days or months of the browser's time zone. */
export function timeTicks(from: number, to: number, most: number): TimeTick[] {
  const step = steps.find(({ millis }) => (to - from) / millis <= most) ?? steps.at(-1)
  if (!step || !(to > from)) return []
  const ticks: TimeTick[] = []
  for (let index = 0; ticks.length <= most + 1; index++) {
    const at = tickAt(from, index, step)
    if (at > to) break
    if (at >= from) ticks.push({ at, shows: showsAt(at, step.unit) })
  }
  return ticks.slice(0, most + 1)
}

function tickAt(from: number, index: number, { unit, count }: { unit: 'hour' | 'day' | 'month'; count: number }): number {
  const first = new Date(from)
  const [year, month, day] = [first.getFullYear(), first.getMonth(), first.getDate()]
  const steps = index * count
  if (unit === 'hour') return new Date(year, month, day, steps).getTime()
  if (unit === 'day') return new Date(year, month, day + steps).getTime()
  return new Date(year, month - (month % count) + steps, 1).getTime()
}

function showsAt(at: number, unit: 'hour' | 'day' | 'month'): TimeTick['shows'] {
  const time = new Date(at)
  if (unit === 'hour' && time.getHours() > 0) return 'hour'
  if (unit !== 'month') return 'day'
  return time.getMonth() === 0 ? 'year' : 'month'
}
