import { MAX_OWN_LISTINGS } from '@juicebar/contract/limits'
import { messages } from '@juicebar/contract/messages'
import { type OwnListing, type RemovedListings } from '@juicebar/contract/schemas'
import { useMutation } from '@tanstack/react-query'
import { type RefObject, useEffect, useRef, useState } from 'react'

import { serverSentence } from '../../api/api-error.ts'
import { call } from '../../api/client.ts'
import { refreshMarket } from '../../api/queries.ts'
import { dismissBanner, showBanner, showToast } from '../../feedback/notices.ts'
import { Button } from '../../ui/button.tsx'
import { formatAmount } from '../../ui/format.ts'
import { Modal } from '../../ui/modal.tsx'

interface RemoveAllProps {
  rows: readonly OwnListing[]
  /** Takes the focus when the button is gone. */
  heading: RefObject<HTMLElement | null>
}

/** Removes all of the seller's listings, once the seller has confirmed how many, and says which stayed. */
export function RemoveAll({ rows, heading }: RemoveAllProps) {
  const [asked, setAsked] = useState<readonly OwnListing[]>()
  const [outcome, setOutcome] = useState<RemovedListings>()
  const { mutate: removeAll, isPending } = useRemoveAll()
  const close = () => setAsked(undefined)
  const remove = () =>
    removeAll(undefined, {
      onSuccess: (done) => {
        setOutcome(done)
        if (done.kept.length > 0) return
        showToast(removedSentence(done.removed), 'good')
        close()
      },
      onError: close,
    })
  const open = () => {
    setOutcome(undefined)
    setAsked(rows)
  }
  return (
    <>
      {removable(rows).free > 1 && <Button onClick={open}>Remove all</Button>}
      <Modal
        open={asked !== undefined}
        title={outcome && outcome.kept.length > 0 ? 'Some listings stay' : 'Remove all listings?'}
        onClose={close}
        focusAfter={() => (outcome ? heading.current : undefined)}
      >
        {outcome && outcome.kept.length > 0 ? (
          <Outcome outcome={outcome} rows={asked ?? []} onClose={close} />
        ) : (
          <Question rows={asked ?? rows} disabled={isPending} onCancel={close} onRemove={remove} />
        )}
      </Modal>
    </>
  )
}

interface QuestionProps {
  rows: readonly OwnListing[]
  disabled: boolean
  onCancel: () => void
  onRemove: () => void
}

function Question({ rows, disabled, onCancel, onRemove }: QuestionProps) {
  return (
    <div className="mt-3 grid gap-5">
      <p className="text-small">{removalQuestion(removable(rows), { more: rows.length >= MAX_OWN_LISTINGS })}</p>
      <div className="grid grid-cols-[auto_1fr] gap-3">
        <Button onClick={onCancel}>Cancel</Button>
        <Button kind="primary" disabled={disabled} onClick={onRemove}>
          Remove all
        </Button>
      </div>
    </div>
  )
}

/** More than these are only counted. */
const KEPT_SHOWN = 20

function Outcome({
  outcome: { removed, kept },
  rows,
  onClose,
}: {
  outcome: RemovedListings
  rows: readonly OwnListing[]
  onClose: () => void
}) {
  const done = useRef<HTMLButtonElement>(null)
  // The button that had it is gone.
  useEffect(() => done.current?.focus(), [])
  return (
    <div className="mt-3 grid gap-4">
      <p role="status" className="text-small font-semibold">
        {removedSentence(removed)}
      </p>
      <ul aria-label="Listings that stay" className="grid max-h-64 gap-1.5 overflow-y-auto text-small text-dim">
        {kept.slice(0, KEPT_SHOWN).map((each) => (
          <li key={each.listingId}>{keptSentence(each, rows)}</li>
        ))}
        {kept.length > KEPT_SHOWN && <li>And {formatAmount(kept.length - KEPT_SHOWN)} more.</li>}
      </ul>
      <Button ref={done} kind="primary" onClick={onClose}>
        Done
      </Button>
    </div>
  )
}

/** Takes all of the seller's listings off the market that nobody is buying; a failure goes to the banner. */
function useRemoveAll() {
  return useMutation({
    meta: { processing: 'Taking your listings off the market' },
    onMutate: dismissBanner,
    mutationFn: () => call('removeListings', { query: { status: 'active' } }),
    onError: (error) => showBanner(serverSentence(error, messages.removeFailed)),
    onSettled: refreshMarket,
  })
}

type Kept = RemovedListings['kept'][number]

const reasons: Record<Kept['code'], string> = {
  LISTING_HELD_BY_BUYER: 'a buyer is paying for it',
  LISTING_FROZEN: 'the studio must first look into an earlier payment to you',
  BALANCE_LIMIT: 'your inventory cannot hold more of it',
}

const count = (listings: number) => `${formatAmount(listings)} ${listings === 1 ? 'listing' : 'listings'}`

/** How many listings a removal would concern: those that nobody is buying as a whole, and the others. */
export function removable(rows: readonly OwnListing[]): { free: number; held: number } {
  const free = rows.filter(({ heldUntil }) => heldUntil === null).length
  return { free, held: rows.length - free }
}

/** What removing all would do. `more`: there may be listings that are not on the page. */
export function removalQuestion({ free, held }: { free: number; held: number }, { more }: { more: boolean }): string {
  const what = `${more ? 'At least ' : ''}${count(free)}`
  const one = free === 1 && !more
  const question = `${what} ${one ? 'leaves' : 'leave'} the market, and what ${one ? 'it holds' : 'they hold'} comes back to your inventory.`
  if (held === 0) return question
  return `${question} ${count(held)} ${held === 1 ? 'stays, because a buyer is' : 'stay, because buyers are'} paying for ${held === 1 ? 'it' : 'them'}.`
}

/** How many listings were removed, as a sentence. */
export function removedSentence(removed: number): string {
  return removed === 0 ? 'No listing was removed.' : `${count(removed)} removed.`
}

/** Why a listing stayed. It may have come to the market since the page was loaded. */
export function keptSentence({ listingId, code }: Kept, rows: readonly OwnListing[]): string {
  const row = rows.find(({ _id }) => _id === listingId)
  const what = row ? `${formatAmount(row.amount)} ${row.tokenName}` : 'Another listing'
  return `${what}: ${reasons[code]}.`
}
