import { parseWalletAddress } from '@juicebar/contract/addresses'
import { useState } from 'react'

import { Button } from '../../ui/button.tsx'
import { formatTime, shortAddress } from '../../ui/format.ts'
import { placeLink } from '../frame/places.ts'

/** A wallet, linked to what its player has and does. */
export function WalletLink({ address }: { address: string }) {
  return (
    <a href={placeLink('find', address)} title={address} className="link figures whitespace-nowrap">
      {shortAddress(address)}
    </a>
  )
}

/** Who did something: a wallet of the staff, or a key by its name. */
export function Who({ name }: { name: string }) {
  return parseWalletAddress(name) ? <WalletLink address={name} /> : <span className="inline-block min-w-16 wrap-anywhere">{name}</span>
}

/** Anything else that can be looked for, linked to what is found. */
export function FindLink({ id, children }: { id: string; children?: string }) {
  return (
    <a href={placeLink('find', id)} title={id} className="link figures whitespace-nowrap">
      {children ?? `${id.slice(0, 8)}…`}
    </a>
  )
}

/** A drink, with its colour. */
export function DrinkName({ type, name }: { type: string; name: string }) {
  return (
    <span className="flex items-center gap-2 whitespace-nowrap" data-token={type}>
      <span className="dot" />
      {name}
    </span>
  )
}

/** A moment in the browser's time zone; the exact one in UTC is its title. */
export function Moment({ at }: { at: string }) {
  return (
    <time dateTime={at} title={at} className="whitespace-nowrap">
      {formatTime(at)}
    </time>
  )
}

/** Text to copy elsewhere, in full, with a copy button. */
export function Copyable({ label, text }: { label: string; text: string }) {
  const [copied, setCopied] = useState(false)
  const copy = () =>
    navigator.clipboard.writeText(text).then(
      () => setCopied(true),
      // Where the browser refuses, the text is there to be selected.
      () => undefined,
    )
  return (
    <span className="flex items-center gap-2">
      <code className="min-w-0 flex-1 font-sans wrap-anywhere select-all">{text}</code>
      <Button kind="bare" small aria-label={`Copy ${label}`} onClick={() => void copy()} onBlur={() => setCopied(false)}>
        {copied ? 'Copied' : 'Copy'}
      </Button>
    </span>
  )
}

interface SecretProps {
  what: string
  secret: string
  onPutAway: () => void
}

/** A secret that is shown this once. */
export function Secret({ what, secret, onPutAway }: SecretProps) {
  return (
    <div role="status" className="grid gap-3 rounded-field border border-edge p-4">
      <p className="text-small">
        <b className="font-semibold">{what} is shown this once.</b> Copy it now; nobody can show it again.
      </p>
      <div className="figures rounded-field bg-well px-4 py-2 text-small">
        <Copyable label="the secret" text={secret} />
      </div>
      <Button small className="justify-self-start" onClick={onPutAway}>
        I have it
      </Button>
    </div>
  )
}
