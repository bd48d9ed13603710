import { type WalletAddress } from '@juicebar/contract/addresses'
import { lamportsToSol } from '@juicebar/contract/money'
import { type Purchase, type PurchaseStatus } from '@juicebar/contract/schemas'
import { tokenName } from '@juicebar/contract/token-types'
import { sql } from 'kysely'

import { type Database } from '../database/connect.ts'

export interface PurchaseFilter {
  wallet: WalletAddress
  role: 'buyer' | 'seller' | undefined
  status: PurchaseStatus | undefined
  limit: number
  /** The identifier of the last purchase on the page before. */
  before: string | undefined
}

/** A wallet's purchases and sales, newest first. `genesisHash` marks those of an earlier local chain; undefined marks none. */
export async function listPurchases(database: Database, filter: PurchaseFilter, genesisHash: string | undefined): Promise<Purchase[]> {
  const { wallet, role, status, limit, before } = filter
  const rows = await selectReplies(database)
    .$if(role !== undefined, (query) => query.where(role === 'seller' ? 'p.seller' : 'p.buyer', '=', wallet))
    .$if(role === undefined, (query) => query.where((or) => or.or([or('p.buyer', '=', wallet), or('p.seller', '=', wallet)])))
    .$if(status !== undefined, (query) => query.where('p.status', '=', status as PurchaseStatus))
    .$if(before !== undefined, (query) => query.where('p.id', '<', before as string))
    .orderBy('p.id', 'desc')
    .limit(limit)
    .execute()
  return rows.map((row) => toReply(row, genesisHash))
}

/** One purchase as the API returns it. */
export async function findPurchaseReply(database: Database, id: string, genesisHash: string | undefined): Promise<Purchase | undefined> {
  const row = await selectReplies(database).where('p.id', '=', id).executeTakeFirst()
  return row && toReply(row, genesisHash)
}

/** Whole milliseconds left to pay, by the database's clock. */
const payMillisLeft = sql<number>`greatest(0, floor(extract(epoch from p.pay_before - now()) * 1000))::int`

function selectReplies(database: Database) {
  return database
    .selectFrom('purchases as p')
    .leftJoin('payments as m', (join) =>
      join.onRef('m.purchaseId', '=', 'p.id').on('m.kind', '=', 'purchase').on('m.status', '=', 'recorded'),
    )
    .selectAll('p')
    .select(['m.signature as sentSignature', 'm.confirmedAt', payMillisLeft.as('payMillisLeft')])
}

type ReplyRow = Awaited<ReturnType<ReturnType<typeof selectReplies>['execute']>>[number]

function toReply(row: ReplyRow, genesisHash: string | undefined): Purchase {
  return {
    purchaseId: row.id,
    listingId: row.listingId,
    buyer: row.buyer,
    seller: row.seller,
    tokenType: row.tokenType,
    tokenName: tokenName(row.tokenType),
    amount: Number(row.amount),
    price: lamportsToSol(row.priceLamports),
    lamports: row.priceLamports.toString(),
    status: row.status,
    endReason: row.endReason,
    stage: stageOf(row),
    signature: row.signature ?? row.sentSignature,
    reference: row.reference,
    sendsThrough: row.serverSends ? 'server' : 'wallet',
    payBefore: row.payBefore.toISOString(),
    payMillisLeft: row.payMillisLeft,
    earlierChain: genesisHash !== undefined && row.genesisHash !== genesisHash,
    finalized: row.finalizedAt !== null,
    createdAt: row.createdAt.toISOString(),
    settledAt: row.settledAt?.toISOString() ?? null,
  }
}

function stageOf(row: ReplyRow): Purchase['stage'] {
  if (row.status === 'settled') return 'delivered'
  if (row.sentSignature === null) return 'none'
  return row.confirmedAt === null ? 'sent' : 'confirmed'
}
