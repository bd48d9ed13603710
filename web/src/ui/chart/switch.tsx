interface SwitchProps<Value extends string> {
  /** What is chosen. */
  legend: string
  /** Of all radio buttons of the page, the name that only these have. */
  name: string
  options: readonly { value: Value; label: string }[]
  value: Value
  onChange: (value: Value) => void
}

/** One of a few, side by side. */
export function Switch<Value extends string>({ legend, name, options, value, onChange }: SwitchProps<Value>) {
  return (
    <fieldset>
      <legend className="sr-only">{legend}</legend>
      <div className="flex rounded-round bg-well p-1">
        {options.map((option) => (
          <label
            key={option.value}
            className="relative grid min-h-9 cursor-pointer place-items-center rounded-round px-2.5 text-small font-semibold text-dim hover:text-text has-checked:bg-raised has-checked:text-text has-checked:shadow-card sm:px-3.5 pointer-coarse:min-h-11 forced-colors:has-checked:outline"
          >
            <input type="radio" name={name} className="sr-only" checked={value === option.value} onChange={() => onChange(option.value)} />
            {option.label}
          </label>
        ))}
      </div>
    </fieldset>
  )
}
