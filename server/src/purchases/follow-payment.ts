import { openCase } from './open-case.ts'
import { type Evidence } from './evidence.ts'
import { findPayment, type PaymentRow } from './payment-store.ts'
import { type PurchaseDeps } from './purchase-deps.ts'
import { markFinalized, type PurchaseRow } from './purchase-store.ts'

/**
 * Follows a settled purchase's payment until it is final. One that the chain has forgotten is sent again from the kept bytes; once
 * it is proved that it can no longer land, it becomes a case. Gives whether there is nothing more to follow. Fails with CHAIN_DOWN.
 */
export async function followPayment(deps: PurchaseDeps, purchase: PurchaseRow, { statuses }: Evidence): Promise<boolean> {
  const { database, chain } = deps
  const payment = purchase.signature && (await findPayment(database, purchase.signature))
  if (!payment) throw new Error(`purchase ${purchase.id} is settled without a payment`)
  const status = statuses.get(payment.signature)
  if (status?.commitment === 'finalized' && !status.failed) {
    await markFinalized(database, purchase.id)
    return true
  }
  if (status && !status.failed) return false
  if (await hasVanished(deps, purchase, payment)) {
    await reportVanished(deps, purchase, payment)
    return true
  }
  await chain.broadcast(payment.wire)
  return false
}

/** Its blockhash is dead at a finalized height, and the finalized chain shows no such transaction that succeeded. */
async function hasVanished({ chain }: PurchaseDeps, purchase: PurchaseRow, payment: PaymentRow): Promise<boolean> {
  const finalized = await chain.finalized()
  if (finalized.height <= payment.expiryHeight) return false
  const status = await finalized.statusOf(payment.signature)
  if (status && !status.failed) return false
  const named = await finalized.signaturesFor(purchase.reference, purchase.heldAtSlot)
  const own = await finalized.signaturesFor(purchase.buyer, purchase.heldAtSlot)
  return [...named, ...own].every((entry) => entry.signature !== payment.signature || entry.failed)
}

async function reportVanished({ database }: PurchaseDeps, purchase: PurchaseRow, payment: PaymentRow): Promise<void> {
  await openCase(database, {
    purchaseId: purchase.id,
    kind: 'vanished',
    signature: payment.signature,
    lamports: purchase.priceLamports,
    deliverable: false,
  })
}
