import { type EndReason } from '@juicebar/contract/schemas'

import { inTransaction, type Tx } from '../../database/transact.ts'
import { findRecordedPayment } from '../payment/payment-store.ts'
import { type PurchaseDeps } from '../purchase-deps.ts'
import { lockPurchase } from '../purchase-store.ts'
import { type HoldState } from './hold.ts'
import { lockListings, markUnfunded, recordEnd } from './hold-store.ts'

/** A payment may still turn up after the end, so search for it soon. */
const FIRST_LATE_SEARCH_SECONDS = 60

interface EndOptions {
  /** Of a co-signed purchase: its buyer has too little SOL for it. */
  unfunded?: boolean
}

type DecideEnd = (hold: HoldState) => EndReason | undefined

/** Ends an open hold like `endHold`, in its own transaction. */
export async function endHoldAlone(
  { database, observer }: Pick<PurchaseDeps, 'database' | 'observer'>,
  id: string,
  decide: DecideEnd,
  options?: EndOptions,
): Promise<void> {
  const reason = await inTransaction(database, (tx) => endHold(tx, id, decide, options))
  if (reason) observer?.holdEnded(reason)
}

/**
 * Ends an open hold under the locks of its listings and of the purchase, if `decide` finds a reason there. The listings are free again;
 * buyers whose payments for them came late go first.
 * @returns the reason, or undefined if the hold was no longer open or stays.
 */
export async function endHold(
  tx: Tx,
  id: string,
  decide: DecideEnd,
  { unfunded = false }: EndOptions = {},
): Promise<EndReason | undefined> {
  await lockListings(tx, id)
  const purchase = await lockPurchase(tx, id)
  if (purchase?.status !== 'held') return undefined
  const payment = await findRecordedPayment(tx, id)
  const reason = decide({ ...purchase, paymentRecorded: payment !== undefined })
  if (reason && unfunded) await markUnfunded(tx, id)
  if (reason) await recordEnd(tx, id, reason, reason === 'chain_gone' ? null : FIRST_LATE_SEARCH_SECONDS)
  return reason
}
