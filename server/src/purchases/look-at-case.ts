import { inTransaction } from '../database/transact.ts'
import { findListing } from '../listings/listing-store.ts'
import { type CaseRow, lockCase, moveCase } from './case-store.ts'
import { judgePayment } from './payment.ts'
import { findRefund, markDead, markSettled, type PaymentRow } from './payment-store.ts'
import { isProvedDead } from './prove-dead.ts'
import { type PurchaseDeps } from './purchase-deps.ts'
import { findPurchase, type PurchaseRow } from './purchase-store.ts'
import { sendBytes } from './send-bytes.ts'
import { settlePayment } from './settle-payment.ts'

const DELIVERY_LOOK_SECONDS = 15
const REFUND_LOOK_SECONDS = 2

/**
 * Moves a case on: a late payment is delivered once its lot is free, a refund is sent until it is final. Gives the seconds until the
 * next look, null where there is nothing to wait for. Fails with CHAIN_DOWN.
 */
export async function lookAtCase(deps: PurchaseDeps, row: CaseRow): Promise<number | null> {
  const purchase = await findPurchase(deps.database, row.purchaseId)
  if (!purchase || purchase.genesisHash !== (await deps.chain.genesisHash())) return null
  if (row.status === 'refunding') return followRefund(deps, row, purchase)
  if (row.status === 'open' && row.deliverable) return deliverIfFree(deps, row, purchase)
  return null
}

async function deliverIfFree(deps: PurchaseDeps, row: CaseRow, purchase: PurchaseRow): Promise<number | null> {
  const listing = await findListing(deps.database, purchase.listingId)
  if (listing?.status !== 'active') return null
  if (listing.heldUntil === null) await settlePayment(deps, purchase, { signature: row.signature, claimed: false })
  return DELIVERY_LOOK_SECONDS
}

async function followRefund(deps: PurchaseDeps, row: CaseRow, purchase: PurchaseRow): Promise<number | null> {
  const { chain, database } = deps
  const refund = await findRefund(database, row.id)
  if (!refund) return null
  const status = (await chain.statuses([refund.signature])).get(refund.signature)
  if (status?.commitment === 'finalized') return closeRefund(deps, row, purchase, refund)
  const traces = [{ address: row.refundReference ?? purchase.seller, sinceSlot: purchase.heldAtSlot }]
  if (!status && (await isProvedDead(chain, refund, traces))) return reopen(deps, row, refund)
  if (!status) await sendBytes(deps, refund)
  return REFUND_LOOK_SECONDS
}

async function closeRefund(deps: PurchaseDeps, row: CaseRow, purchase: PurchaseRow, refund: PaymentRow): Promise<number | null> {
  const transaction = await deps.chain.transaction(refund.signature)
  if (!transaction) return REFUND_LOOK_SECONDS
  const verdict = judgePayment(transaction, {
    buyer: purchase.seller,
    seller: purchase.buyer,
    lamports: row.lamports,
    reference: row.refundReference ?? '',
    heldAtSlot: 0n,
  })
  if (verdict.kind !== 'pays' || !verdict.referenced) return reopen(deps, row, refund)
  await inTransaction(deps.database, async (tx) => {
    const locked = await lockCase(tx, row.id)
    if (locked?.status !== 'refunding') return
    await markSettled(tx, refund.signature, transaction.slot)
    await moveCase(tx, row.id, 'refunded', null)
  })
  return null
}

async function reopen({ database }: PurchaseDeps, row: CaseRow, refund: PaymentRow): Promise<number | null> {
  await inTransaction(database, async (tx) => {
    const locked = await lockCase(tx, row.id)
    if (locked?.status !== 'refunding') return
    await markDead(tx, refund.signature)
    await moveCase(tx, row.id, 'open', row.deliverable ? DELIVERY_LOOK_SECONDS : null)
  })
  return null
}
