import { MIN_PRICE_SOL, PRICE_STEP_SOL } from '@juicebar/contract/limits'
import { nearestLamports, parsePrice, solText } from '@juicebar/contract/money'
import { type OwnListing } from '@juicebar/contract/schemas'
import { useMutation } from '@tanstack/react-query'
import { type FormEvent, type ReactNode, useEffect, useRef, useState } from 'react'

import { serverSentence } from '../../api/api-error.ts'
import { call } from '../../api/client.ts'
import { refreshMarket } from '../../api/queries.ts'
import { newIdempotencyKey } from '../../api/retry-passing.ts'
import { dismissBanner, showToast } from '../../feedback/notices.ts'
import { listingPriceProblem } from '../../ui/amount/listing-price.ts'
import { NumberField } from '../../ui/amount/number-field.tsx'
import { Button } from '../../ui/button.tsx'
import { formatAmount } from '../../ui/format.ts'

interface ChangePriceProps {
  listing: OwnListing
  /** What else can be done with it, beside the button. */
  children: ReactNode
}

/** Changes the price of a listing in its row: a button that becomes a form. */
export function ChangePrice({ listing, children }: ChangePriceProps) {
  const [isOpen, setOpen] = useState(false)
  const button = useRef<HTMLButtonElement>(null)
  const wasOpen = useRef(false)
  useEffect(() => {
    if (wasOpen.current && !isOpen) button.current?.focus()
    wasOpen.current = isOpen
  }, [isOpen])
  if (isOpen) return <PriceForm listing={listing} onClose={() => setOpen(false)} />
  return (
    <div className="col-span-full mt-1 flex flex-wrap gap-2">
      <Button ref={button} small disabled={listing.heldUntil !== null} onClick={() => setOpen(true)}>
        Change price
      </Button>
      {children}
    </div>
  )
}

function PriceForm({ listing, onClose }: { listing: OwnListing; onClose: () => void }) {
  const { amount, price } = pricedRest(listing)
  const [text, setText] = useState(price)
  const { change, reset, isPending, failure } = useChangePrice(listing._id)
  const form = useRef<HTMLFormElement>(null)
  useEffect(() => {
    const input = form.current?.querySelector('input')
    // Only a focus scrolls the field into view.
    input?.focus()
    input?.select()
  }, [])
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

/** Changes the price of one of the seller's listings, in SOL; the sentence of a failure is for beside the field. */
function useChangePrice(id: string) {
  /** Of the last price that was tried: trying it again must not undo a later change. */
  const tried = useRef({ price: 0, key: '' })
  const { mutate, reset, error, isPending } = useMutation({
    onMutate: dismissBanner,
    mutationFn: (price: number) => {
      if (tried.current.price !== price) tried.current = { price, key: newIdempotencyKey() }
      return call('changePrice', { params: { id }, headers: { 'idempotency-key': tried.current.key }, body: { price } })
    },
    onSuccess: () => {
      tried.current = { price: 0, key: '' }
      showToast('Price changed.', 'good')
    },
    onSettled: refreshMarket,
  })
  return {
    change: mutate,
    reset,
    isPending,
    failure: error ? serverSentence(error, 'The price could not be changed. Please try again.') : undefined,
  }
}

/** What a new price is for: all of a listing that is neither sold nor being bought, and what that costs now, as text in SOL. */
export function pricedRest({ amount, beingBought, unitPrice }: OwnListing): { amount: number; price: string } {
  const left = amount - beingBought
  return { amount: left, price: solText(BigInt(nearestLamports(unitPrice * left))) }
}

/** The problem with a new price, as a sentence; an empty field has no problem yet. */
export function newPriceProblem(listing: OwnListing, text: string): string | undefined {
  const { amount, price } = pricedRest(listing)
  // The rest of a listing that was sold in parts may cost what no seller could ask for.
  if (text === price) return undefined
  return listingPriceProblem({ amount: String(amount), price: text, divisible: listing.divisible })
}

/** The price in SOL to save; undefined for the price that the listing has already, or for none that it may have. */
export function changedPrice(listing: OwnListing, text: string): number | undefined {
  const lamports = parsePrice(Number(text))
  if (lamports === undefined || solText(lamports) === pricedRest(listing).price || newPriceProblem(listing, text)) return undefined
  return Number(text)
}
