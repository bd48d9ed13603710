import { inTransaction } from '../../database/transact.ts'
import { findListing } from '../../listings/listing-store.ts'
import { type CaseRow, type DueCase, giveUpDelivery, lockCase, moveCase } from '../cases/case-store.ts'
import { findUnrecordedRefund, followRefund, REFUND_LOOK_SECONDS } from './reconcile-refund.ts'
import { type PurchaseDeps } from '../purchase-deps.ts'
import { findPurchase, type PurchaseRow } from '../purchase-store.ts'
import { paymentClue, settlePayment } from '../settlement/settle-payment.ts'
import { secondsToNextLateLook } from './schedule.ts'

const DELIVERY_LOOK_SECONDS = 15

/**
 * Moves a case on: a late payment is delivered once its lot is free and no refund can be on its way, a refund is sent until it is
 * final. Gives the seconds until the next look, null where there is nothing to wait for. Fails with CHAIN_DOWN.
 */
export async function reconcileCase(deps: PurchaseDeps, row: DueCase): Promise<number | null> {
  const purchase = await findPurchase(deps.database, row.purchaseId)
  if (!purchase) return null
  if (purchase.genesisHash !== (await deps.chain.genesisHash())) return closeWithChain(deps, row)
  switch (row.status) {
    case 'refunding':
      return followRefund(deps, row, purchase)
    case 'open':
      return lookAtOpenCase(deps, row, purchase)
    default:
      return null
  }
}

/** A local chain that was started anew has forgotten the payment, and its SOL: there is nothing to deliver for and nothing to pay back. */
async function closeWithChain({ database }: PurchaseDeps, { id }: CaseRow): Promise<null> {
  await inTransaction(database, async (tx) => {
    const locked = await lockCase(tx, id)
    if (locked?.status !== 'open' && locked?.status !== 'refunding') return
    await moveCase(tx, id, 'closed', null, 'The local chain was started anew, and the SOL of this payment is gone with it.')
  })
  return null
}

async function lookAtOpenCase(deps: PurchaseDeps, row: DueCase, purchase: PurchaseRow): Promise<number | null> {
  if ((await findUnrecordedRefund(deps, row, purchase)) !== 'none') return REFUND_LOOK_SECONDS
  return row.deliverable ? deliverIfFree(deps, row, purchase) : secondsToNextLateLook(row.secondsOpen)
}

async function deliverIfFree(deps: PurchaseDeps, row: DueCase, purchase: PurchaseRow): Promise<number | null> {
  const listing = await findListing(deps.database, purchase.listingId)
  if (listing?.status !== 'active') {
    await giveUpDelivery(deps.database, row.id)
    return secondsToNextLateLook(row.secondsOpen)
  }
  if (listing.heldUntil !== null) return DELIVERY_LOOK_SECONDS
  const status = (await deps.chain.statuses([row.signature])).get(row.signature)
  await settlePayment(deps, purchase, paymentClue(deps.chain, row.signature, status))
  return DELIVERY_LOOK_SECONDS
}
