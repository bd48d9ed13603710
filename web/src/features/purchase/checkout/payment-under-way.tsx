import { type Purchase } from '@juicebar/contract/schemas'

import { Button } from '../../../ui/button.tsx'
import { ApproveOnceMore, PurchaseState, PurchaseSteps } from '../purchase-state.tsx'
import { HoldActions, HoldState } from '../hold/open-hold.tsx'
import { studioDecidesText, unansweredText } from '../order/order-terms.ts'
import { stepOf } from '../order/order.ts'
import { type RunningPurchase, usePurchase } from '../use-purchase.ts'
import { Terms } from './open-checkout.tsx'
import { type ShownCheckout } from './use-checkout.ts'

interface PaymentUnderWayProps {
  shown: Pick<ShownCheckout, 'underWay' | 'ordered' | 'networkFee' | 'loadedAt'>
  publicId: string
}

/** The player's payment, step by step, also after a reload and in another tab. */
export function PaymentUnderWay({ shown: { underWay, ordered, networkFee, loadedAt }, publicId }: PaymentUnderWayProps) {
  const { running, interrupted, open } = underWay
  return (
    <>
      <Terms order={ordered} networkFee={networkFee} />
      {running ? (
        <Running running={running} />
      ) : interrupted ? (
        <p role="status" className="text-small">
          {unansweredText}
        </p>
      ) : (
        open && <OpenPayment purchase={open} loadedAt={loadedAt} checkout={publicId} />
      )}
    </>
  )
}

function Running({ running }: { running: RunningPurchase }) {
  const { cancel } = usePurchase()
  const { retryAt, again } = running
  return (
    <div className="-mt-6">
      <PurchaseState running={running} />
      {retryAt !== undefined && (
        <Button className="mt-4 w-full" onClick={cancel}>
          Cancel purchase
        </Button>
      )}
      {retryAt === undefined && again === 'waits' && <ApproveOnceMore />}
    </div>
  )
}

function OpenPayment({ purchase, loadedAt, checkout }: { purchase: Purchase; loadedAt: number; checkout: string }) {
  const { signature, coSigned, waitsForStudio, payMillisLeft } = purchase
  if (waitsForStudio) {
    return (
      <p role="status" className="text-small">
        {studioDecidesText}
      </p>
    )
  }
  if (signature !== null || coSigned) {
    return (
      <div className="rounded-field bg-well p-4">
        <PurchaseSteps step={stepOf(purchase)} />
      </div>
    )
  }
  return (
    <>
      <HoldState until={payMillisLeft && loadedAt + payMillisLeft} />
      <div className="flex gap-3 *:flex-1 empty:hidden">
        <HoldActions purchase={purchase} checkout={checkout} />
      </div>
    </>
  )
}
