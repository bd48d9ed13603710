import { type InputHTMLAttributes, useId } from 'react'

interface TextFieldProps {
  label: string
  /** What there is to know about it, below. */
  hint?: string
  value: string
  onChange: (value: string) => void
  lines?: number
  maxLength?: number
  required?: boolean
  type?: 'text' | 'datetime-local' | 'url'
  inputMode?: InputHTMLAttributes<HTMLInputElement>['inputMode']
}

/** A labelled field for text, of one line or of several. */
export function TextField({ label, hint, value, onChange, lines = 1, type = 'text', ...rest }: TextFieldProps) {
  const id = useId()
  const shared = {
    id,
    value,
    'aria-describedby': hint ? `${id}-hint` : undefined,
    onChange: (event: { target: { value: string } }) => onChange(event.target.value),
    ...rest,
  }
  return (
    <div className="grid content-start gap-1.5">
      <label htmlFor={id} className="text-small font-semibold">
        {label}
      </label>
      {lines > 1 ? (
        <textarea rows={lines} className="field py-2.5 leading-snug" {...shared} />
      ) : (
        <input type={type} className="field" autoComplete="off" spellCheck={false} {...shared} />
      )}
      {hint && (
        <p id={`${id}-hint`} className="text-tiny text-dim">
          {hint}
        </p>
      )}
    </div>
  )
}

interface SelectFieldProps {
  label: string
  /** What there is to know about it, below. */
  hint?: string
  options: readonly { value: string; label: string }[]
  chosen: string
  onChoose: (value: string) => void
}

/** A labelled list to choose one from. */
export function SelectField({ label, hint, options, chosen, onChoose }: SelectFieldProps) {
  const id = useId()
  const hintId = `${id}-hint`
  return (
    <div className="grid content-start gap-1.5">
      <label htmlFor={id} className="text-small font-semibold">
        {label}
      </label>
      <select
        id={id}
        aria-describedby={hint ? hintId : undefined}
        className="field"
        value={chosen}
        onChange={(event) => onChoose(event.target.value)}
      >
        {options.map(({ value, label: name }) => (
          <option key={value} value={value}>
            {name}
          </option>
        ))}
      </select>
      {hint && (
        <p id={hintId} className="text-tiny text-dim">
          {hint}
        </p>
      )}
    </div>
  )
}

interface TickProps {
  label: string
  /** What it means, beside the label. */
  hint?: string
  checked: boolean
  disabled?: boolean
  onChange: (checked: boolean) => void
}

/** A labelled box to tick. */
export function Tick({ label, hint, checked, disabled = false, onChange }: TickProps) {
  return (
    <label className={`flex items-start gap-3 text-small ${disabled ? 'opacity-50' : 'cursor-pointer'}`}>
      <input type="checkbox" className="tick" checked={checked} disabled={disabled} onChange={(event) => onChange(event.target.checked)} />
      <span className="min-w-0">
        <span className="font-semibold">{label}</span>
        {hint && <span className="block text-tiny text-dim">{hint}</span>}
      </span>
    </label>
  )
}

interface ChoiceProps<Value extends string> {
  legend: string
  name: string
  options: readonly { value: Value; label: string }[]
  chosen: Value
  onChoose: (value: Value) => void
}

/** One of a few, side by side. */
export function Choice<Value extends string>({ legend, name, options, chosen, onChoose }: ChoiceProps<Value>) {
  return (
    <fieldset>
      <legend className="sr-only">{legend}</legend>
      <div className="flex flex-wrap gap-2">
        {options.map(({ value, label }) => (
          <label key={value} className="chip">
            <input type="radio" name={name} className="sr-only" checked={chosen === value} onChange={() => onChoose(value)} />
            {label}
          </label>
        ))}
      </div>
    </fieldset>
  )
}
