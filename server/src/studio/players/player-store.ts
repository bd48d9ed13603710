import { type WalletAddress, type Signature } from '@juicebar/contract/addresses'
import { sql } from 'kysely'
import { type TokenAmount } from '../../catalogue/catalogue.ts'
import { type Database } from '../../database/connect.ts'
import { purchaseColumns, purchaseItems } from '../../purchases/purchase/purchase-store.ts'
import { type HistoricCase, type HistoricPayment, type PurchaseHistory } from './timeline.ts'

export interface PlayerActivity {
  /** Null if the wallet never signed in. */
  createdAt: Date | null
  /** Its drinks in listings, including those that buyers hold. */
  listed: readonly TokenAmount[]
  openPurchases: number
  openCases: number
}

/** A wallet's listings, open purchases and open cases, in one statement. */
export async function readActivity(database: Database, wallet: WalletAddress): Promise<PlayerActivity> {
  const { rows } = await sql<PlayerActivity>`
    select (select created_at from players where wallet_address = ${wallet}) as created_at,
      (select coalesce(json_agg(json_build_object('tokenType', token_type, 'amount', amount)), '[]') from (
        select token_type, sum(amount) as amount from listings where seller = ${wallet} and status in ('active', 'reserved') group by token_type
      ) l) as listed,
      (select count(*) from purchases where buyer = ${wallet} and status = 'held')::integer as open_purchases,
      (select count(*) from (
        select id from cases where seller = ${wallet} and status in ('open', 'refunding')
        union select c.id from purchases p join cases c on c.purchase_id = p.id where p.buyer = ${wallet} and c.status in ('open', 'refunding')
        union select id from cases where buyer = ${wallet} and status in ('open', 'refunding')
      ) c)::integer as open_cases
  `.execute(database)
  const [row] = rows
  if (!row) throw new Error('a select without a table returned no row')
  return row
}

const paymentColumns = ['signature', 'kind', 'caseId', 'status', 'confirmedAt', 'createdAt'] as const satisfies (keyof HistoricPayment)[]
const caseColumns = [
  'id',
  'kind',
  'status',
  'signature',
  'seller',
  'lamports',
  'feeLamports',
  'deliverable',
  'note',
  'openedAt',
  'closedAt',
] as const satisfies (keyof HistoricCase)[]

/** The histories of these purchases, by their ids. */
export async function readHistories(database: Database, ids: readonly string[]): Promise<Map<string, PurchaseHistory>> {
  if (ids.length === 0) return new Map()
  const purchases = await database
    .selectFrom('purchases')
    .select(purchaseColumns)
    .select([purchaseItems, 'endedAt', 'reconciledAt'])
    .select([sql<Date>`pay_until(purchases)`.as('payUntil'), sql<Date>`now()`.as('now')])
    .where('id', 'in', ids)
    .execute()
  const payments = await database
    .selectFrom('payments')
    .select(paymentColumns)
    .select('purchaseId')
    .where('purchaseId', 'in', ids)
    .orderBy('createdAt')
    .execute()
  const cases = await database
    .selectFrom('cases')
    .select(caseColumns)
    .select('purchaseId')
    .where('purchaseId', 'in', ids)
    .orderBy('id')
    .execute()
  const of = <Row extends { purchaseId: string | null }>(rows: readonly Row[], id: string) =>
    rows.filter(({ purchaseId }) => purchaseId === id)
  return new Map(purchases.map((row) => [row.id, { ...row, payments: of(payments, row.id), cases: of(cases, row.id) }]))
}

/** The purchases that, according to the database, this transaction paid for, tried to pay for, or refunded. */
export async function findPurchasesBySignature(database: Database, signature: Signature): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select id from purchases where signature = ${signature}
    union select purchase_id from payments where signature = ${signature} and purchase_id is not null
    union select purchase_id from cases where signature = ${signature} and purchase_id is not null
    union select c.purchase_id from small_payments s join cases c on c.id = s.case_id where s.signature = ${signature}
  `.execute(database)
  return rows.map(({ id }) => id)
}

/** The purchases that have one of these accounts as their reference, or as that of a refund. */
export async function findPurchasesByReference(database: Database, accounts: readonly string[]): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select id from purchases where reference = any(${accounts}::text[])
    union select purchase_id from cases where refund_reference = any(${accounts}::text[]) and purchase_id is not null
  `.execute(database)
  return rows.map(({ id }) => id)
}
