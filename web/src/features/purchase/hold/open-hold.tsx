import { messages } from '@juicebar/contract/messages'
import { type Purchase } from '@juicebar/contract/schemas'
import { useMutation } from '@tanstack/react-query'

import { asSentence, errorSentence } from '../../../api/api-error.ts'
import { isUnexplained } from '../../../api/refusals.ts'
import { refreshMarket } from '../../../api/queries.ts'
import { dismissBanner, showBanner, showToast } from '../../../feedback/notices.ts'
import { Button } from '../../../ui/button.tsx'
import { formatCountdown } from '../../../ui/format.ts'
import { useNow } from '../../../ui/use-now.ts'
import { connectChosen } from '../../../wallet/connect.ts'
import { useWallet } from '../../../wallet/wallet-store.ts'
import { endedText, orderOf } from '../order/order-terms.ts'
import { usePurchase } from '../use-purchase.ts'
import { cancelHold } from './pay-by-hold.ts'

/** How long the buyer may still pay for a hold. */
export function HoldState({ until }: { until: number }) {
  const left = until - useNow()
  // The countdown is visual; screen readers announce only its end.
  return (
    <p aria-live={left > 0 ? 'off' : 'polite'} className="text-small text-dim">
      {left > 0
        ? `Reserved for you for another ${formatCountdown(left)}. You have not paid yet.`
        : 'The time to pay is over. We are checking the chain before we free the listing; do not pay now.'}
    </p>
  )
}

/**
 * What the buyer may do about a hold that is not paid, while there is time: pay it in the same way, or cancel it.
 * `until` is when that ends, `checkout` the one that it was placed for.
 */
export function HoldActions({ purchase, until, checkout }: { purchase: Purchase; until: number; checkout?: string }) {
  const connected = useWallet((wallet) => wallet.connected !== undefined)
  const { pay } = usePurchase()
  const { mutate: cancelHold } = useCancelHold()
  const isOver = until <= useNow()
  if (isOver) return null
  return (
    <>
      <Button small onClick={() => cancelHold(purchase.purchaseId)}>
        Cancel purchase
      </Button>
      <Button small kind="primary" onClick={() => (connected ? pay({ ...orderOf(purchase), checkout }) : connectChosen())}>
        {connected ? 'Pay now' : 'Connect to pay'}
      </Button>
    </>
  )
}

const CANCELLING = 'Cancelled. The listing is free again once the network shows that nothing was paid.'

/** Cancels a hold that is not paid, by the id of its purchase; a failure goes to the banner. */
function useCancelHold() {
  return useMutation({
    onMutate: dismissBanner,
    mutationFn: cancelHold,
    onSuccess: (purchase) => showToast(purchase.status === 'held' ? CANCELLING : endedText(purchase)),
    onError: (error) => {
      const text = errorSentence(error, messages.purchaseFailed)
      showBanner(
        isUnexplained(error) ? `${asSentence(text)} Cancelling moves no SOL. If the purchase is still shown, cancel it again.` : text,
      )
    },
    onSettled: refreshMarket,
  })
}
