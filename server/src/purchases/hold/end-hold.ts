import { type EndReason } from '@juicebar/contract/schemas'

import { type Tx } from '../../database/transact.ts'
import { emitListing, lockListing, markHeld } from '../../listings/listing-store.ts'
import { reconcileWaitingCases } from '../cases/case-store.ts'
import { findRecordedPayment, markVoid, type PaymentRow } from '../payment/payment-store.ts'
import { emitPurchase, lockPurchase, markEnded, type PurchaseRow } from '../purchase-store.ts'

/** An open hold under lock. */
export interface LockedHold extends PurchaseRow {
  windowClosed: boolean
  payment: PaymentRow | undefined
}

/** A payment may still turn up after the end; the first look for one is soon. */
const FIRST_LOOK_SECONDS = 60

/**
 * Ends an open hold under the locks of lot and purchase, when `decide` finds a reason there; the lot is free again, first of all for
 * those who have paid for it too late.
 * Gives the reason, or undefined where the hold was not open or stays.
 */
export async function endHold(
  tx: Tx,
  { id, listingId }: { id: string; listingId: string },
  decide: (hold: LockedHold) => EndReason | undefined,
): Promise<EndReason | undefined> {
  const lot = await lockListing(tx, listingId)
  const purchase = await lockPurchase(tx, id)
  if (!lot || purchase?.status !== 'held') return undefined
  const payment = await findRecordedPayment(tx, id)
  const reason = decide({ ...purchase, payment })
  if (!reason) return undefined
  if (payment) await markVoid(tx, payment.signature)
  await markEnded(tx, id, reason, reason === 'chain_gone' ? null : FIRST_LOOK_SECONDS)
  await markHeld(tx, listingId, { heldBy: null, heldUntil: null })
  await reconcileWaitingCases(tx, listingId)
  await emitListing(tx, 'listing.released', listingId)
  await emitPurchase(tx, id)
  return reason
}

/**
 * The reason for which a hold ends without asking the chain: the server alone would have sent its payment, and was given none.
 * Undefined where a payment may be on its way.
 */
export function endsUnsent(hold: LockedHold): EndReason | undefined {
  if (!hold.serverSends || hold.payment) return undefined
  if (hold.cancelRequested) return 'cancelled'
  return hold.windowClosed ? 'lapsed' : undefined
}

/** The reason for which a hold ends once the chain has proved that no payment came and none can come any more. */
export function endsUnpaid(hold: LockedHold): EndReason | undefined {
  if (!hold.windowClosed) return undefined
  if (hold.payment) return 'expired'
  return hold.cancelRequested ? 'cancelled' : 'lapsed'
}
