import { type ReactNode } from 'react'

import { Button } from '../../../ui/button.tsx'
import { unansweredText } from '../order/unanswered-text.ts'
import { RetryNote } from '../retry-note.tsx'
import { usePurchase } from '../use-purchase.ts'
import { OpenPurchaseCard } from './open-purchase-card.tsx'

/** This tab's purchase while the server is too busy for it, or has not answered for its payment, and the buyer keeps browsing. */
export function WaitingPurchase() {
  const { running, cancel } = usePurchase()
  if (!running?.inBackground) return null
  const { order, retryAt, unanswered } = running
  if (unanswered) return <OpenPurchaseCard order={order} state={<State>{unansweredText}</State>} />
  if (retryAt === undefined) return null
  return (
    <OpenPurchaseCard
      order={order}
      state={
        <State>
          <RetryNote retryAt={retryAt} />
        </State>
      }
      actions={
        <Button small onClick={cancel}>
          Cancel purchase
        </Button>
      }
    />
  )
}

function State({ children }: { children: ReactNode }) {
  return (
    <p role="status" className="text-small text-dim">
      {children}
    </p>
  )
}
