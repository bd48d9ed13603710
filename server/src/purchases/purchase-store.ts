import { type Signature, type WalletAddress } from '@juicebar/contract/addresses'
import { lamportsToSol } from '@juicebar/contract/money'
import { type EndReason, type Purchase, type PurchaseStatus } from '@juicebar/contract/schemas'
import { tokenName } from '@juicebar/contract/token-types'
import { type Selectable, sql } from 'kysely'

import { type Database } from '../database/connect.ts'
import { type Purchases } from '../database/schema.ts'
import { type Tx } from '../database/transact.ts'
import { inSeconds, now } from './database-time.ts'

export type PurchaseRow = Selectable<Purchases>

const windowClosed = sql<boolean>`pay_before <= now()`

export interface NewHold {
  listingId: string
  buyer: WalletAddress
  seller: WalletAddress
  tokenType: PurchaseRow['tokenType']
  amount: bigint
  priceLamports: PurchaseRow['priceLamports']
  reference: WalletAddress
  genesisHash: string
  heldAtSlot: bigint
  serverSends: boolean
}

export async function insertHold(tx: Tx, hold: NewHold, holdSeconds: number): Promise<PurchaseRow> {
  const payBefore = sql<Date>`now() + make_interval(secs => ${holdSeconds})`
  // A wallet that sends by itself may pay at once; bytes that only the server sends come through its own door.
  const reconcileAt = hold.serverSends ? payBefore : now
  return tx
    .insertInto('purchases')
    .values({ ...hold, payBefore, reconcileAt })
    .returningAll()
    .executeTakeFirstOrThrow()
}

export async function findPurchase(database: Database | Tx, id: string): Promise<PurchaseRow | undefined> {
  return database.selectFrom('purchases').selectAll().where('id', '=', id).executeTakeFirst()
}

/** Locks the purchase until the transaction ends; `over` tells whether its time to pay is, by the database's clock. */
export async function lockPurchase(tx: Tx, id: string): Promise<(PurchaseRow & { windowClosed: boolean }) | undefined> {
  return tx.selectFrom('purchases').selectAll().select(windowClosed.as('windowClosed')).where('id', '=', id).forUpdate().executeTakeFirst()
}

/** A buyer's open hold on a lot. */
export async function findOpenHold(tx: Tx, listingId: string, buyer: WalletAddress): Promise<PurchaseRow | undefined> {
  return tx
    .selectFrom('purchases')
    .selectAll()
    .where('listingId', '=', listingId)
    .where('buyer', '=', buyer)
    .where('status', '=', 'held')
    .executeTakeFirst()
}

/** Which of a buyer's purchases of a lot a payment may be for. */
export interface Candidate extends PurchaseRow {
  /** The payment is recorded for this one. */
  named: boolean
}

/** The purchase that a payment is known to belong to comes first, then the open hold, then the newest others. */
export async function findCandidates(
  database: Database,
  listingId: string,
  buyer: WalletAddress,
  signature: Signature,
): Promise<Candidate[]> {
  const named = sql<boolean>`exists (select from payments m where m.signature = ${signature} and m.purchase_id = p.id)`
  return database
    .selectFrom('purchases as p')
    .selectAll()
    .select(named.as('named'))
    .where('listingId', '=', listingId)
    .where('buyer', '=', buyer)
    .orderBy('named', 'desc')
    .orderBy(sql`status = 'held'`, 'desc')
    .orderBy('id', 'desc')
    .limit(20)
    .execute()
}

/** Of some accounts, those that are references of purchases or of refunds. */
export async function findReferences(database: Database, accounts: readonly string[]): Promise<string[]> {
  const { rows } = await sql<{ reference: string }>`
    select reference from purchases where reference = any(${accounts})
    union select refund_reference from cases where refund_reference = any(${accounts})
  `.execute(database)
  return rows.map(({ reference }) => reference)
}

/** Locks the player's row, so that one wallet's holds are counted one at a time. */
export async function lockPlayer(tx: Tx, wallet: WalletAddress): Promise<void> {
  await tx.selectFrom('players').select('walletAddress').where('walletAddress', '=', wallet).forUpdate().execute()
}

/** A buyer's open holds on other lots than this one. */
export async function listOtherHolds(database: Database | Tx, buyer: WalletAddress, listingId: string) {
  return database
    .selectFrom('purchases')
    .select(['seller', 'priceLamports'])
    .where('buyer', '=', buyer)
    .where('listingId', '<>', listingId)
    .where('status', '=', 'held')
    .execute()
}

/** The open holds of a purchase's buyer on lots of its seller. */
export async function findHoldsBetween(
  database: Database,
  { buyer, seller }: Pick<PurchaseRow, 'buyer' | 'seller'>,
): Promise<PurchaseRow[]> {
  return database
    .selectFrom('purchases')
    .selectAll()
    .where('buyer', '=', buyer)
    .where('seller', '=', seller)
    .where('status', '=', 'held')
    .execute()
}

export interface UnpaidHistory {
  /** Seconds since this wallet last left this lot unpaid; null where it never did in the last 24 hours. */
  secondsSinceLeft: number | null
  /** Holds that this wallet let lapse in the last 24 hours, on any lot. */
  lapses: number
}

export async function readUnpaidHistory(database: Database | Tx, buyer: WalletAddress, listingId: string): Promise<UnpaidHistory> {
  return database
    .selectFrom('purchases')
    .select([
      sql<number | null>`(extract(epoch from now() - max(ended_at) filter (where listing_id = ${listingId})))::float8`.as(
        'secondsSinceLeft',
      ),
      sql<number>`(count(*) filter (where end_reason = 'lapsed'))::int`.as('lapses'),
    ])
    .where('buyer', '=', buyer)
    .where('endReason', 'in', ['lapsed', 'cancelled'])
    .where('endedAt', '>', sql<Date>`now() - interval '24 hours'`)
    .executeTakeFirstOrThrow()
}

/** From now on the buyer's own wallet may send the payment, so absence must be proved on the chain before the lot is free. */
export async function allowWalletToSend(tx: Tx, id: string): Promise<void> {
  await tx.updateTable('purchases').set({ serverSends: false, reconcileAt: now }).where('id', '=', id).execute()
}

/** Ends the time to pay; the hold itself ends once no payment can land any more. */
export async function requestCancel(tx: Tx, id: string): Promise<void> {
  await tx
    .updateTable('purchases')
    .set({ cancelRequested: true, payBefore: sql<Date>`least(pay_before, now())`, reconcileAt: now })
    .where('id', '=', id)
    .execute()
}

export async function setReleaseHeight(database: Database, id: string, height: bigint): Promise<void> {
  await database.updateTable('purchases').set({ releaseHeight: height }).where('id', '=', id).where('releaseHeight', 'is', null).execute()
}

export async function markEnded(tx: Tx, id: string, reason: EndReason, firstLookSeconds: number | null): Promise<void> {
  const reconcileAt = firstLookSeconds === null ? null : inSeconds(firstLookSeconds)
  await tx
    .updateTable('purchases')
    .set({ status: 'ended', endReason: reason, endedAt: now, reconciliations: 0, reconcileAt })
    .where('id', '=', id)
    .execute()
}

export async function markFinalized(database: Database, id: string): Promise<void> {
  await database.updateTable('purchases').set({ finalizedAt: now }).where('id', '=', id).execute()
}

export async function emitPurchase(tx: Database | Tx, id: string): Promise<void> {
  await sql`select emit_purchase(p) from purchases p where p.id = ${id}`.execute(tx)
}

/** A purchase that a node has taken up to look at. */
export interface DuePurchase extends PurchaseRow {
  windowClosed: boolean
  ageSeconds: number
  /** How long ago it was settled or ended; 0 where it is open. */
  secondsSinceEnd: number
}

/** Somebody waits for these: holds, and deliveries whose payment is not final yet. */
const isOpen = sql<boolean>`(status = 'held' or (status = 'settled' and finalized_at is null))`

/**
 * Takes up to `limit` purchases whose time to be looked at has come, for `leaseSeconds`: no other node takes them meanwhile,
 * and should this one die they are due again. Either those that somebody waits for, or those that are over.
 */
export async function leaseDue(database: Database, which: 'open' | 'over', limit: number, leaseSeconds: number): Promise<DuePurchase[]> {
  const due = database
    .selectFrom('purchases')
    .select('id')
    .where('reconcileAt', '<=', now)
    .where(which === 'open' ? isOpen : sql<boolean>`not ${isOpen}`)
    .orderBy('reconcileAt')
    .limit(limit)
    .forUpdate()
    .skipLocked()
  return (
    database
      .updateTable('purchases')
      .set({ reconcileAt: inSeconds(leaseSeconds), reconciledAt: now })
      // As an array it is read once; as a subquery the planner may read it again for each row, and take up more than the limit.
      .where(sql<boolean>`id = any(array(${due}))`)
      .returningAll()
      .returning([
        windowClosed.as('windowClosed'),
        sql<number>`extract(epoch from now() - created_at)::float8`.as('ageSeconds'),
        sql<number>`coalesce(extract(epoch from now() - coalesce(settled_at, ended_at)), 0)::float8`.as('secondsSinceEnd'),
      ])
      .execute()
  )
}

/** When to look at a purchase again; null for never. One that changed meanwhile keeps the time it was given then. */
export async function scheduleReconciliation(
  database: Database,
  purchase: PurchaseRow,
  seconds: number | null,
  looked: { buyer: boolean },
): Promise<void> {
  await database
    .updateTable('purchases')
    .set({
      reconcileAt: seconds === null ? null : inSeconds(seconds),
      reconciliations: sql<number>`reconciliations + 1`,
      buyerScans: sql<number>`buyer_scans + ${looked.buyer ? 1 : 0}`,
    })
    .where('id', '=', purchase.id)
    .where('status', '=', purchase.status)
    .where('reconcileAt', '=', purchase.reconcileAt)
    .execute()
}

/** So many of a wallet's ended purchases are looked at when its page is opened; the schedule sees to the others. */
const ASKED_LOOKS = 10

/** Asks for a look at a wallet's last ended purchases now rather than when the schedule says, but not twice in `pauseSeconds`. */
export async function reconcileEndedOf(database: Database, wallet: WalletAddress, pauseSeconds: number): Promise<void> {
  await database
    .updateTable('purchases')
    .set({ reconcileAt: now })
    .where('id', 'in', (query) =>
      query
        .selectFrom('purchases')
        .select('id')
        .where((or) => or.or([or('buyer', '=', wallet), or('seller', '=', wallet)]))
        .where('status', '=', 'ended')
        .orderBy('id', 'desc')
        .limit(ASKED_LOOKS),
    )
    .where('status', '=', 'ended')
    .where('reconcileAt', '>', now)
    .where((or) =>
      or.or([or('reconciledAt', 'is', null), or('reconciledAt', '<', sql<Date>`now() - make_interval(secs => ${pauseSeconds})`)]),
    )
    .execute()
}

/** Asks for a look at once, by whichever node is first. */
export async function reconcileNow(database: Database | Tx, id: string): Promise<void> {
  await database.updateTable('purchases').set({ reconcileAt: now }).where('id', '=', id).execute()
}

export interface PurchaseFilter {
  wallet: WalletAddress
  role: 'buyer' | 'seller' | undefined
  status: PurchaseStatus | undefined
  limit: number
  /** Identifier of the last purchase of the page before. */
  before: string | undefined
}

/** A wallet's purchases and sales as they go over the wire, newest first. `genesisHash` tells those of an earlier local chain. */
export async function listPurchases(database: Database, filter: PurchaseFilter, genesisHash: string | undefined): Promise<Purchase[]> {
  const { wallet, role, status, limit, before } = filter
  const rows = await purchaseReplies(database)
    .$if(role !== undefined, (query) => query.where(role === 'seller' ? 'p.seller' : 'p.buyer', '=', wallet))
    .$if(role === undefined, (query) => query.where((or) => or.or([or('p.buyer', '=', wallet), or('p.seller', '=', wallet)])))
    .$if(status !== undefined, (query) => query.where('p.status', '=', status as PurchaseStatus))
    .$if(before !== undefined, (query) => query.where('p.id', '<', before as string))
    .orderBy('p.id', 'desc')
    .limit(limit)
    .execute()
  return rows.map((row) => toReply(row, genesisHash))
}

export async function findPurchaseReply(database: Database, id: string, genesisHash: string | undefined): Promise<Purchase | undefined> {
  const row = await purchaseReplies(database).where('p.id', '=', id).executeTakeFirst()
  return row && toReply(row, genesisHash)
}

/** Whole milliseconds left to pay, by the database's clock. */
const payMillisLeft = sql<number>`greatest(0, floor(extract(epoch from p.pay_before - now()) * 1000))::int`

function purchaseReplies(database: Database) {
  return database
    .selectFrom('purchases as p')
    .leftJoin('payments as m', (join) =>
      join.onRef('m.purchaseId', '=', 'p.id').on('m.kind', '=', 'purchase').on('m.status', '=', 'recorded'),
    )
    .selectAll('p')
    .select(['m.signature as sentSignature', 'm.confirmedAt', payMillisLeft.as('payMillisLeft')])
}

type PurchaseReplyRow = Awaited<ReturnType<ReturnType<typeof purchaseReplies>['execute']>>[number]

function toReply(row: PurchaseReplyRow, genesisHash: string | undefined): Purchase {
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

function stageOf(row: PurchaseReplyRow): Purchase['stage'] {
  if (row.status === 'settled') return 'delivered'
  if (row.sentSignature === null) return 'none'
  return row.confirmedAt === null ? 'sent' : 'confirmed'
}
