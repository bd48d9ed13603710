import { type EndReason } from '@juicebar/contract/schemas'

import { type Tx } from '../../database/transact.ts'
import { emitListing, lockListing, markHeld } from '../../listings/listing-store.ts'
import { reconcileWaitingCases } from '../cases/case-store.ts'
import { findRecordedPayment, voidPayment } from '../payment/payment-store.ts'
import { emitPurchase, lockPurchase } from '../purchase-store.ts'
import { type HoldState } from './hold.ts'
import { markEnded } from './hold-store.ts'

/** A payment may still turn up after the end; it is searched for soon. */
const FIRST_LATE_SEARCH_SECONDS = 60

/**
 * Ends an open hold under the locks of its listing and purchase, if `decide` finds a reason there. The listing is free again,
 * first of all for those whose payment for it came too late.
 * @returns the reason, or undefined if the hold was no longer open or stays.
 */
export async function endHold(
  tx: Tx,
  { id, listingId }: { id: string; listingId: string },
  decide: (hold: HoldState) => EndReason | undefined,
): Promise<EndReason | undefined> {
  const listing = await lockListing(tx, listingId)
  const purchase = await lockPurchase(tx, id)
  if (!listing || purchase?.status !== 'held') return undefined
  const payment = await findRecordedPayment(tx, id)
  const reason = decide({ ...purchase, paymentRecorded: payment !== undefined })
  if (!reason) return undefined
  if (payment) await voidPayment(tx, payment.signature)
  await markEnded(tx, id, reason, reason === 'chain_gone' ? null : FIRST_LATE_SEARCH_SECONDS)
  await markHeld(tx, listingId, { heldBy: null, heldUntil: null })
  await reconcileWaitingCases(tx, listingId)
  await emitListing(tx, 'listing.released', listingId)
  await emitPurchase(tx, id)
  return reason
}
