import { type Purchase } from '@juicebar/contract/schemas'

import { HoldActions, HoldState } from '../hold/open-hold.tsx'
import { orderOf } from '../order/order-terms.ts'
import { studioDecidesText } from '../order/studio-decides-text.ts'
import { stepLabels, stepOf } from '../purchase.ts'
import { InterruptedPayment } from './interrupted-payment.tsx'
import { OpenPurchaseCard } from './open-purchase-card.tsx'
import { useOpenPurchases } from './use-open-purchases.ts'
import { WaitingPurchase } from './waiting-purchase.tsx'

/** Purchases that are not closed yet, also after a reload and in another tab. */
export function OpenPurchases({ walletAddress }: { walletAddress: string }) {
  const { purchases, loadedAt } = useOpenPurchases()
  return (
    <>
      <WaitingPurchase />
      <InterruptedPayment key={walletAddress} walletAddress={walletAddress} />
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

function OpenPurchase({ purchase, payUntil }: { purchase: Purchase; payUntil: number }) {
  const { signature, coSigned, waitsForStudio } = purchase
  if (!signature && !coSigned && !waitsForStudio)
    return (
      <OpenPurchaseCard order={orderOf(purchase)} state={<HoldState until={payUntil} />} actions={<HoldActions purchase={purchase} />} />
    )
  return (
    <OpenPurchaseCard
      order={orderOf(purchase)}
      state={
        <p role="status" className="text-small text-dim">
          {waitsForStudio ? studioDecidesText : `Payment under way: ${stepLabels[stepOf(purchase)]}`}
        </p>
      }
    />
  )
}
