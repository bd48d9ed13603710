import { type PointerEvent, type ReactNode, useId, useState } from 'react'

import { Button } from '../../ui/button.tsx'
import { useWidth } from '../../ui/chart/use-width.ts'

interface ChartCardProps {
  title: string
  /** The figure above the chart: the total, or the value of the selected bar. */
  figure: ReactNode
  /** What the figure measures. */
  of: ReactNode
  chart: ReactNode
  /** The same as numbers. */
  table: ReactNode
}

/** A chart, with its numbers one click away. */
export function ChartCard({ title, figure, of, chart, table }: ChartCardProps) {
  const id = useId()
  const [numbers, setNumbers] = useState(false)
  return (
    <section aria-labelledby={id} className="card flex min-h-72 flex-col gap-3 p-4 sm:p-5">
      <div className="flex items-start justify-between gap-3">
        <div className="min-w-0">
          <h3 id={id} className="text-small">
            {title}
          </h3>
          <p className="mt-1.5 flex min-h-7 flex-wrap items-baseline gap-x-2">
            <span className="figures text-lead font-bold">{figure}</span> <span className="text-tiny text-dim">{of}</span>
          </p>
        </div>
        <Button
          kind="bare"
          small
          className="-mt-1.5 -mr-2"
          aria-pressed={numbers}
          aria-label={`${title} as numbers`}
          onClick={() => setNumbers(!numbers)}
        >
          {numbers ? 'Chart' : 'Numbers'}
        </Button>
      </div>
      <div className="flex min-h-0 flex-1 flex-col justify-end">{numbers ? table : chart}</div>
    </section>
  )
}

interface Share {
  key: string
  label: string
  value: number
  /** The value in words. */
  text: string
  /** Which drink's colour; without it, the colour of warnings. */
  token?: string
}

/** A few values as bars that lie below each other, the longest as wide as there is room. Their text is beside them, so they need no scale. */
export function ShareBars({ shares, tone }: { shares: readonly Share[]; tone: 'drink' | 'warn' }) {
  const most = Math.max(1e-12, ...shares.map(({ value }) => value))
  return (
    <ul className="grid flex-1 content-evenly gap-3">
      {shares.map(({ key, label, value, text, token }) => (
        <li key={key} data-token={token} className="grid gap-1.5">
          <p className="flex items-baseline justify-between gap-3 text-small">
            <span className="flex items-center gap-2 font-semibold">
              {token && <span className="dot" />}
              {label}
            </span>
            <span className="figures text-dim">{text}</span>
          </p>
          <svg width="100%" height="10" aria-hidden="true" className="block">
            <rect width="100%" height="10" rx="5" className="fill-well" />
            {value > 0 && (
              <rect
                width={`${Math.max(1.5, (value / most) * 100)}%`}
                height="10"
                rx="5"
                className={tone === 'drink' ? 'chart-drink' : 'fill-warn'}
              />
            )}
          </svg>
        </li>
      ))}
    </ul>
  )
}

const HEIGHT = 150
/** Above the highest bar, for the label of the top line. */
const HEADROOM = 18

interface TimeChartProps {
  kind: 'bars' | 'line'
  /** One for each day or hour, the last being the present one; null if there is none. */
  values: readonly (number | null)[]
  /** What the chart shows, in a sentence. */
  summary: string
  /** The label of the top line. */
  topLabel: (top: number) => string
  firstLabel: string
  lastLabel: string
  /** The selected one. */
  marked: number | undefined
  onMark: (index: number | undefined) => void
}

/** Values of days or hours as bars or as a line. The present and the selected one are in full colour. */
export function TimeChart({ kind, values, summary, topLabel, firstLabel, lastLabel, marked, onMark }: TimeChartProps) {
  const { width, ref } = useWidth()
  const top = roundTop(Math.max(0, ...values.map((value) => value ?? 0)))
  const onPointerMove = (event: PointerEvent) => {
    const { left } = event.currentTarget.getBoundingClientRect()
    onMark(placeAt(event.clientX - left, { count: values.length, width }))
  }
  const size = { width, height: HEIGHT - HEADROOM, top }
  return (
    <div>
      <div ref={ref} className="touch-pan-y" onPointerMove={onPointerMove} onPointerLeave={() => onMark(undefined)}>
        <svg role="img" aria-label={summary} width="100%" height={HEIGHT} className="block overflow-visible">
          <line x1="0" x2="100%" y1={HEADROOM} y2={HEADROOM} className="stroke-line" strokeDasharray="2 4" />
          <text x="0" y={HEADROOM - 6} className="fill-dim text-tiny">
            {topLabel(top)}
          </text>
          <g transform={`translate(0 ${HEADROOM})`}>
            {kind === 'bars' ? <Bars values={values} size={size} marked={marked} /> : <Line values={values} size={size} marked={marked} />}
          </g>
          <line x1="0" x2="100%" y1={HEIGHT - 0.5} y2={HEIGHT - 0.5} className="stroke-edge" />
        </svg>
      </div>
      <p className="mt-1.5 flex justify-between text-tiny text-dim" aria-hidden="true">
        <span>{firstLabel}</span>
        <span>{lastLabel}</span>
      </p>
    </div>
  )
}

interface DrawnProps {
  values: readonly (number | null)[]
  size: { width: number; height: number; top: number }
  marked: number | undefined
}

function Bars({ values, size: { width, height, top }, marked }: DrawnProps) {
  const places = barPlaces(values.length, width)
  return places.map((place, index) => {
    const value = values[index] ?? 0
    const tall = value > 0 ? Math.max(2, (value / top) * height) : 0
    const strong = marked === undefined ? index === values.length - 1 : index === marked
    return (
      <rect
        key={index}
        x={place.x}
        y={height - tall}
        width={place.width}
        height={tall}
        rx={Math.min(4, place.width / 3)}
        className={`chart-bar ${strong ? 'fill-text' : 'fill-edge'}`}
      />
    )
  })
}

function Line({ values, size, marked }: DrawnProps) {
  const { path, lone } = linePath(values, size)
  const at = marked ?? values.findLastIndex((value) => value !== null)
  const value = values[at]
  const place = size.width / Math.max(1, values.length)
  return (
    <>
      {marked !== undefined && (
        <line x1={(marked + 0.5) * place} x2={(marked + 0.5) * place} y1={0} y2={size.height} className="stroke-line" />
      )}
      <path d={path} fill="none" strokeWidth="2.5" strokeLinecap="round" strokeLinejoin="round" className="stroke-text" />
      {lone.map(({ x, y }) => (
        <circle key={x} cx={x} cy={y} r="3" className="fill-text" />
      ))}
      {value !== null && value !== undefined && (
        <circle
          cx={(at + 0.5) * place}
          cy={size.height - (value / size.top) * size.height}
          r="5"
          className="fill-text stroke-card"
          strokeWidth="2"
        />
      )}
    </>
  )
}

const STEPS = [1, 2, 2.5, 5, 10]

/** The smallest round number not below `highest`, for the top of a chart; 1 if there is nothing to show. */
export function roundTop(highest: number): number {
  if (!(highest > 0)) return 1
  const magnitude = 10 ** Math.floor(Math.log10(highest))
  const step = STEPS.find((candidate) => candidate * magnitude >= highest * (1 - Number.EPSILON)) ?? 10
  return Number((step * magnitude).toPrecision(3))
}

/** The positions of a chart's bars, in pixels from its left edge: up to a third of each slot stays free. */
export function barPlaces(count: number, width: number): { x: number; width: number }[] {
  const place = width / Math.max(1, count)
  const bar = Math.max(1, Math.min(place * 0.7, 40))
  return Array.from({ length: count }, (_, index) => ({ x: index * place + (place - bar) / 2, width: bar }))
}

/**
 * A line through the values, as an SVG path. It has gaps for missing values.
 *
 * @returns the lines, and the single points between gaps, which no line would show
 */
export function linePath(
  values: readonly (number | null)[],
  { width, height, top }: { width: number; height: number; top: number },
): { path: string; lone: { x: number; y: number }[] } {
  const place = width / Math.max(1, values.length)
  const points = values.map((value, index) =>
    value === null ? undefined : { x: round((index + 0.5) * place), y: round(height - (value / top) * height) },
  )
  const parts = points.flatMap((point, index) => (point ? [`${points[index - 1] ? 'L' : 'M'}${point.x} ${point.y}`] : []))
  const lone = points.filter((point, index) => point !== undefined && !points[index - 1] && !points[index + 1])
  return { path: parts.join(''), lone: lone.filter((point) => point !== undefined) }
}

/** The place of a chart that is nearest to `x`, in pixels from its left edge. */
export function placeAt(x: number, { count, width }: { count: number; width: number }): number {
  return Math.max(0, Math.min(count - 1, Math.floor((x / width) * count)))
}

/** A tenth of a pixel is finer than anyone can see. */
function round(pixels: number): number {
  return Math.round(pixels * 10) / 10
}
