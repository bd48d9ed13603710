import { type PointerEvent } from 'react'

import { barPlaces, linePath, placeAt, roundTop } from './scale.ts'
import { useWidth } from '../../ui/chart/use-width.ts'

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
