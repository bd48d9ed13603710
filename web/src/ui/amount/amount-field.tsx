import { useId, useMemo } from 'react'

import { Button } from '../button.tsx'
import { formatAmount } from '../format.ts'
import { sliderStops, stopAt } from './slider-stops.ts'

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
