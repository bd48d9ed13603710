import { unansweredText } from '../order/unanswered-text.ts'
import { OpenPurchaseCard } from './open-purchase-card.tsx'
import { useInterruptedPayment } from './use-interrupted-payment.ts'

/** A payment that was signed before a reload, until the server has answered for it. Then it is an open purchase like any other. */
export function InterruptedPayment({ walletAddress }: { walletAddress: string }) {
  const { payment } = useInterruptedPayment(walletAddress)
  if (!payment) return null
  return (
    <OpenPurchaseCard
      order={payment.order}
      state={
        <p role="status" className="text-small text-dim">
          {unansweredText}
        </p>
      }
    />
  )
}
