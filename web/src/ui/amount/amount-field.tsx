import { useId, useMemo } from 'react'

import { Button } from '../button.tsx'
import { formatAmount } from '../format.ts'

interface AmountFieldProps {
  label: string
  /** The typed text, which may not be a number. */
  value: string
  /** The amount that it represents; undefined if it is not valid. */
  amount: number | undefined
  max: number
  /** Said below the label. */
  hint?: string
  problem: string | undefined
  onChange: (value: string) => void
}

/** A whole number from 1 to `max`, with a text field, step buttons and a slider. */
export function AmountField({ label, value, amount, max, hint, problem, onChange }: AmountFieldProps) {
  const id = useId()
  const stops = useMemo(() => sliderStops(max), [max])
  const stop = stopAt(stops, amount ?? 1)
  return (
    <div className="grid content-start gap-1.5">
      <div className="flex items-baseline justify-between gap-3 text-small">
        <label htmlFor={id} className="font-semibold">
          {label}
        </label>
        {hint && <span className="figures text-tiny text-dim">{hint}</span>}
      </div>
      <div className="grid grid-cols-[auto_minmax(0,1fr)_auto] gap-2">
        <Button
          className="text-lead"
          aria-label="One less"
          disabled={amount === undefined || amount <= 1}
          onClick={() => onChange(String((amount ?? 2) - 1))}
        >
          −
        </Button>
        <input
          id={id}
          type="number"
          inputMode="numeric"
          min={1}
          max={max}
          step={1}
          className="field figures text-center font-semibold"
          value={value}
          aria-invalid={problem !== undefined}
          aria-describedby={`${id}-problem`}
          onChange={(event) => onChange(event.target.value)}
        />
        <Button
          className="text-lead"
          aria-label="One more"
          disabled={amount !== undefined && amount >= max}
          onClick={() => onChange(String((amount ?? 0) + 1))}
        >
          +
        </Button>
      </div>
      {max > 1 && (
        <input
          type="range"
          className="slider"
          aria-label={`${label}, up to ${formatAmount(max)}`}
          aria-valuetext={amount === undefined ? 'no amount' : formatAmount(amount)}
          min={0}
          max={stops.length - 1}
          step={1}
          value={stop}
          onChange={(event) => onChange(String(stops[Number(event.target.value)] ?? 1))}
        />
      )}
      <p id={`${id}-problem`} className="text-tiny text-warn empty:hidden">
        {problem}
      </p>
    </div>
  )
}

const EVERY_ONE = 10
/** Beyond that: round numbers at distances that grow along, so that a short slider reaches far. */
const ROUND = [1.2, 1.5, 2, 2.5, 3, 4, 5, 6, 8, 10]

/** The whole numbers from 1 to `max` that a slider stops at. */
export function sliderStops(max: number): number[] {
  const stops = Array.from({ length: Math.min(max, EVERY_ONE) }, (_, index) => index + 1)
  for (let scale = EVERY_ONE; scale < max; scale *= 10) {
    for (const round of ROUND) if (Math.round(round * scale) < max) stops.push(Math.round(round * scale))
  }
  if (max > EVERY_ONE) stops.push(max)
  return stops
}

/** Where a number is on a slider with these stops: at the last one that is not above it. */
export function stopAt(stops: readonly number[], value: number): number {
  return Math.max(
    0,
    stops.findLastIndex((stop) => stop <= value),
  )
}

/** Reads a typed amount; undefined unless it is a whole number from 1 to `max`. */
export function readAmount(text: string, max: number): number | undefined {
  const amount = Number(text)
  return /^\d+$/.test(text.trim()) && amount >= 1 && amount <= max ? amount : undefined
}
