import { type Evidence } from './chain-snapshot.ts'
import { openVanishedCase } from '../cases/open-case.ts'
import { findPayment } from '../payment/payment-store.ts'
import { isProvedExpired } from './prove-expired.ts'
import { type PurchaseDeps } from '../purchase-deps.ts'
import { markFinalized, type PurchaseRow } from '../purchase-store.ts'
import { broadcastPayment } from '../payment/broadcast-payment.ts'

/**
 * Follows a settled purchase's payment until it is final. One that the chain has forgotten is sent again from the kept bytes; once
 * it is proved that it can no longer land, it becomes a case. Gives whether there is nothing more to follow. Fails with CHAIN_DOWN.
 */
export async function followPayment(deps: PurchaseDeps, purchase: PurchaseRow, { statuses, finalized }: Evidence): Promise<boolean> {
  const { database } = deps
  const payment = purchase.signature && (await findPayment(database, purchase.signature))
  if (!payment) throw new Error(`purchase ${purchase.id} is settled without a payment`)
  const status = statuses.get(payment.signature)
  if (status?.commitment === 'finalized' && !status.failed) {
    await markFinalized(database, purchase.id)
    return true
  }
  if (status && !status.failed) return false
  const traces = [purchase.reference, purchase.buyer].map((address) => ({ address, sinceSlot: purchase.heldAtSlot }))
  if (await isProvedExpired(await finalized(), payment, traces)) {
    await openVanishedCase(database, purchase, payment)
    return true
  }
  await broadcastPayment(deps, payment)
  return false
}
