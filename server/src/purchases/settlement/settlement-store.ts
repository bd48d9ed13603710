import { type Signature, type WalletAddress } from '@juicebar/contract/addresses'
import { type Lamports } from '@juicebar/contract/money'
import { type CaseKind } from '@juicebar/contract/schemas'
import { sql } from 'kysely'
import { batchedStatement, type Tx, withRetry } from '../../database/transact.ts'
import { type Nullable } from '../../database/columns.ts'
import { type Database } from '../../database/connect.ts'
import { type PaymentRow } from '../payment/payment-store.ts'
import { type RecordedPayment } from '../payment/payment-terms.ts'
import { type ReplyRow } from '../reply/purchase-reply.ts'
import { REPLY_COLUMNS, REPLY_ROWS } from '../reply/purchase-reply-store.ts'
import { purchaseColumns, purchaseItems, type PurchaseRow } from '../purchase/purchase-store.ts'

/** A purchase of the buyer that a payment may be for. */
export interface PayablePurchase {
  purchase: ReplyRow
  /** The payment, if it is recorded for this purchase. */
  payment: RecordedPayment | undefined
}

interface RecordedColumns extends Pick<PaymentRow, 'transactionBytes' | 'expiryHeight'> {
  paymentKind: PaymentRow['kind']
  paymentStatus: PaymentRow['status']
}

type PayableRow = ReplyRow & Nullable<RecordedColumns>

/** What a buyer claims to have paid for: a purchase, one of its listings, or the listing that a part was split from. */
export type PaidSubject = { purchaseId: string } | { listingId: string }

type PayableQuestion = PaidSubject & {
  buyer: WalletAddress
  signature: Signature
}

const RECORDED_COLUMNS = 'payment_kind, payment_status, transaction_bytes, expiry_height'
const PAYABLE = `
  select asked.n::integer as n, ${REPLY_COLUMNS}, ${RECORDED_COLUMNS}
  from unnest($1::uuid[], $2::uuid[], $3::text[], $4::text[]) with ordinality as asked(purchase_id, listing_id, buyer, signature, n)
  cross join lateral (
    select ${REPLY_COLUMNS}, m.kind as payment_kind, m.status as payment_status, m.transaction_bytes, m.expiry_height
    from ${REPLY_ROWS} p left join payments m on m.purchase_id = p.id and m.signature = asked.signature
    where p.buyer = asked.buyer and p.id in (
      select purchase_id from purchase_items where listing_id = asked.listing_id
      union select purchase_id from purchase_items where part_of = asked.listing_id
      union select asked.purchase_id
    )
    order by m.signature is not null desc, p.status = 'held' desc, p.id desc limit 20
  ) p
  order by n, payment_kind is not null desc, p.status = 'held' desc, p.id desc`

const readPayable = batchedStatement<PayableQuestion, PayableRow>(PAYABLE, (asked) => [
  'purchaseId' in asked ? asked.purchaseId : null,
  'listingId' in asked ? asked.listingId : null,
  asked.buyer,
  asked.signature,
])

/**
 * The buyer's purchases that a payment may be for: first the one it is recorded for, then the open hold, then the newest.
 */
export async function listPayablePurchases(database: Database, asked: PayableQuestion): Promise<PayablePurchase[]> {
  const rows = await readPayable(database, asked)
  return rows.map((row) => ({ purchase: row, payment: recordedPayment(asked.signature, row) }))
}

function recordedPayment(signature: Signature, row: PayableRow): RecordedPayment | undefined {
  const { id: purchaseId, paymentKind: kind, paymentStatus: status, transactionBytes, expiryHeight } = row
  if (kind === null || status === null || transactionBytes === null || expiryHeight === null) return undefined
  return { signature, purchaseId, kind, status, transactionBytes, expiryHeight }
}

/** The other open holds of a purchase's buyer on listings of its seller. */
export async function listHoldsBetween(
  database: Database,
  { id, buyer, sellers }: Pick<PurchaseRow, 'id' | 'buyer' | 'sellers'>,
): Promise<PurchaseRow[]> {
  return database
    .selectFrom('purchases')
    .select(purchaseColumns)
    .select(purchaseItems)
    .where('buyer', '=', buyer)
    .where(sql<boolean>`sellers = ${sellers}::text[]`)
    .where('id', '<>', id)
    .where('status', '=', 'held')
    .execute()
}

/** The case and the payment are read as they were before: `settle_purchase` closes an open one and confirms the other. */
const SETTLE = `
  select s.outcome, s.settled_at, s.outcome = 'settled' and s.settled_at = now() as is_news, c.id, c.kind, c.seller, c.lamports,
    extract(epoch from s.settled_at - m.confirmed_at)::float8 as confirmed_seconds,
    extract(epoch from s.settled_at - m.created_at)::float8 as submitted_seconds
  from settle_purchase($1, $2, $3, $4, $5, $6) s left join cases c on c.purchase_id = $1 and c.signature = $2 and c.status = 'open'
    left join payments m on m.signature = $2`

export interface Settlement {
  outcome: SettleOutcome
  /** When the purchase was settled, by this payment or another. */
  settledAt: Date | null
  /** This call settled it. */
  isNews: boolean
  /** The cases that this call has closed, by delivering their payment. */
  delivered: DeliveredCase[]
  /** Between the first record that the payment is confirmed and the delivery; null if there was none before. */
  confirmedSeconds: number | null
  /** Between the recording of the payment and the delivery; null if it was not recorded before. */
  submittedSeconds: number | null
}

export interface DeliveredCase {
  id: string
  kind: CaseKind
  seller: WalletAddress | null
  lamports: Lamports
}

export type SettleOutcome = 'settled' | 'paid_before' | 'listing_gone' | 'signature_used' | 'refunding'

/**
 * Delivers the tokens in one round trip and one transaction; `settle_purchase` in functions/settle.sql explains each outcome.
 * `referenced`: the payment carries the purchase's reference, so it may be delivered even after the hold ended.
 */
export async function settlePurchase(
  database: Database,
  purchaseId: string,
  payment: Pick<PaymentRow, 'signature' | 'slot' | 'transactionBytes' | 'expiryHeight'> & { referenced: boolean },
): Promise<Settlement> {
  const { signature, slot, transactionBytes, expiryHeight, referenced } = payment
  const parameters = [purchaseId, signature, slot, transactionBytes, expiryHeight, referenced]
  const rows = await withRetry(() => database.runStatement<Omit<Settlement, 'delivered'> & Nullable<DeliveredCase>>(SETTLE, parameters))
  const [row] = rows
  if (!row) throw new Error('settle_purchase returned nothing')
  const { outcome, settledAt, isNews, confirmedSeconds, submittedSeconds } = row
  const delivered = rows.flatMap(({ id, kind, seller, lamports }) =>
    isNews && id !== null && kind !== null && lamports !== null ? [{ id, kind, seller, lamports }] : [],
  )
  return { outcome, settledAt, isNews, delivered, confirmedSeconds, submittedSeconds }
}

/**
 * Lets another payment of a purchase count in place of the one that the chain has dropped for good.
 * @returns the cases that this closes; undefined if it cannot count, and nothing changed: `replace_payment` in functions/settle.sql says when
 */
export async function replacePayment(
  tx: Tx,
  purchaseId: string,
  dropped: Signature,
  { signature, slot, transactionBytes, expiryHeight }: Pick<PaymentRow, 'signature' | 'slot' | 'transactionBytes' | 'expiryHeight'>,
): Promise<DeliveredCase[] | undefined> {
  const { rows } = await sql<{ closed: string[] | null }>`
    select replace_payment(${purchaseId}, ${dropped}, ${signature}, ${slot}, ${transactionBytes}, ${expiryHeight}) as closed
  `.execute(tx)
  const closed = rows[0]?.closed ?? undefined
  if (closed === undefined || closed.length === 0) return closed as undefined | []
  return tx.selectFrom('cases').select(['id', 'kind', 'seller', 'lamports']).where('id', 'in', closed).execute()
}

/**
 * Records that a payment has landed and tells buyer and seller, in one statement and one commit.
 * @returns when it was confirmed, if that is new
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
