import { priceLine } from './candles.ts'
import { type Candle } from './figure-queries.ts'

const HOUR = 60 * 60_000
/** The picture's own units; it is stretched to the available space. */
const WIDTH = 96
const HEIGHT = 32
const EDGE = 3

interface SparkLineProps {
  /** Of an hour each. */
  candles: readonly Candle[]
  /** Of the right edge, in milliseconds. The left one is a day before. */
  now: number
  className?: string
}

/** The price of the last day as a small line. The text beside it describes it. */
export function SparkLine({ candles, now, className = '' }: SparkLineProps) {
  return (
    <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" aria-hidden="true" className={className}>
      <path
        d={sparkPath(candles, now)}
        fill="none"
        strokeWidth="2"
        strokeLinecap="round"
        strokeLinejoin="round"
        vectorEffect="non-scaling-stroke"
        className="chart-line"
      />
    </svg>
  )
}

/**
 * The line as an SVG path; empty until the first trade is an hour old, because it would only be a dot. A constant price is in the middle.
 */
export function sparkPath(candles: readonly Candle[], now: number): string {
  const [first] = candles
  if (!first || now - Date.parse(first.start) < HOUR) return ''
  const points = priceLine(candles, HOUR, now)
  const prices = points.map(({ price }) => price)
  const low = Math.min(...prices)
  const span = Math.max(...prices) - low
  const x = (at: number) => Math.max(0, WIDTH - ((now - at) / (24 * HOUR)) * WIDTH)
  const y = (price: number) => (span > 0 ? HEIGHT - EDGE - ((price - low) / span) * (HEIGHT - 2 * EDGE) : HEIGHT / 2)
  return points.map(({ at, price }, index) => `${index === 0 ? 'M' : 'L'}${x(at).toFixed(1)} ${y(price).toFixed(1)}`).join('')
}
