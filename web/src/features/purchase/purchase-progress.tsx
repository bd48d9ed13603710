import { Button } from '../../ui/button.tsx'
import { formatAmount, formatCountdown, formatSol } from '../../ui/format.ts'
import { Overlay } from '../../feedback/overlay.tsx'
import { useStore } from '../../ui/store.ts'
import { useNow } from '../../ui/use-now.ts'
import { PurchaseSteps } from './purchase-steps.tsx'
import { running, updateRunning } from './purchase-store.ts'

/** The overlay of a purchase under way. Once the payment is sent the buyer may go on browsing. */
export function PurchaseProgress() {
  const purchase = useStore(running)
  if (!purchase || purchase.inBackground) return null
  const { lot, step, payUntil } = purchase
  return (
    <Overlay label={`${formatAmount(lot.amount)} ${lot.tokenName} for ${formatSol(lot.price)} SOL`}>
      <div className="mt-6 rounded-field bg-well p-4">
        <PurchaseSteps step={step} />
      </div>
      {step === 'approve' && payUntil !== undefined && <TimeLeft until={payUntil} />}
      {(step === 'sent' || step === 'confirmed') && (
        <Button className="mt-4 w-full" onClick={() => updateRunning({ inBackground: true })}>
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
