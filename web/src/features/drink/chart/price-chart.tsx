import { type KeyboardEvent, type PointerEvent } from 'react'

import { priceScale } from '../../../ui/chart/price-scale.ts'
import { timeTicks } from '../../../ui/chart/time-ticks.ts'
import { formatUnitPrice } from '../../../ui/format.ts'
import { axisFormats, candleWords } from './candle-words.ts'
import { CandleBodies, PriceLine, VolumeBars } from './drawn.tsx'
import { type ChartData, nearestCandle } from './frame.ts'
import { type Plot } from './plot.ts'

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
              {axisFormats[shows].format(at)}
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
