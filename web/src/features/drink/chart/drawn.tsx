import { priceLine } from '../../../figures/candles.ts'
import { type Candle } from '../../../figures/figure-queries.ts'
import { type ChartData } from './frame.ts'
import { type Plot, tenth } from './plot.ts'

/** In pixels. */
const WIDEST = 18
/** So few steps with trades have a point each: a line alone would not show where they are. */
const FEW = 6

interface DrawnProps {
  plot: Plot
  data: ChartData
  marked?: number | undefined
}

/** The total paid in each step. */
export function VolumeBars({ plot, data: { candles }, marked }: DrawnProps) {
  const most = Math.max(...candles.map(({ sol }) => sol))
  return candles.map((candle, index) => {
    const { left, width } = bodyOf(plot, candle)
    const height = most > 0 ? Math.max(1.5, (candle.sol / most) * (plot.volumeBottom - plot.volumeTop)) : 0
    return (
      <rect
        key={candle.start}
        x={left}
        y={tenth(plot.volumeBottom - height)}
        width={width}
        height={tenth(height)}
        className={index === marked ? 'fill-text' : 'fill-edge opacity-70'}
      />
    )
  })
}

/** A candle for each step: rising ones are hollow, falling ones are filled, so that they differ by more than colour. */
export function CandleBodies({ plot, data: { candles }, marked }: DrawnProps) {
  return candles.map((candle, index) => {
    const { left, width } = bodyOf(plot, candle)
    const x = tenth(left + width / 2)
    const [top, bottom] = [plot.y(Math.max(candle.open, candle.close)), plot.y(Math.min(candle.open, candle.close))]
    const rises = candle.close >= candle.open
    return (
      <g
        key={candle.start}
        className={`${rises ? 'stroke-good' : 'stroke-fall'} ${index === marked ? '' : 'opacity-95'}`}
        strokeWidth="1.5"
      >
        <line x1={x} x2={x} y1={tenth(plot.y(candle.high))} y2={tenth(top)} />
        <line x1={x} x2={x} y1={tenth(bottom)} y2={tenth(plot.y(candle.low))} />
        <rect
          x={left + 0.75}
          y={tenth(top)}
          width={Math.max(1, tenth(width - 1.5))}
          height={Math.max(1, tenth(bottom - top))}
          className={rises ? 'fill-card' : 'fill-fall'}
        />
      </g>
    )
  })
}

/** The last price over time, and its current position. */
export function PriceLine({ plot, data, now }: DrawnProps & { now: number }) {
  const points = priceLine(data.candles, plot.frame.step, now).map(({ at, price }) => ({ x: tenth(plot.x(at)), y: tenth(plot.y(price)) }))
  const [first] = points
  const last = points.at(-1)
  if (!first || !last) return null
  const path = points.map(({ x, y }) => `${x} ${y}`).join('L')
  const floor = plot.volumeTop
  return (
    <>
      <path d={`M${first.x} ${floor}L${path}L${last.x} ${floor}Z`} className="fill-(--fruit) opacity-12" />
      <path d={`M${path}`} fill="none" strokeWidth="2.5" strokeLinecap="round" strokeLinejoin="round" className="chart-line" />
      {data.candles.length <= FEW &&
        data.candles.map(({ start, close }) => (
          <circle
            key={start}
            cx={tenth(plot.x(Math.min(Date.parse(start) + plot.frame.step / 2, now)))}
            cy={tenth(plot.y(close))}
            r="3.5"
            className="fill-(--fruit)"
          />
        ))}
      <circle cx={last.x} cy={last.y} r="4.5" className="fill-text stroke-card" strokeWidth="2" />
    </>
  )
}

function bodyOf({ frame, x }: Plot, { start }: Candle): { left: number; width: number } {
  const at = Date.parse(start)
  const place = x(at + frame.step) - x(at)
  const width = Math.min(WIDEST, Math.max(1, place * 0.72))
  return { left: tenth(x(at) + (place - width) / 2), width: tenth(width) }
}
