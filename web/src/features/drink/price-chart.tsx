import { type KeyboardEvent, type PointerEvent } from 'react'

import { type CandleSeries, gathered, type Range, ranges, stepMillis } from '../../figures/candle-series.ts'
import { type Candle } from '../../figures/figure-queries.ts'
import { priceLine } from '../../figures/last-day.ts'
import { priceScale, type PriceScale, timeTicks } from '../../ui/chart/price-scale.ts'
import { dateFormat, formatAmount, formatUnitPrice } from '../../ui/format.ts'

/** In pixels, like everything here. */
const NARROW = 480
const VOLUME_HEIGHT = 48
const GAP = 14
const AXIS_HEIGHT = 24
const DIGIT_WIDTH = 7.4
const TICK_WIDTH = 68
/** How far Page Up and Page Down go. */
const PAGE = 10

/** The height of the whole chart for a width. `.chart-space` in layout.css reserves it before it loads. */
function chartHeight(width: number): number {
  return width < NARROW ? 290 : 380
}

interface PriceChartProps {
  data: ChartData
  kind: 'line' | 'candles'
  width: number
  /** The time, in milliseconds. */
  now: number
  /** A description for screen readers. */
  label: string
  /** The selected candle. */
  marked: number | undefined
  onMark: (index: number | undefined) => void
}

/**
 * Prices at the top, volumes at the bottom. The arrow keys move through the candles: for screen readers, it is a slider that announces each
 * one.
 */
export function PriceChart({ data, kind, width, now, label, marked, onMark }: PriceChartProps) {
  const { candles, frame } = data
  const plot = plotOf(data, kind, width)
  const last = candles.length - 1
  const current = candles[marked ?? last]
  const onPointerMove = (event: PointerEvent) => {
    const { left } = event.currentTarget.getBoundingClientRect()
    onMark(nearestCandle(data, frame.from + ((event.clientX - left) / plot.width) * (frame.to - frame.from)))
  }
  const onKeyDown = (event: KeyboardEvent) => {
    const next = event.key === 'Escape' ? undefined : stepTo(event.key, marked ?? last, last)
    if (next === undefined && event.key !== 'Escape') return
    event.preventDefault()
    onMark(next)
  }
  return (
    <div
      role="slider"
      tabIndex={0}
      aria-label={label}
      aria-valuemin={1}
      aria-valuemax={candles.length}
      aria-valuenow={(marked ?? last) + 1}
      aria-valuetext={current && candleWords(current, frame.step)}
      className="touch-pan-y rounded-field outline-offset-4"
      onPointerMove={onPointerMove}
      onPointerDown={onPointerMove}
      onPointerLeave={({ currentTarget }) => currentTarget.matches(':focus-visible') || onMark(undefined)}
      onFocus={(event) => event.currentTarget.matches(':focus-visible') && onMark(marked ?? last)}
      onBlur={() => onMark(undefined)}
      onKeyDown={onKeyDown}
    >
      <svg width={width} height={plot.height} aria-hidden="true" className="figures block overflow-visible text-tiny">
        <Axes plot={plot} />
        <VolumeBars plot={plot} data={data} marked={marked} />
        {kind === 'candles' ? <CandleBodies plot={plot} data={data} marked={marked} /> : <PriceLine plot={plot} data={data} now={now} />}
        {marked !== undefined && current && (
          <Mark plot={plot} at={Date.parse(current.start) + frame.step / 2} price={current.close} now={now} />
        )}
      </svg>
    </div>
  )
}

function plotOf({ candles, frame }: ChartData, kind: PriceChartProps['kind'], width: number): Plot {
  const height = chartHeight(width)
  const priceHeight = height - AXIS_HEIGHT - VOLUME_HEIGHT - GAP
  const lowest = candles.map(({ low, close }) => (kind === 'line' ? close : low))
  const highest = candles.map(({ high, close }) => (kind === 'line' ? close : high))
  const scale = priceScale(Math.min(...lowest), Math.max(...highest), Math.max(2, Math.floor(priceHeight / 44)))
  const labels = scale.ticks.map(formatUnitPrice)
  const plotWidth = Math.max(1, width - Math.max(0, ...labels.map(({ length }) => length)) * DIGIT_WIDTH - 8)
  const bottom = height - AXIS_HEIGHT
  return {
    frame,
    scale,
    width: plotWidth,
    height,
    volumeTop: bottom - VOLUME_HEIGHT,
    volumeBottom: bottom,
    x: (at) => ((at - frame.from) / (frame.to - frame.from)) * plotWidth,
    y: (price) => ((scale.high - price) / (scale.high - scale.low)) * priceHeight,
  }
}

function Axes({ plot }: { plot: Plot }) {
  const { frame, scale, width, height, x, y, volumeBottom } = plot
  const times = timeTicks(frame.from, frame.to, Math.max(2, Math.floor(width / TICK_WIDTH)))
  return (
    <>
      {scale.ticks.map((price) => (
        <g key={price}>
          <line x1={0} x2={width} y1={y(price)} y2={y(price)} className="stroke-line" strokeDasharray="2 4" />
          <text x={width + 8} y={y(price)} dy="0.32em" className="fill-dim">
            {formatUnitPrice(price)}
          </text>
        </g>
      ))}
      <line x1={0} x2={width} y1={volumeBottom + 0.5} y2={volumeBottom + 0.5} className="stroke-edge" />
      {times
        // Half a label is about as wide as the margin it needs at the edges.
        .filter(({ at }) => x(at) > TICK_WIDTH / 4 && x(at) < width - TICK_WIDTH / 8)
        .map(({ at, shows }) => (
          <g key={at}>
            <line x1={x(at)} x2={x(at)} y1={volumeBottom} y2={volumeBottom + 5} className="stroke-edge" />
            <text x={x(at)} y={height - 4} textAnchor="middle" className="fill-dim">
              {dateFormat(axisFormats[shows]).format(at)}
            </text>
          </g>
        ))}
    </>
  )
}

/** A line through the selected candle, and a dot at its price. */
function Mark({ plot, at, price, now }: { plot: Plot; at: number; price: number; now: number }) {
  const x = plot.x(Math.min(at, now))
  return (
    <>
      <line x1={x} x2={x} y1={0} y2={plot.volumeBottom} className="stroke-edge" />
      <circle cx={x} cy={plot.y(price)} r="5" className="fill-text stroke-card" strokeWidth="2" />
    </>
  )
}

function stepTo(key: string, from: number, last: number): number | undefined {
  const within = (index: number) => Math.max(0, Math.min(last, index))
  if (key === 'ArrowLeft' || key === 'ArrowDown') return within(from - 1)
  if (key === 'ArrowRight' || key === 'ArrowUp') return within(from + 1)
  if (key === 'PageDown') return within(from - PAGE)
  if (key === 'PageUp') return within(from + PAGE)
  if (key === 'Home') return 0
  return key === 'End' ? last : undefined
}

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
function VolumeBars({ plot, data: { candles }, marked }: DrawnProps) {
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
function CandleBodies({ plot, data: { candles }, marked }: DrawnProps) {
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
function PriceLine({ plot, data, now }: DrawnProps & { now: number }) {
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

/** The geometry of a chart, in pixels from its top left corner. */
interface Plot {
  frame: Frame
  scale: PriceScale
  /** Of the drawing; the price labels are to its right. */
  width: number
  height: number
  volumeTop: number
  volumeBottom: number
  /** For a moment in milliseconds. */
  x: (at: number) => number
  /** Of a price. */
  y: (price: number) => number
}

/** A tenth of a pixel is finer than anyone can see. */
function tenth(pixels: number): number {
  return Math.round(pixels * 10) / 10
}

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

const clock: Intl.DateTimeFormatOptions = { hour: '2-digit', minute: '2-digit' }
const day: Intl.DateTimeFormatOptions = { day: 'numeric', month: 'short' }
const dayAndClock: Intl.DateTimeFormatOptions = { ...day, ...clock }
/** Days of candles are days in UTC, wherever the browser is. */
const utcDay: Intl.DateTimeFormatOptions = { ...day, year: 'numeric', timeZone: 'UTC' }

/** The labels of a time axis. */
const axisFormats = { hour: clock, day, month: { month: 'short' }, year: { year: 'numeric' } } as const satisfies Record<
  string,
  Intl.DateTimeFormatOptions
>

/** The time of a candle whose step is this many milliseconds: "23 Nov, 14:00 to 14:15", or "23 Nov 2026". */
export function candleTime({ start }: Candle, step: number): string {
  const from = new Date(start)
  const to = new Date(from.getTime() + step)
  if (step < DAY) return `${dateFormat(dayAndClock).format(from)} to ${dateFormat(clock).format(to)}`
  return step === DAY
    ? dateFormat(utcDay).format(from)
    : `${dateFormat(utcDay).format(from)} to ${dateFormat(utcDay).format(new Date(to.getTime() - DAY))}`
}

/** What was traded in a candle: "120 for 0.48 SOL in 3 trades". */
export function candleVolume({ amount, sol, trades }: Pick<Candle, 'amount' | 'sol' | 'trades'>): string {
  return `${formatAmount(amount)} for ${formatUnitPrice(sol)} SOL in ${trades === 1 ? '1 trade' : `${formatAmount(trades)} trades`}`
}

/** A candle as a sentence for screen readers. */
export function candleWords(candle: Candle, step: number): string {
  const [open, high, low, close] = [candle.open, candle.high, candle.low, candle.close].map(formatUnitPrice)
  const prices = candle.trades === 1 ? `at ${close} SOL` : `first ${open}, highest ${high}, lowest ${low}, last ${close} SOL`
  return `${candleTime(candle, step)}: ${prices}. ${candleVolume(candle)}.`
}

/** The minimum width of a candle with its spacing, in pixels. */
const LEAST_PLACE = 6
/** A chart of all trades is at least this many steps long, even on a market's first day. */
const LEAST_STEPS = 14

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
