import { Button } from '../../ui/button.tsx'
import { formatAmount, formatCountdown, formatSol } from '../../ui/format.ts'
import { Overlay } from '../../feedback/overlay.tsx'
import { useNow } from '../../ui/use-now.ts'
import { PurchaseSteps } from './purchase-steps.tsx'
import { usePurchase } from './use-purchase.ts'

/** The overlay of a purchase under way. Once the payment is sent, the buyer may go on browsing. */
export function PurchaseProgress() {
  const { running, keepBrowsing } = usePurchase()
  if (!running || running.inBackground) return null
  const { listing, step, payUntil } = running
  return (
    <Overlay label={`${formatAmount(listing.amount)} ${listing.tokenName} for ${formatSol(listing.price)} SOL`}>
      <div className="mt-6 rounded-field bg-well p-4">
        <PurchaseSteps step={step} />
      </div>
      {step === 'approve' && payUntil !== undefined && <TimeLeft until={payUntil} />}
      {(step === 'sent' || step === 'confirmed') && (
        <Button className="mt-4 w-full" onClick={keepBrowsing}>
          Keep browsing
        </Button>
      )}
    </Overlay>
  )
}

function TimeLeft({ until }: { until: number }) {
  const now = useNow()
  return (
    <p className="mt-4 text-small text-dim">
      Kept for you for another <span className="figures font-semibold text-text">{formatCountdown(until - now)}</span>
    </p>
  )
}
