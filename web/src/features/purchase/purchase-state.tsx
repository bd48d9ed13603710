import { useEffect, useRef } from 'react'

import { TimeLeft } from './hold/time-left.tsx'
import { unansweredText } from './order/unanswered-text.ts'
import { PurchaseSteps } from './purchase-steps.tsx'
import { RetryNote } from './retry-note.tsx'
import { type RunningPurchase } from './use-purchase.ts'

/** How far a purchase under way has come, and what it waits for. */
export function PurchaseState({ running }: { running: RunningPurchase }) {
  const { order, step, payUntil, retryAt, again, unanswered } = running
  return (
    <>
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
    </>
  )
}

function Note({ children }: { children: string }) {
  return <p className="mt-6 rounded-field bg-well p-4 text-left text-small">{children}</p>
}

function Waiting({ retryAt }: { retryAt: number }) {
  const note = useRef<HTMLParagraphElement>(null)
  // What was pressed is gone, so the focus is placed here; the next Tab reaches the buttons.
  useEffect(() => note.current?.focus({ preventScroll: true }), [])
  return (
    <p ref={note} tabIndex={-1} className="mt-6 rounded-field bg-well p-4 text-left text-small outline-none">
      <RetryNote retryAt={retryAt} />
    </p>
  )
}
