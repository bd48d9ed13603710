import { type Signature, type WalletAddress } from '@juicebar/contract/addresses'
import { type Lamports, lamportsToSol, PRICE_STEP_LAMPORTS } from '@juicebar/contract/money'
import { type Case, type CaseKind, type CaseStatus } from '@juicebar/contract/schemas'
import { tokenName } from '@juicebar/contract/token-types'
import { type Selectable, sql } from 'kysely'

import { type Database } from '../../database/connect.ts'
import { type Cases } from '../../database/schema.ts'
import { inTransaction, type Tx } from '../../database/transact.ts'
import { caseCursor, explainCase, isRefundable, parseCaseCursor } from './case.ts'
import { inSeconds, now } from '../database-time.ts'

export type CaseRow = Selectable<Cases>

/** A buyer who sends less than any lot costs again and again fills no list: beyond these such payments stay on the chain only. */
const DUST_CASES = 10
const ASKED_LOOKS = 20

export interface NewCase {
  purchaseId: string
  kind: CaseKind
  signature: Signature
  lamports: Lamports
  deliverable: boolean
}

/**
 * Gives the case's identifier where it is new, or where its late payment turns out to be deliverable no more; undefined where it stands
 * as it is.
 */
export async function insertCase(tx: Tx, report: NewCase): Promise<string | undefined> {
  const row = await tx
    .insertInto('cases')
    .values({ ...report, reconcileAt: report.deliverable ? now : null })
    .onConflict((conflict) =>
      conflict
        .columns(['purchaseId', 'signature'])
        .doUpdateSet({ deliverable: false })
        .where(sql<boolean>`cases.deliverable and not excluded.deliverable`),
    )
    .returning('id')
    .executeTakeFirst()
  return row?.id
}

/** True for a payment of less than any lot costs that has no case yet, where its purchase has enough of them. */
export async function isOneDustTooMany(tx: Tx, { purchaseId, signature, lamports }: NewCase): Promise<boolean> {
  if (lamports >= PRICE_STEP_LAMPORTS) return false
  const { count, known } = await tx
    .selectFrom('cases')
    .select([sql<number>`count(*)::int`.as('count'), sql<boolean | null>`bool_or(signature = ${signature})`.as('known')])
    .where('purchaseId', '=', purchaseId)
    .executeTakeFirstOrThrow()
  return count >= DUST_CASES && known !== true
}

/** Whether this transaction counts for another purchase of the same buyer from the same seller. */
export async function isCountedBetween(
  tx: Tx,
  { id, buyer, seller }: { id: string; buyer: WalletAddress; seller: WalletAddress },
  signature: Signature,
): Promise<boolean> {
  const row = await tx
    .selectFrom('purchases as p')
    .leftJoin('cases as c', (join) => join.onRef('c.purchaseId', '=', 'p.id').on('c.signature', '=', signature))
    .select('p.id')
    .where('p.buyer', '=', buyer)
    .where('p.seller', '=', seller)
    .where('p.id', '<>', id)
    .where((or) => or.or([or('p.signature', '=', signature), or('c.id', 'is not', null)]))
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}

export async function emitCase(tx: Tx, id: string): Promise<void> {
  await sql`
    select emit_event('case.changed', array[p.buyer, p.seller], json_build_object('type', 'case.changed', 'caseId', c.id))
    from cases c join purchases p on p.id = c.purchase_id where c.id = ${id}
  `.execute(tx)
}

/** Locks the case until the transaction ends. */
export async function lockCase(tx: Tx, id: string): Promise<CaseRow | undefined> {
  return tx.selectFrom('cases').selectAll().where('id', '=', id).forUpdate().executeTakeFirst()
}

export async function findCase(database: Database, id: string): Promise<CaseRow | undefined> {
  return database.selectFrom('cases').selectAll().where('id', '=', id).executeTakeFirst()
}

/**
 * Notes that a refund may be on its way until this block height, and from when on it is looked for. Its own reference is set once;
 * gives the one that counts.
 */
export async function expectRefund(
  tx: Tx,
  id: string,
  reference: WalletAddress,
  expiryHeight: bigint,
  lookSeconds: number,
): Promise<WalletAddress> {
  const row = await tx
    .updateTable('cases')
    .set({
      refundReference: sql<WalletAddress>`coalesce(refund_reference, ${reference})`,
      refundExpiryHeight: sql<bigint>`greatest(refund_expiry_height, ${expiryHeight})`,
      reconcileAt: inSeconds(lookSeconds),
    })
    .where('id', '=', id)
    .returning('refundReference')
    .executeTakeFirstOrThrow()
  return row.refundReference ?? reference
}

/** Notes that no refund is on its way any more, where none was prepared anew since the case was read. */
export async function forgetRefund(database: Database, { id, refundExpiryHeight }: CaseRow): Promise<boolean> {
  const result = await database
    .updateTable('cases')
    .set({ refundExpiryHeight: null })
    .where('id', '=', id)
    .where('status', '=', 'open')
    .where('refundExpiryHeight', '=', refundExpiryHeight)
    .executeTakeFirst()
  return result.numUpdatedRows > 0n
}

/** Moves a locked case on; a final status closes it. `lookSeconds` is when a node looks at the chain for it. */
export async function moveCase(tx: Tx, id: string, status: CaseStatus, lookSeconds: number | null, note?: string): Promise<void> {
  const final = status === 'delivered' || status === 'refunded' || status === 'closed'
  await tx
    .updateTable('cases')
    .set({
      status,
      closedAt: final ? now : null,
      reconcileAt: lookSeconds === null ? null : inSeconds(lookSeconds),
      ...(note === undefined ? {} : { note }),
    })
    .where('id', '=', id)
    .execute()
  await emitCase(tx, id)
}

/** Asks for a look at once at the late payments that may be delivered when this lot is free. */
export async function reconcileWaitingCases(tx: Tx, listingId: string): Promise<void> {
  await tx
    .updateTable('cases')
    .set({ reconcileAt: now })
    .where('status', '=', 'open')
    .where('deliverable', '=', true)
    .where('purchaseId', 'in', (query) => query.selectFrom('purchases').select('id').where('listingId', '=', listingId))
    .execute()
}

/** The lot of this open case was sold or removed: only a refund is left. */
export async function giveUpDelivery(database: Database, id: string): Promise<void> {
  await inTransaction(database, async (tx) => {
    await tx.updateTable('cases').set({ deliverable: false }).where('id', '=', id).where('status', '=', 'open').execute()
    await emitCase(tx, id)
  })
}

/** Has the newest open cases of a wallet looked at within the pause, for a refund that its seller's wallet sent by itself. */
export async function reconcileOpenCasesOf(database: Database, wallet: WalletAddress, pauseSeconds: number): Promise<void> {
  const soon = inSeconds(pauseSeconds)
  await database
    .updateTable('cases')
    .set({ reconcileAt: soon })
    .where('id', 'in', (query) =>
      query
        .selectFrom('cases as c')
        .innerJoin('purchases as p', 'p.id', 'c.purchaseId')
        .select('c.id')
        .where((or) => or.or([or('p.buyer', '=', wallet), or('p.seller', '=', wallet)]))
        .where('c.status', '=', 'open')
        .orderBy('c.id', 'desc')
        .limit(ASKED_LOOKS),
    )
    .where('status', '=', 'open')
    .where((or) => or.or([or('reconcileAt', 'is', null), or('reconcileAt', '>', soon)]))
    .execute()
}

/** A case that a node has taken up to look at. */
export interface DueCase extends CaseRow {
  secondsOpen: number
}

/** Takes up cases whose time to be looked at has come, as `leaseDue` does for purchases. */
export async function leaseDueCases(database: Database, limit: number, leaseSeconds: number): Promise<DueCase[]> {
  const due = database
    .selectFrom('cases')
    .select('id')
    .where('reconcileAt', '<=', now)
    .orderBy('reconcileAt')
    .limit(limit)
    .forUpdate()
    .skipLocked()
  return database
    .updateTable('cases')
    .set({ reconcileAt: inSeconds(leaseSeconds) })
    .where(sql<boolean>`id = any(array(${due}))`)
    .returningAll()
    .returning(sql<number>`extract(epoch from now() - opened_at)::float8`.as('secondsOpen'))
    .execute()
}

/** When to look at a case again, as `scheduleReconciliation` does for purchases. */
export async function scheduleCaseReconciliation(database: Database, row: CaseRow, seconds: number | null): Promise<void> {
  await database
    .updateTable('cases')
    .set({ reconcileAt: seconds === null ? null : inSeconds(seconds) })
    .where('id', '=', row.id)
    .where('status', '=', row.status)
    .where('reconcileAt', '=', row.reconcileAt)
    .execute()
}

export interface CaseFilter {
  /** Cases of this wallet as buyer or seller; undefined for everybody's. */
  wallet?: WalletAddress
  status?: CaseStatus
  limit: number
  cursor?: string | undefined
}

export interface CasePage {
  cases: Case[]
  nextCursor: string | null
}

const waits = sql<boolean>`(c.status in ('open', 'refunding'))`

/** Cases as they go over the wire, those that wait for somebody first, then the newest. Fails with CURSOR_INVALID. */
export async function listCases(database: Database, { wallet, status, limit, cursor }: CaseFilter): Promise<CasePage> {
  const last = cursor === undefined ? undefined : parseCaseCursor(cursor)
  const rows = await caseReplies(database)
    .$if(wallet !== undefined, (query) =>
      query.where((or) => or.or([or('p.buyer', '=', wallet as WalletAddress), or('p.seller', '=', wallet as WalletAddress)])),
    )
    .$if(status !== undefined, (query) => query.where('c.status', '=', status as CaseStatus))
    .$if(last !== undefined, (query) => query.where(sql<boolean>`(${waits}, c.id) < (${last?.waits}::boolean, ${last?.id}::uuid)`))
    .orderBy(waits, 'desc')
    .orderBy('c.id', 'desc')
    .limit(limit + 1)
    .execute()
  const shown = rows.slice(0, limit)
  const end = rows.length > limit ? shown.at(-1) : undefined
  return { cases: shown.map(toReply), nextCursor: end ? caseCursor(end) : null }
}

export async function findCaseReply(database: Database, id: string): Promise<Case | undefined> {
  const row = await caseReplies(database).where('c.id', '=', id).executeTakeFirst()
  return row && toReply(row)
}

function caseReplies(database: Database) {
  return database
    .selectFrom('cases as c')
    .innerJoin('purchases as p', 'p.id', 'c.purchaseId')
    .leftJoin('payments as r', (join) => join.onRef('r.caseId', '=', 'c.id').on('r.status', '<>', 'void'))
    .selectAll('c')
    .select(['p.listingId', 'p.buyer', 'p.seller', 'p.tokenType', 'p.amount', 'r.signature as refundSignature', waits.as('waits')])
}

type CaseReplyRow = Awaited<ReturnType<ReturnType<typeof caseReplies>['execute']>>[number]

function toReply(row: CaseReplyRow): Case {
  return {
    caseId: row.id,
    kind: row.kind,
    status: row.status,
    explanation: explainCase(row.kind, row.status, row.deliverable),
    purchaseId: row.purchaseId,
    listingId: row.listingId,
    buyer: row.buyer,
    seller: row.seller,
    tokenType: row.tokenType,
    tokenName: tokenName(row.tokenType),
    amount: Number(row.amount),
    price: lamportsToSol(row.lamports),
    lamports: row.lamports.toString(),
    signature: row.signature,
    refundSignature: row.refundSignature,
    refundable: isRefundable(row.kind, row.status),
    openedAt: row.openedAt.toISOString(),
    closedAt: row.closedAt?.toISOString() ?? null,
    note: row.note,
  }
}
