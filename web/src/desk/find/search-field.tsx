import { parseSignature, parseWalletAddress } from '@juicebar/contract/addresses'
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
          placeholder="Wallet, id or signature"
          autoComplete="off"
          spellCheck={false}
          value={value}
          onChange={(event) => setValue(event.target.value)}
        />
      </span>
      <Button type="submit" className="min-h-11.5 max-sm:px-3">
        Find
      </Button>
    </form>
  )
}

/** What a person is searching for. */
type Search =
  | { kind: 'wallet'; walletAddress: string }
  | { kind: 'purchase'; purchaseId: string }
  | { kind: 'transaction'; signature: string }

const uuid = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/i
const base58Text = /[1-9A-HJ-NP-Za-km-z]{32,88}/g

/**
 * Reads the search field: a wallet, a purchase's id or a transaction's signature, also inside other text, such as an explorer's link.
 *
 * @returns undefined if the text names none of them
 */
export function readSearch(text: string): Search | undefined {
  const id = uuid.exec(text)?.[0]
  if (id) return { kind: 'purchase', purchaseId: id.toLowerCase() }
  const words = [...text.matchAll(base58Text)].map(([word]) => word)
  const signature = words.find(parseSignature)
  if (signature) return { kind: 'transaction', signature }
  const walletAddress = words.find(parseWalletAddress)
  return walletAddress ? { kind: 'wallet', walletAddress } : undefined
}
