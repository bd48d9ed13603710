import { MIN_PRICE_SOL, PRICE_STEP_SOL } from '@juicebar/contract/limits'
import { type OwnListing } from '@juicebar/contract/schemas'
import { type FormEvent, useEffect, useRef, useState } from 'react'

import { NumberField } from '../../ui/amount/number-field.tsx'
import { Button } from '../../ui/button.tsx'
import { formatAmount } from '../../ui/format.ts'
import { changedPrice, newPriceProblem, pricedRest } from './price-change.ts'
import { useChangePrice } from './use-change-price.ts'

/** Changes the price of a listing in its row: a button that becomes a form. */
export function ChangePrice({ listing }: { listing: OwnListing }) {
  const [isOpen, setOpen] = useState(false)
  const button = useRef<HTMLButtonElement>(null)
  const wasOpen = useRef(false)
  useEffect(() => {
    if (wasOpen.current && !isOpen) button.current?.focus()
    wasOpen.current = isOpen
  }, [isOpen])
  if (isOpen) return <PriceForm listing={listing} onClose={() => setOpen(false)} />
  return (
    <Button
      ref={button}
      small
      className="col-span-full mt-1 justify-self-start"
      disabled={listing.heldUntil !== null}
      onClick={() => setOpen(true)}
    >
      Change price
    </Button>
  )
}

function PriceForm({ listing, onClose }: { listing: OwnListing; onClose: () => void }) {
  const { amount, price } = pricedRest(listing)
  const [text, setText] = useState(price)
  const { change, reset, isPending, failure } = useChangePrice(listing._id)
  const form = useRef<HTMLFormElement>(null)
  useEffect(() => form.current?.querySelector('input')?.select(), [])
  useEffect(() => {
    const element = form.current
    const closeOnEscape = ({ key }: KeyboardEvent) => key === 'Escape' && onClose()
    element?.addEventListener('keydown', closeOnEscape)
    return () => element?.removeEventListener('keydown', closeOnEscape)
  }, [onClose])
  const isHeld = listing.heldUntil !== null
  const problem = newPriceProblem(listing, text) ?? (isHeld ? 'A buyer is paying for this listing right now.' : failure)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (text.trim() === '' || isHeld || isPending || newPriceProblem(listing, text)) return
    const changed = changedPrice(listing, text)
    if (changed === undefined) onClose()
    // The field is described by the problem below it.
    else change(changed, { onSuccess: onClose, onError: () => form.current?.querySelector('input')?.focus() })
  }
  return (
    <form ref={form} noValidate aria-label="Change price" className="col-span-full mt-2 grid gap-1" onSubmit={submit}>
      <NumberField
        label={`New price for ${listing.beingBought > 0 ? `the ${formatAmount(amount)} that are left` : 'all of it'} (SOL)`}
        min={MIN_PRICE_SOL}
        step={PRICE_STEP_SOL}
        inputMode="decimal"
        value={text}
        problem={problem}
        onChange={(next) => {
          reset()
          setText(next)
        }}
        onEnter={() => undefined}
      />
      <div className="flex flex-wrap gap-2">
        <Button small onClick={onClose}>
          Cancel
        </Button>
        <Button kind="primary" small type="submit" disabled={isHeld || text.trim() === ''}>
          Save
        </Button>
      </div>
    </form>
  )
}
