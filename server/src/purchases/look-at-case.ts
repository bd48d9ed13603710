import { findListing } from '../listings/listing-store.ts'
import { type CaseRow, giveUpDelivery } from './case-store.ts'
import { findUnrecordedRefund, followRefund, REFUND_LOOK_SECONDS } from './follow-refund.ts'
import { type PurchaseDeps } from './purchase-deps.ts'
import { findPurchase, type PurchaseRow } from './purchase-store.ts'
import { paymentClue, settlePayment } from './settle-payment.ts'

const DELIVERY_LOOK_SECONDS = 15

/**
 * Moves a case on: a late payment is delivered once its lot is free and no refund can be on its way, a refund is sent until it is
 * final. Gives the seconds until the next look, null where there is nothing to wait for. Fails with CHAIN_DOWN.
 */
export async function lookAtCase(deps: PurchaseDeps, row: CaseRow): Promise<number | null> {
  const purchase = await findPurchase(deps.database, row.purchaseId)
  if (!purchase || purchase.genesisHash !== (await deps.chain.genesisHash())) return null
  switch (row.status) {
    case 'refunding':
      return followRefund(deps, row, purchase)
    case 'open':
      return lookAtOpenCase(deps, row, purchase)
    default:
      return null
  }
}

async function lookAtOpenCase(deps: PurchaseDeps, row: CaseRow, purchase: PurchaseRow): Promise<number | null> {
  if (row.refundReference !== null && (await findUnrecordedRefund(deps, row, purchase)) !== 'none') return REFUND_LOOK_SECONDS
  return row.deliverable ? deliverIfFree(deps, row, purchase) : null
}

async function deliverIfFree(deps: PurchaseDeps, row: CaseRow, purchase: PurchaseRow): Promise<number | null> {
  const listing = await findListing(deps.database, purchase.listingId)
  if (listing?.status !== 'active') {
    await giveUpDelivery(deps.database, row.id)
    return null
  }
  if (listing.heldUntil !== null) return DELIVERY_LOOK_SECONDS
  const status = (await deps.chain.statuses([row.signature])).get(row.signature)
  await settlePayment(deps, purchase, paymentClue(deps.chain, row.signature, status))
  return DELIVERY_LOOK_SECONDS
}
