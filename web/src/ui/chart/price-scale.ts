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
  return { low: bottom, high: top, ticks }
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
