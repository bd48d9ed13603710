import { SearchIcon } from './icons.tsx'

interface SearchBoxProps {
  /** What is searched, for screen readers. */
  label: string
  /** In the address, where a form without a script puts it. */
  name?: string
  maxLength: number
  value: string
  onChange: (value: string) => void
}

/** A field to search by. */
export function SearchBox({ label, name, maxLength, value, onChange }: SearchBoxProps) {
  return (
    <label className="block">
      <span className="sr-only">{label}</span>
      <span className="relative block">
        <span className="pointer-events-none absolute inset-y-0 left-3.5 grid place-items-center text-dim">
          <SearchIcon />
        </span>
        <input
          type="search"
          name={name}
          className="field pl-11"
          placeholder="Search..."
          maxLength={maxLength}
          spellCheck={false}
          value={value}
          onChange={(event) => onChange(event.target.value)}
        />
      </span>
    </label>
  )
}
