import { type Purchase, type PublicConfig } from '@juicebar/contract/schemas'

import { requireConnection } from '../../../wallet/require-connection.ts'
import { takeOut } from '../order/basket-store.ts'
import { isAsConfirmed } from '../order/order-terms.ts'
import { type Order } from '../order/order.ts'
import { type Progress } from '../order/progress.ts'
import { stepOf } from '../purchase.ts'
import { cancelHold } from './cancel-hold.ts'
import { failureText, type Reached } from './failure-text.ts'
import { followPurchase } from './follow-purchase.ts'
import { type Hold } from './hold-order.ts'
import { payHold } from './pay-hold.ts'
import { PurchaseStopped } from './purchase-stopped.ts'
import { refusedText } from './refused-text.ts'
import { waitForHold } from './wait-for-hold.ts'

interface Run {
  order: Order
  network: PublicConfig['network']
  /** Aborted, with a PurchaseStopped, when the buyer cancels; it has no effect once the order is held. */
  signal: AbortSignal
  onProgress: (progress: Progress) => void
}

/**
 * Runs a purchase: hold, payment, confirmation, delivery.
 *
 * @returns the purchase, settled or ended
 * @throws Error with a sentence for the buyer: what happened, whether SOL moved, and what to do; PurchaseStopped if the wallet was not asked
 */
export async function runPurchase({ order, network, signal, onProgress }: Run): Promise<Purchase> {
  const reached: Reached = {}
  try {
    const connection = requireConnection()
    const onBusy = (retryMillis: number) => onProgress({ retryMillis })
    const hold = await waitForHold({ order, connection, signal, onBusy })
    const { purchaseId, payMillisLeft } = hold
    reached.purchaseId = purchaseId
    if (signal.aborted) await cancelHold(purchaseId)
    signal.throwIfAborted()
    requireAsConfirmed(order, hold)
    onProgress({ payMillisLeft })
    const signature = await payHold(hold, connection, network)
    reached.sent = true
    onProgress({ step: 'sent' })
    takeOut(order.items)
    const onChange = (purchase: Purchase) => onProgress({ step: stepOf(purchase) })
    return await followPurchase({ purchaseId, listingId: hold.listingId, signature, onChange })
  } catch (error) {
    if (error instanceof PurchaseStopped) throw error
    const refused = reached.purchaseId === undefined ? refusedText(error, order) : undefined
    throw new Error(refused ?? (await failureText(error, reached)), { cause: error })
  }
}

function requireAsConfirmed(order: Order, hold: Hold): void {
  if (isAsConfirmed(order, hold)) return
  throw new PurchaseStopped('The lot has changed since you confirmed it. Your wallet was not asked; no SOL moved.', { byBuyer: false })
}
