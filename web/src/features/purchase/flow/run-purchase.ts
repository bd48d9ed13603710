import { type Purchase, type PublicConfig } from '@juicebar/contract/schemas'

import { requireConnection } from '../../../wallet/require-connection.ts'
import { type BoughtListing, isAsConfirmed, type Progress, stepOf } from '../purchase.ts'
import { cancelHold } from './cancel-hold.ts'
import { failureText, type Reached } from './failure-text.ts'
import { followPurchase } from './follow-purchase.ts'
import { payHold } from './pay-hold.ts'
import { PurchaseStopped } from './purchase-stopped.ts'
import { waitForHold } from './wait-for-hold.ts'

interface Run {
  listing: BoughtListing
  network: PublicConfig['network']
  /** Aborted, with a PurchaseStopped, when the buyer cancels; it has no effect once the listing is held. */
  signal: AbortSignal
  onProgress: (progress: Progress) => void
}

/**
 * Carries a purchase through: hold, payment, confirmation, delivery.
 *
 * @returns the purchase, settled or ended
 * @throws Error with a sentence for the buyer: what happened, whether SOL moved, and what to do; PurchaseStopped if the wallet was not asked
 */
export async function runPurchase({ listing, network, signal, onProgress }: Run): Promise<Purchase> {
  const reached: Reached = {}
  try {
    const connection = requireConnection()
    const onBusy = (retryMillis: number) => onProgress({ retryMillis })
    const hold = await waitForHold({ listingId: listing._id, connection, signal, onBusy })
    const { purchaseId, payMillisLeft } = hold
    reached.purchaseId = purchaseId
    if (signal.aborted) await cancelHold(purchaseId)
    signal.throwIfAborted()
    requireAsConfirmed(listing, hold)
    onProgress({ payMillisLeft })
    const signature = await payHold(hold, connection, network)
    reached.sent = true
    onProgress({ step: 'sent' })
    const onChange = (purchase: Purchase) => onProgress({ step: stepOf(purchase) })
    return await followPurchase({ purchaseId, listingId: listing._id, signature, onChange })
  } catch (error) {
    if (error instanceof PurchaseStopped) throw error
    throw new Error(await failureText(error, reached), { cause: error })
  }
}

function requireAsConfirmed(listing: BoughtListing, hold: { seller: string; lamports: string }): void {
  if (isAsConfirmed(listing, hold)) return
  throw new PurchaseStopped('The lot has changed since you confirmed it. Your wallet was not asked; no SOL moved.', { byBuyer: false })
}
