import { useId } from 'react'

interface PartsSwitchProps {
  checked: boolean
  onChange: (checked: boolean) => void
}

/** Whether buyers may take a part of the listing. */
export function PartsSwitch({ checked, onChange }: PartsSwitchProps) {
  const id = useId()
  return (
    <div className="relative flex items-center justify-between gap-4">
      <div>
        <label htmlFor={id} className="cursor-pointer text-small font-semibold after:absolute after:inset-0">
          May be bought in parts
        </label>
        <p id={`${id}-hint`} className="text-tiny text-dim">
          Buyers may take fewer than all of them, at the same price for each.
        </p>
      </div>
      <input
        id={id}
        type="checkbox"
        role="switch"
        className="switch"
        aria-describedby={`${id}-hint`}
        checked={checked}
        aria-checked={checked}
        onChange={(event) => onChange(event.target.checked)}
      />
    </div>
  )
}
