import { type Signature, type WalletAddress } from '@juicebar/contract/addresses'
import { sql } from 'kysely'

import { type Database } from '../../database/connect.ts'
import { runStatement } from '../../database/run-statement.ts'
import { withRetry } from '../../database/transact.ts'
import { type PaymentRow } from '../payment/payment-store.ts'
import { type RecordedPayment } from '../payment/recorded-payment.ts'
import { type ReplyRow } from '../purchase-reply.ts'
import { REPLY_ROWS } from '../purchase-reply-store.ts'
import { type PurchaseRow } from '../purchase-store.ts'

/** A buyer's purchase of a listing that a payment may be for. */
export interface PayablePurchase extends ReplyRow {
  /** The payment, if it is recorded for this purchase. */
  payment: RecordedPayment | undefined
}

interface RecordedColumns extends Pick<PaymentRow, 'transactionBytes' | 'expiryHeight'> {
  paymentKind: PaymentRow['kind']
  paymentStatus: PaymentRow['status']
}

type Nullable<T> = { [Name in keyof T]: T[Name] | null }

const PAYABLE = `
  select p.*, m.kind as payment_kind, m.status as payment_status, m.transaction_bytes, m.expiry_height
  from ${REPLY_ROWS} p left join payments m on m.purchase_id = p.id and m.signature = $3
  where p.listing_id = $1 and p.buyer = $2
  order by m.signature is not null desc, p.status = 'held' desc, p.id desc limit 20`

/**
 * The buyer's purchases of a listing that a payment may be for: first the one it is recorded for, then the open hold, then the newest.
 */
export async function listPayablePurchases(
  database: Database,
  { listingId, buyer, signature }: { listingId: string; buyer: WalletAddress; signature: Signature },
): Promise<PayablePurchase[]> {
  const rows = await runStatement<ReplyRow & Nullable<RecordedColumns>>(database, PAYABLE, [listingId, buyer, signature])
  return rows.map(({ paymentKind: kind, paymentStatus: status, transactionBytes, expiryHeight, ...purchase }) => {
    const isRecorded = kind !== null && status !== null && transactionBytes !== null && expiryHeight !== null
    const payment = isRecorded ? { signature, purchaseId: purchase.id, kind, status, transactionBytes, expiryHeight } : undefined
    return { ...purchase, payment }
  })
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

const SETTLE = 'select * from settle_purchase($1, $2, $3, $4, $5, $6)'

export interface Settlement {
  outcome: SettleOutcome
  /** When the purchase was settled, by this payment or another. */
  settledAt: Date | null
}

export type SettleOutcome = 'settled' | 'paid_before' | 'listing_gone' | 'signature_used' | 'refunding'

/**
 * Delivers the tokens in one round trip and one transaction; `settle_purchase` in 0006-holds.sql explains each outcome.
 * `referenced`: the payment carries the purchase's reference, so it may be delivered even after the hold ended.
 */
export async function settlePurchase(
  database: Database,
  purchaseId: string,
  payment: Pick<PaymentRow, 'signature' | 'slot' | 'transactionBytes' | 'expiryHeight'> & { referenced: boolean },
): Promise<Settlement> {
  const { signature, slot, transactionBytes, expiryHeight, referenced } = payment
  const parameters = [purchaseId, signature, slot, transactionBytes, expiryHeight, referenced]
  const [row] = await withRetry(() => runStatement<Settlement>(database, SETTLE, parameters))
  if (!row) throw new Error('settle_purchase returned nothing')
  return row
}

/**
 * Notes that a payment has landed and tells buyer and seller, in one statement and one commit.
 * @returns when it was confirmed, if that is news
 */
export async function noteConfirmed(database: Database, signature: Signature, slot: bigint): Promise<Date | undefined> {
  const { rows } = await sql<{ confirmedAt: Date }>`
    with noted as (
      update payments set confirmed_at = now(), slot = ${slot} where signature = ${signature} and confirmed_at is null
      returning purchase_id, confirmed_at
    )
    select noted.confirmed_at, emit_purchase(p) from noted join purchases p on p.id = noted.purchase_id
  `.execute(database)
  return rows[0]?.confirmedAt
}
