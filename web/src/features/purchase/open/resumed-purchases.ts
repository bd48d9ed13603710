import { type Purchase } from '@juicebar/contract/schemas'

import { isPurchaseOf } from '../order/order-terms.ts'
import { type Order } from '../order/order.ts'

/** A purchase whose payment was recorded or found. */
export type PaidPurchase = Purchase & { signature: string }

/** The payments that this tab follows although it did not start them: their signatures by purchase. */
const resumed = new Map<string, string>()

/**
 * A wallet's paid open purchases that this tab does not follow yet; from now on it does. A purchase that is no longer open is forgotten,
 * and one that is paid again because its first payment failed for good is followed again.
 *
 * @param running the order that this tab carries out itself
 */
export function takeUnfollowed(open: readonly Purchase[], running: Order | undefined): PaidPurchase[] {
  for (const id of resumed.keys()) if (!open.some(({ purchaseId }) => purchaseId === id)) resumed.delete(id)
  return open.filter((purchase): purchase is PaidPurchase => {
    const { purchaseId, signature } = purchase
    if (signature === null || (running && isPurchaseOf(running, purchase)) || resumed.get(purchaseId) === signature) return false
    resumed.set(purchaseId, signature)
    return true
  })
}
