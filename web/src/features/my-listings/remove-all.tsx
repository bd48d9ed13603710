import { MAX_OWN_LISTINGS } from '@juicebar/contract/limits'
import { type OwnListing, type RemovedListings } from '@juicebar/contract/schemas'
import { type RefObject, useEffect, useRef, useState } from 'react'

import { useNotices } from '../../feedback/use-notices.ts'
import { Button } from '../../ui/button.tsx'
import { formatAmount } from '../../ui/format.ts'
import { Modal } from '../../ui/modal.tsx'
import { keptSentence, removable, removalQuestion, removedSentence } from './removed-text.ts'
import { useRemoveAll } from './use-remove-all.ts'

interface RemoveAllProps {
  rows: readonly OwnListing[]
  /** Takes the focus when the button is gone. */
  heading: RefObject<HTMLElement | null>
}

/** Removes all of the seller's listings, once the seller has confirmed how many, and says which stayed. */
export function RemoveAll({ rows, heading }: RemoveAllProps) {
  const [asked, setAsked] = useState<readonly OwnListing[]>()
  const [outcome, setOutcome] = useState<RemovedListings>()
  const { showToast } = useNotices()
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
      {removable(rows).free > 1 && (
        <Button small onClick={open}>
          Remove all
        </Button>
      )}
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
