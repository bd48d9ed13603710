import { type InputHTMLAttributes, type ReactNode, useId } from 'react'

interface Labels {
  label: string
  /** What there is to know about it, below. */
  hint?: string | undefined
}

interface LabelledProps extends Labels {
  /** The field, with the attributes that connect it to both. */
  children: (labelled: { id: string; 'aria-describedby': string | undefined }) => ReactNode
}

/** The label above a field, and the hint below. */
function Labelled({ label, hint, children }: LabelledProps) {
  const id = useId()
  const hintId = `${id}-hint`
  return (
    <div className="grid content-start gap-1.5">
      <label htmlFor={id} className="text-small font-semibold">
        {label}
      </label>
      {children({ id, 'aria-describedby': hint ? hintId : undefined })}
      {hint && (
        <p id={hintId} className="text-tiny text-dim">
          {hint}
        </p>
      )}
    </div>
  )
}

interface TextFieldProps extends Labels {
  value: string
  onChange: (value: string) => void
  lines?: number
  maxLength?: number
  required?: boolean
  type?: 'text' | 'datetime-local' | 'url'
  inputMode?: InputHTMLAttributes<HTMLInputElement>['inputMode']
}

/** A labelled field for text, of one line or of several. */
export function TextField({ label, hint, onChange, lines = 1, type = 'text', ...rest }: TextFieldProps) {
  const shared = { onChange: (event: { target: { value: string } }) => onChange(event.target.value), ...rest }
  return (
    <Labelled label={label} hint={hint}>
      {(labelled) =>
        lines > 1 ? (
          <textarea rows={lines} className="field py-2.5 leading-snug" {...labelled} {...shared} />
        ) : (
          <input type={type} className="field" autoComplete="off" spellCheck={false} {...labelled} {...shared} />
        )
      }
    </Labelled>
  )
}

interface SelectFieldProps extends Labels {
  options: readonly { value: string; label: string }[]
  chosen: string
  onChoose: (value: string) => void
}

/** A labelled list to choose one from. */
export function SelectField({ label, hint, options, chosen, onChoose }: SelectFieldProps) {
  return (
    <Labelled label={label} hint={hint}>
      {(labelled) => (
        <select className="field" value={chosen} onChange={(event) => onChoose(event.target.value)} {...labelled}>
          {options.map(({ value, label: name }) => (
            <option key={value} value={value}>
              {name}
            </option>
          ))}
        </select>
      )}
    </Labelled>
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
