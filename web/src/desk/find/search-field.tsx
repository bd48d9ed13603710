import { type FormEvent, useId, useState } from 'react'

import { Button } from '../../ui/button.tsx'
import { SearchIcon } from '../../ui/icons.tsx'
import { placeLink } from '../frame/places.ts'

/** One search field for everything. Give it a `key`, so that it is reset when another place is opened. */
export function SearchField({ text = '' }: { text?: string }) {
  const id = useId()
  const [value, setValue] = useState(text)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (value.trim()) location.assign(placeLink('find', value.trim()))
  }
  return (
    <form role="search" className="flex gap-2" onSubmit={submit}>
      <label htmlFor={id} className="sr-only">
        Find a wallet, a purchase or a transaction
      </label>
      <span className="relative min-w-0 flex-1">
        <span className="pointer-events-none absolute inset-y-0 left-3.5 grid place-items-center text-dim">
          <SearchIcon />
        </span>
        <input
          id={id}
          type="search"
          className="field pl-11"
          placeholder="Wallet, purchase or transaction"
          autoComplete="off"
          spellCheck={false}
          value={value}
          onChange={(event) => setValue(event.target.value)}
        />
      </span>
      <Button type="submit" className="min-h-11.5">
        Find
      </Button>
    </form>
  )
}
