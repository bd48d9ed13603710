import { type EndReason } from '@juicebar/contract/schemas'

import { type Tx } from '../../database/transact.ts'
import { findRecordedPayment } from '../payment/payment-store.ts'
import { lockPurchase } from '../purchase-store.ts'
import { type HoldState } from './hold.ts'
import { lockListings, recordEnd } from './hold-store.ts'

/** A payment may still turn up after the end; it is searched for soon. */
const FIRST_LATE_SEARCH_SECONDS = 60

/**
 * Ends an open hold under the locks of its listings and of the purchase, if `decide` finds a reason there. The listings are free
 * again, first of all for those whose payment for them came too late.
 * @returns the reason, or undefined if the hold was no longer open or stays.
 */
export async function endHold(tx: Tx, id: string, decide: (hold: HoldState) => EndReason | undefined): Promise<EndReason | undefined> {
  await lockListings(tx, id)
  const purchase = await lockPurchase(tx, id)
  if (purchase?.status !== 'held') return undefined
  const payment = await findRecordedPayment(tx, id)
  const reason = decide({ ...purchase, paymentRecorded: payment !== undefined })
  if (reason) await recordEnd(tx, id, reason, reason === 'chain_gone' ? null : FIRST_LATE_SEARCH_SECONDS)
  return reason
}
