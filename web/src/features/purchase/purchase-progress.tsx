import { useQuery } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'

import { openPurchasesQuery } from '../../api/queries.ts'
import { Button } from '../../ui/button.tsx'
import { formatCountdown } from '../../ui/format.ts'
import { Overlay } from '../../feedback/overlay.tsx'
import { useNow } from '../../ui/use-now.ts'
import { isPurchaseOf } from './order/order-terms.ts'
import { orderText } from './order/order-text.ts'
import { type Order } from './order/order.ts'
import { PurchaseSteps } from './purchase-steps.tsx'
import { RetryNote } from './retry-note.tsx'
import { type RunningPurchase, usePurchase } from './use-purchase.ts'

/** The overlay of a purchase under way. While it waits for a busy server, and once the payment is sent, the buyer may keep browsing. */
export function PurchaseProgress() {
  const { running } = usePurchase()
  if (!running || running.inBackground) return null
  const { order, step, payUntil, retryAt } = running
  return (
    <Overlay label={orderText(order)}>
      <div role="status">{retryAt !== undefined && <Waiting retryAt={retryAt} />}</div>
      {retryAt === undefined && (
        <div className="mt-6 rounded-field bg-well p-4">
          <PurchaseSteps step={step} />
        </div>
      )}
      {step === 'approve' && payUntil !== undefined && <TimeLeft order={order} payUntil={payUntil} />}
      <Ways running={running} />
    </Overlay>
  )
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
function Ways({ running: { step, retryAt } }: { running: RunningPurchase }) {
  const { keepBrowsing, cancel } = usePurchase()
  const waits = retryAt !== undefined
  const mayLeave = waits || step === 'sent' || step === 'confirmed'
  useEffect(() => {
    if (!mayLeave) return undefined
    const onKeyDown = ({ key }: KeyboardEvent) => key === 'Escape' && keepBrowsing()
    document.addEventListener('keydown', onKeyDown)
    return () => document.removeEventListener('keydown', onKeyDown)
  }, [mayLeave, keepBrowsing])
  if (!mayLeave) return null
  return (
    <div className="mt-4 flex flex-wrap gap-3 *:flex-1">
      {waits && <Button onClick={cancel}>Cancel purchase</Button>}
      <Button onClick={keepBrowsing}>Keep browsing</Button>
    </div>
  )
}

/** An outage may extend the time to pay: the server then says so in the buyer's open purchases, and the countdown follows. */
function TimeLeft({ order, payUntil }: { order: Order; payUntil: number }) {
  const { data, dataUpdatedAt } = useQuery(openPurchasesQuery)
  const purchase = data?.find((open) => isPurchaseOf(order, open))
  const until = purchase ? dataUpdatedAt + purchase.payMillisLeft : payUntil
  const now = useNow()
  return (
    <p className="mt-4 text-small text-dim">
      Kept for you for another <span className="figures font-semibold text-text">{formatCountdown(until - now)}</span>
    </p>
  )
}
