import { useEffect } from 'react'

import { Button } from '../../ui/button.tsx'
import { Overlay } from '../../feedback/overlay.tsx'
import { ApproveOnceMore, PurchaseState } from './purchase-state.tsx'
import { orderText } from './order/order-terms.ts'
import { type RunningPurchase, usePurchase } from './use-purchase.ts'

/** The overlay of a purchase under way. While it waits for the server, and once the payment is sent, the buyer may keep browsing. */
export function PurchaseProgress() {
  const { running } = usePurchase()
  if (!running || running.inBackground) return null
  return (
    <Overlay label={orderText(running.order)}>
      <PurchaseState running={running} />
      <Ways running={running} />
    </Overlay>
  )
}

/** What the buyer may do instead of watching. Escape leaves the overlay; it never cancels. */
function Ways({ running: { step, retryAt, again, unanswered } }: { running: RunningPurchase }) {
  const { keepBrowsing, cancel } = usePurchase()
  const waits = retryAt !== undefined
  const mayLeave = waits || unanswered || step === 'sent' || step === 'confirmed'
  useEffect(() => {
    if (!mayLeave) return undefined
    const onKeyDown = ({ key }: KeyboardEvent) => key === 'Escape' && keepBrowsing()
    document.addEventListener('keydown', onKeyDown)
    return () => document.removeEventListener('keydown', onKeyDown)
  }, [mayLeave, keepBrowsing])
  if (again === 'waits' && !waits) return <ApproveOnceMore />
  if (!mayLeave) return null
  return (
    <div className="mt-4 flex flex-wrap gap-3 *:flex-1">
      {waits && <Button onClick={cancel}>Cancel purchase</Button>}
      <Button onClick={keepBrowsing}>Keep browsing</Button>
    </div>
  )
}
