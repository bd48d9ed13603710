import { useEffect, useRef } from 'react'

import { Button } from '../../ui/button.tsx'
import { Overlay } from '../../feedback/overlay.tsx'
import { TimeLeft } from './hold/time-left.tsx'
import { orderText } from './order/order-text.ts'
import { unansweredText } from './order/unanswered-text.ts'
import { PurchaseSteps } from './purchase-steps.tsx'
import { RetryNote } from './retry-note.tsx'
import { type RunningPurchase, usePurchase } from './use-purchase.ts'

/** The overlay of a purchase under way. While it waits for the server, and once the payment is sent, the buyer may keep browsing. */
export function PurchaseProgress() {
  const { running } = usePurchase()
  if (!running || running.inBackground) return null
  const { order, step, payUntil, retryAt, again, unanswered } = running
  return (
    <Overlay label={orderText(order)}>
      <div role="status">
        {retryAt !== undefined && <Waiting retryAt={retryAt} />}
        {again && !unanswered && <Note>Your wallet took longer than Solana allows. Nothing was sent. Please approve once more.</Note>}
        {unanswered && <Note>{unansweredText}</Note>}
      </div>
      {retryAt === undefined && !unanswered && (
        <div className="mt-6 rounded-field bg-well p-4">
          <PurchaseSteps step={step} />
        </div>
      )}
      {step === 'approve' && payUntil !== undefined && <TimeLeft order={order} payUntil={payUntil} />}
      <Ways running={running} />
    </Overlay>
  )
}

function Note({ children }: { children: string }) {
  return <p className="mt-6 rounded-field bg-well p-4 text-left text-small">{children}</p>
}

function Waiting({ retryAt }: { retryAt: number }) {
  const note = useRef<HTMLParagraphElement>(null)
  // The rest of the page takes no focus, so it is placed here; the next Tab reaches the buttons.
  useEffect(() => note.current?.focus({ preventScroll: true }), [])
  return (
    <p ref={note} tabIndex={-1} className="mt-6 rounded-field bg-well p-4 text-left text-small outline-none">
      <RetryNote retryAt={retryAt} />
    </p>
  )
}

/** What the buyer may do instead of watching. Escape leaves the overlay; it never cancels. */
function Ways({ running: { step, retryAt, again, unanswered } }: { running: RunningPurchase }) {
  const { keepBrowsing, cancel, approveAgain } = usePurchase()
  const waits = retryAt !== undefined
  const mayLeave = waits || unanswered || step === 'sent' || step === 'confirmed'
  useEffect(() => {
    if (!mayLeave) return undefined
    const onKeyDown = ({ key }: KeyboardEvent) => key === 'Escape' && keepBrowsing()
    document.addEventListener('keydown', onKeyDown)
    return () => document.removeEventListener('keydown', onKeyDown)
  }, [mayLeave, keepBrowsing])
  if (again === 'waits' && !waits) {
    return (
      <div className="mt-4 flex flex-wrap gap-3 *:flex-1">
        <Button onClick={cancel}>Cancel purchase</Button>
        <Button kind="primary" onClick={approveAgain}>
          Approve once more
        </Button>
      </div>
    )
  }
  if (!mayLeave) return null
  return (
    <div className="mt-4 flex flex-wrap gap-3 *:flex-1">
      {waits && <Button onClick={cancel}>Cancel purchase</Button>}
      <Button onClick={keepBrowsing}>Keep browsing</Button>
    </div>
  )
}
