import { type Purchase } from '@juicebar/contract/schemas'

import { Button } from '../../../ui/button.tsx'
import { formatCountdown } from '../../../ui/format.ts'
import { useNow } from '../../../ui/use-now.ts'
import { useConnect } from '../../../wallet/use-connect.ts'
import { useWallet } from '../../../wallet/wallet-store.ts'
import { orderOf } from '../order/order-terms.ts'
import { stepLabels, stepOf } from '../purchase.ts'
import { OpenPurchaseCard } from './open-purchase-card.tsx'
import { useCancelHold } from './use-cancel-hold.ts'
import { useOpenPurchases } from './use-open-purchases.ts'
import { WaitingPurchase } from './waiting-purchase.tsx'
import { usePurchase } from '../use-purchase.ts'

/** Purchases that are not closed yet, also after a reload and in another tab. */
export function OpenPurchases() {
  const { purchases, loadedAt } = useOpenPurchases()
  return (
    <>
      <WaitingPurchase />
      {purchases.map((purchase) => (
        <OpenPurchase
          key={purchase.purchaseId}
          purchase={purchase}
          payUntil={purchase.payMillisLeft && loadedAt + purchase.payMillisLeft}
        />
      ))}
    </>
  )
}

const studioDecides =
  'The network can no longer show whether this lot was paid for, so the studio decides. Do not pay now. If you have paid, your payment is still looked for.'

function OpenPurchase({ purchase, payUntil }: { purchase: Purchase; payUntil: number }) {
  const { signature, waitsForStudio } = purchase
  if (!signature && !waitsForStudio)
    return <OpenPurchaseCard order={orderOf(purchase)} state={<Waiting until={payUntil} />} actions={<HoldActions purchase={purchase} />} />
  return (
    <OpenPurchaseCard
      order={orderOf(purchase)}
      state={
        <p role="status" className="text-small text-dim">
          {waitsForStudio ? studioDecides : `Payment under way: ${stepLabels[stepOf(purchase)]}`}
        </p>
      }
    />
  )
}

function Waiting({ until }: { until: number }) {
  const left = until - useNow()
  // The countdown is visual; screen readers announce only its end.
  return (
    <p aria-live={left > 0 ? 'off' : 'polite'} className="text-small text-dim">
      {left > 0
        ? `Kept for you for another ${formatCountdown(left)}. You have not paid yet.`
        : 'The time to pay has run out. We are checking the chain before we free the lot; do not pay now.'}
    </p>
  )
}

function HoldActions({ purchase }: { purchase: Purchase }) {
  const connected = useWallet((wallet) => wallet.connected !== undefined)
  const { connectChosen } = useConnect()
  const { pay } = usePurchase()
  const { mutate: cancelHold } = useCancelHold()
  const { purchaseId, payMillisLeft } = purchase
  return (
    <>
      <Button small onClick={() => cancelHold(purchaseId)}>
        Cancel purchase
      </Button>
      <Button small kind="primary" disabled={payMillisLeft === 0} onClick={() => (connected ? pay(orderOf(purchase)) : connectChosen())}>
        {connected ? 'Pay now' : 'Connect to pay'}
      </Button>
    </>
  )
}
