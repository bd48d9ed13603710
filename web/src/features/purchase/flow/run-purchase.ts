import { messages } from '@juicebar/contract/messages'
import { type Purchase, type PublicConfig } from '@juicebar/contract/schemas'

import { errorSentence } from '../../../api/api-error.ts'
import { PaymentFailed } from '../../../payment/payment-failed.ts'
import { WalletError } from '../../../wallet/wallet-error.ts'
import { requireConnection } from '../../../wallet/wallet-store.ts'
import { cancelHold } from './cancel-hold.ts'
import { followPurchase } from './follow-purchase.ts'
import { holdListing } from './hold-listing.ts'
import { payHold } from './pay-hold.ts'
import { type BoughtListing, isAsConfirmed, type PurchaseStep, stepOf } from '../purchase.ts'

interface Run {
  listing: BoughtListing
  network: PublicConfig['network']
  /** Called at the hold, with the milliseconds left to pay, and at each step. */
  onProgress: (progress: { step?: PurchaseStep; payMillisLeft?: number }) => void
}

/**
 * Carries a purchase through: hold, payment, confirmation, delivery.
 *
 * @returns the purchase, settled or ended
 * @throws Error with a sentence for the buyer: what happened, whether SOL moved, and what to do
 */
export async function runPurchase({ listing, network, onProgress }: Run): Promise<Purchase> {
  let purchaseId: string | undefined
  try {
    const connection = requireConnection()
    const hold = await holdListing(listing._id, connection)
    purchaseId = hold.purchaseId
    if (!isAsConfirmed(listing, hold))
      throw new Error('The lot has changed since you confirmed it. Your wallet was not asked; no SOL moved.')
    onProgress({ payMillisLeft: hold.payMillisLeft })
    const signature = await payHold(hold, connection, network)
    onProgress({ step: 'sent' })
    const onChange = (purchase: Purchase) => onProgress({ step: stepOf(purchase) })
    return await followPurchase({ purchaseId, listingId: listing._id, signature, onChange })
  } catch (error) {
    throw new Error(await failureText(error, purchaseId), { cause: error })
  }
}

/** What to tell the buyer. A buyer who declined does not want the lot any more, so the hold is cancelled. */
async function failureText(error: unknown, purchaseId: string | undefined): Promise<string> {
  const text = errorSentence(error, messages.purchaseFailed)
  if (!(error instanceof PaymentFailed) || !error.nothingSigned || !purchaseId) return text
  const declined = error.cause instanceof WalletError && error.cause.kind === 'rejected'
  if (!declined) return `${text} The lot is kept for you until the time to pay runs out: pay for it, or cancel the purchase.`
  const cancelled = await cancelHold(purchaseId).then(
    () => true,
    () => false,
  )
  return cancelled ? `${text} The lot is free again.` : `${text} The lot is freed when the time to pay runs out.`
}
