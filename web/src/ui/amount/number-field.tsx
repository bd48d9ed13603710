import { useId } from 'react'

interface NumberFieldProps {
  label: string
  min: number
  max?: number
  step: number
  inputMode: 'numeric' | 'decimal'
  value: string
  problem: string | undefined
  onChange: (value: string) => void
  onEnter: () => void
}

/** A labelled number field with its problem shown below. */
export function NumberField({ label, problem, onChange, onEnter, ...input }: NumberFieldProps) {
  const id = useId()
  return (
    <div className="grid content-start gap-1.5">
      <label htmlFor={id} className="text-small font-semibold">
        {label}
      </label>
      <input
        id={id}
        type="number"
        className="field figures"
        aria-invalid={problem !== undefined}
        aria-describedby={`${id}-problem`}
        onChange={(event) => onChange(event.target.value)}
        onKeyDown={(event) => event.key === 'Enter' && onEnter()}
        {...input}
      />
      <p id={`${id}-problem`} className="min-h-5 text-tiny text-warn">
        {problem}
      </p>
    </div>
  )
}
