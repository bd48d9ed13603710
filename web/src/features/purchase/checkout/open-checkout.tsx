import { Button } from '../../../ui/button.tsx'
import { InBrowser } from '../../../ui/in-browser.ts'
import { openPicker } from '../../../wallet/wallet-store.ts'
import { formatLamports } from '../order/order-text.ts'
import { totalOf } from '../order/order-terms.ts'
import { type ReadCheckout } from './checkout-query.ts'
import { obstacleText } from './obstacle-text.ts'
import { OpenUntil } from './open-until.tsx'
import { PayButton } from './pay-button.tsx'
import { type Screen } from './screen.ts'
import { Terms } from './terms.tsx'
import { type ShownCheckout } from './use-checkout.ts'
import { useRisen } from './use-risen.ts'

interface OpenCheckoutProps {
  shown: Pick<ShownCheckout, 'order' | 'networkFee' | 'reopened'>
  checkout: ReadCheckout
  screen: Extract<Screen, { kind: 'open' }>
  onCancel: () => void
}

/** A checkout that can be paid, or what is in the way. */
export function OpenCheckout({
  shown: { order, networkFee, reopened },
  checkout,
  screen: { obstacle, step },
  onCancel,
}: OpenCheckoutProps) {
  const risen = useRisen(checkout.amount, order && totalOf(order))
  const text = obstacle && obstacleText(obstacle, checkout.tokenName)
  return (
    <>
      {obstacle?.kind !== 'short' && obstacle?.kind !== 'delisted' && <Terms order={order} networkFee={networkFee} />}
      <div role="status" className="grid gap-2 text-small font-semibold text-warn empty:hidden">
        {reopened && <p>The payment ended unpaid, so this checkout is open again.</p>}
        {text && <p>{text}</p>}
        {!text && risen.from !== undefined && <p>It was {formatLamports(risen.from)} SOL a moment ago.</p>}
      </div>
      <div className="grid gap-2">
        <PayButton step={step} obstacle={obstacle} order={order} isTooSoon={risen.isTooSoon} />
        {obstacle?.kind === 'poor' && (
          <Button className="w-full" onClick={openPicker}>
            Use another wallet
          </Button>
        )}
      </div>
      <div className="-my-2 flex items-center justify-between gap-4">
        <InBrowser fallback={<span />}>
          <OpenUntil until={checkout.until} />
        </InBrowser>
        <Button kind="bare" className="-mr-3" onClick={onCancel}>
          Cancel
        </Button>
      </div>
    </>
  )
}
