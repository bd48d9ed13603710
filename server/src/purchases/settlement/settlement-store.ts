import { type Signature, type WalletAddress } from '@juicebar/contract/addresses'
import { sql } from 'kysely'

import { type Database } from '../../database/connect.ts'
import { withRetry } from '../../database/transact.ts'
import { type PaymentRow } from '../payment/payment-store.ts'
import { type PurchaseRow } from '../purchase-store.ts'

/** A buyer's purchase of a listing that a payment may be for. */
export interface PayablePurchase extends PurchaseRow {
  /** The payment is recorded for this purchase. */
  recorded: boolean
}

/**
 * The buyer's purchases of a listing that a payment may be for: first the one it is recorded for, then the open hold, then the newest.
 */
export async function listPayablePurchases(
  database: Database,
  { listingId, buyer, signature }: { listingId: string; buyer: WalletAddress; signature: Signature },
): Promise<PayablePurchase[]> {
  const recorded = sql<boolean>`exists (select from payments m where m.signature = ${signature} and m.purchase_id = p.id)`
  return database
    .selectFrom('purchases as p')
    .selectAll()
    .select(recorded.as('recorded'))
    .where('listingId', '=', listingId)
    .where('buyer', '=', buyer)
    .orderBy('recorded', 'desc')
    .orderBy(sql`status = 'held'`, 'desc')
    .orderBy('id', 'desc')
    .limit(20)
    .execute()
}

/** The other open holds of a purchase's buyer on listings of its seller. */
export async function listHoldsBetween(
  database: Database,
  { id, buyer, seller }: Pick<PurchaseRow, 'id' | 'buyer' | 'seller'>,
): Promise<PurchaseRow[]> {
  return database
    .selectFrom('purchases')
    .selectAll()
    .where('buyer', '=', buyer)
    .where('seller', '=', seller)
    .where('id', '<>', id)
    .where('status', '=', 'held')
    .execute()
}

export type SettleOutcome = 'settled' | 'paid_before' | 'listing_gone' | 'signature_used' | 'refunding'

/**
 * Delivers the tokens in one round trip and one transaction; `settle_purchase` in 0005-purchases.sql explains each outcome.
 * `referenced`: the payment carries the purchase's reference, so it may be delivered even after the hold ended.
 */
export async function settlePurchase(
  database: Database,
  purchaseId: string,
  payment: Pick<PaymentRow, 'signature' | 'slot' | 'transactionBytes' | 'expiryHeight'> & { referenced: boolean },
): Promise<SettleOutcome> {
  const { signature, slot, transactionBytes, expiryHeight, referenced } = payment
  const settle = sql<{ outcome: SettleOutcome }>`
    select settle_purchase(${purchaseId}, ${signature}, ${slot}, ${transactionBytes}, ${expiryHeight}, ${referenced}) as outcome
  `
  const { rows } = await withRetry(() => settle.execute(database))
  const [row] = rows
  if (!row) throw new Error('settle_purchase returned nothing')
  return row.outcome
}
