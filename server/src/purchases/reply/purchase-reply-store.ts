import { type WalletAddress } from '@juicebar/contract/addresses'
import { type Purchase, type PurchaseStatus } from '@juicebar/contract/schemas'
import { sql } from 'kysely'
import { columnsSql } from '../../database/columns.ts'
import { type Database } from '../../database/connect.ts'
import { purchaseReply, type ReplyContext, type ReplyRow } from './purchase-reply.ts'
import { purchaseColumns } from '../purchase/purchase-store.ts'

export interface PurchaseFilter {
  /** All wallets if undefined. */
  wallet: WalletAddress | undefined
  role: 'buyer' | 'seller' | undefined
  /** Of this listing, or of a part of it; of all listings if undefined. */
  listingId?: string | undefined
  /** None but these. */
  among?: readonly string[] | undefined
  status: PurchaseStatus | undefined
  limit: number
  /** The identifier of the last purchase on the page before. */
  before: string | undefined
}

/** Purchases and sales, newest first. */
export async function listPurchases(database: Database, filter: PurchaseFilter, context: ReplyContext): Promise<Purchase[]> {
  const { wallet, role, status, listingId, among, limit, before } = filter
  const statusIs = status === undefined ? sql`true` : sql`p.status = ${status}`
  const isBefore = before === undefined ? sql`true` : sql`p.id < ${before}`
  const page = sql`${statusIs} and ${isBefore} order by p.id desc limit ${limit}`
  // Each query is a walk along an index. With both conditions in one query, the planner reads all purchases from the newest on.
  const bought = sql`(select p.id from purchases p where p.buyer = ${wallet} and ${page})`
  const sold = sql`(select distinct p.id from purchase_items i join purchases p on p.id = i.purchase_id where i.seller = ${wallet} and ${page})`
  const ofWallet = role === 'buyer' ? bought : role === 'seller' ? sold : sql`${bought} union ${sold}`
  const of = (column: string) =>
    sql`(select distinct p.id from purchase_items i join purchases p on p.id = i.purchase_id where ${sql.ref(column)} = ${listingId} and ${page})`
  const ofListing = sql`${of('i.listing_id')} union ${of('i.part_of')}`
  const conditions = [
    ...(wallet === undefined ? [] : [sql`p.id in (${ofWallet})`]),
    ...(listingId === undefined ? [] : [sql`p.id in (${ofListing})`]),
    ...(among === undefined ? [] : [sql`p.id = any(${among}::uuid[])`]),
    page,
  ]
  const { rows } = await sql<ReplyRow>`
    select ${sql.raw(REPLY_COLUMNS)} from ${sql.raw(REPLY_ROWS)} p
    where ${sql.join(conditions, sql` and `)}
  `.execute(database)
  return rows.map((row) => purchaseReply(row, context))
}

/** One purchase as the API returns it. */
export async function findPurchaseReply(database: Database, id: string, context: ReplyContext): Promise<Purchase | undefined> {
  const { rows } = await sql<ReplyRow>`select ${sql.raw(REPLY_COLUMNS)} from ${sql.raw(REPLY_ROWS)} p where id = ${id}`.execute(database)
  return rows[0] && purchaseReply(rows[0], context)
}

const replyColumns = [
  ...purchaseColumns,
  'items',
  'sentSignature',
  'confirmedAt',
  'payMillisLeft',
  'abandoned',
  'readAt',
] as const satisfies (keyof ReplyRow)[]

/** SQL of the columns of `REPLY_ROWS`, under the alias `p`. */
export const REPLY_COLUMNS = columnsSql('p', replyColumns)

/**
 * SQL of every purchase as a `ReplyRow`. What a cooldown follows from is read only for purchases that can have left one. The payment is read by a subquery:
 * for a join, the planner walks the whole index of recorded payments if there were hardly any when it last collected statistics.
 */
export const REPLY_ROWS = `(
  select ${columnsSql('p', purchaseColumns)}, items_of(p.id) as items, m.signature as sent_signature, m.confirmed_at, pay_millis_left(p),
    case when p.end_reason in ('cancelled', 'lapsed') and p.ended_at > now() - interval '24 hours' then abandonments(p.buyer) end as abandoned,
    now() as read_at
  from purchases p left join lateral (
    select signature, confirmed_at from payments where purchase_id = p.id and kind = 'purchase' and status = 'recorded' limit 1
  ) m on true
)`
