import { Button } from '../../../ui/button.tsx'
import { RetryNote } from '../retry-note.tsx'
import { usePurchase } from '../use-purchase.ts'
import { OpenPurchaseCard } from './open-purchase-card.tsx'

/** This tab's purchase while the server is too busy for it and the buyer keeps browsing. */
export function WaitingPurchase() {
  const { running, cancel } = usePurchase()
  if (!running?.inBackground || running.retryAt === undefined) return null
  return (
    <OpenPurchaseCard
      order={running.order}
      state={
        <p role="status" className="text-small text-dim">
          <RetryNote retryAt={running.retryAt} />
        </p>
      }
      actions={
        <Button small onClick={cancel}>
          Cancel purchase
        </Button>
      }
    />
  )
}
