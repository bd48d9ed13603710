import { type Signature, type WalletAddress } from '@juicebar/contract/addresses'
import { type Lamports, lamportsToSol } from '@juicebar/contract/money'
import { type CaseKind, type CaseStatus, type Case } from '@juicebar/contract/schemas'
import { type Selectable, sql } from 'kysely'
import { type Database } from '../../database/connect.ts'
import { type Cases } from '../../database/schema.ts'
import { inTransaction, type Tx } from '../../database/transact.ts'
import { inSeconds, now, columnsOf } from '../../database/columns.ts'
import { isClosed, caseCursor, explainCase, isRefundable, parseCaseCursor, UNSEEN_SECONDS } from './case.ts'
import { deleteSeenRefunds } from './seen-refund-store.ts'
import { type PurchaseDeps } from '../purchase/purchase-deps.ts'
import { amountOf, type PurchaseItem } from '../purchase/purchase.ts'

export const caseColumns = [
  'id',
  'purchaseId',
  'kind',
  'status',
  'signature',
  'seller',
  'lamports',
  'feeLamports',
  'deliverable',
  'refundReference',
  'refundExpiryHeight',
  'paymentFinal',
  'note',
  'reconcileAt',
  'openedAt',
  'closedAt',
] as const satisfies (keyof Cases)[]

export type CaseRow = Pick<Selectable<Cases>, (typeof caseColumns)[number]>

export interface NewCase {
  purchaseId: string
  kind: CaseKind
  signature: Signature
  /** Who received the SOL; null if only the fee wallet did. */
  seller: WalletAddress | null
  lamports: Lamports
  /** The fee that the same transaction paid, in the first of its cases. */
  feeLamports: Lamports
  deliverable: boolean
  /** The chain can no longer drop it, or it is too small to be followed. */
  paymentFinal: boolean
}

/** What a case is unique by: the index `cases_one_a_seller`. */
export const caseKey = sql`purchase_id, signature, seller, buyer, (kind = 'vanished')`

/** @returns the case if it is new, or if its late payment can no longer be delivered; undefined if nothing changed. */
export async function insertCase(tx: Tx, report: NewCase): Promise<(CaseRow & { isNew: boolean }) | undefined> {
  return (
    tx
      .insertInto('cases')
      .values({ ...report, reconcileAt: report.deliverable || !report.paymentFinal ? now : null })
      .onConflict((conflict) =>
        conflict
          .expression(caseKey)
          .doUpdateSet({ deliverable: false })
          .where(sql<boolean>`cases.deliverable and not excluded.deliverable`),
      )
      .returning(caseColumns)
      // Only a row that existed before has been locked.
      .returning(sql<boolean>`xmax = 0`.as('isNew'))
      .executeTakeFirst()
  )
}

/** Whether this transaction counts for another purchase of the same buyer from the same seller. */
export async function countsForAnother(
  tx: Tx,
  { id, buyer }: { id: string; buyer: WalletAddress },
  seller: WalletAddress,
  signature: Signature,
): Promise<boolean> {
  const { rows } = await sql`
    select from purchases p
    where p.id in (
        select id from purchases where signature = ${signature}
        union select purchase_id from cases where signature = ${signature}
        union select c.purchase_id from small_payments s join cases c on c.id = s.case_id where s.signature = ${signature}
      )
      and p.id <> ${id} and p.buyer = ${buyer} and ${seller} = any(p.sellers) limit 1
  `.execute(tx)
  return rows.length > 0
}

/** Tells buyer and seller that the case changed, when the transaction commits. */
export async function emitCase(tx: Tx, id: string): Promise<void> {
  await sql`select emit_case(${id})`.execute(tx)
}

/** Locks the case until the transaction ends. */
export async function lockCase(tx: Tx, id: string): Promise<CaseRow | undefined> {
  return tx.selectFrom('cases').select(caseColumns).where('id', '=', id).forUpdate().executeTakeFirst()
}

export async function findCase(database: Database, id: string): Promise<CaseRow | undefined> {
  return database.selectFrom('cases').select(caseColumns).where('id', '=', id).executeTakeFirst()
}

interface ExpectedRefund {
  /** The prepared refund may land up to this block height. */
  expiryHeight: bigint
  /** When to first search for it. */
  reconcileSeconds: number
}

/**
 * Records that a refund was prepared, of a payment that is final. `expected`: it may land from now on.
 * @returns the reference that counts: the one of the first refund ever prepared for the case.
 */
export async function expectRefund(tx: Tx, id: string, reference: WalletAddress, expected?: ExpectedRefund): Promise<WalletAddress> {
  const row = await tx
    .updateTable('cases')
    .set({
      refundReference: sql<WalletAddress>`coalesce(refund_reference, ${reference})`,
      paymentFinal: true,
      ...(expected && {
        refundExpiryHeight: sql<bigint>`greatest(refund_expiry_height, ${expected.expiryHeight})`,
        reconcileAt: inSeconds(expected.reconcileSeconds),
      }),
    })
    .where('id', '=', id)
    .returning('refundReference')
    .executeTakeFirstOrThrow()
  return row.refundReference ?? reference
}

/**
 * Records that the prepared refund can no longer land, unless another was prepared since the case was read, and that the chain has dropped
 * these that were seen.
 */
export async function forgetRefund(database: Database, { id, refundExpiryHeight }: CaseRow, seen: readonly Signature[]): Promise<void> {
  await inTransaction(database, async (tx) => {
    const locked = await lockCase(tx, id)
    if (locked?.status !== 'open') return
    await deleteSeenRefunds(tx, id, seen)
    if (locked.refundExpiryHeight !== refundExpiryHeight || refundExpiryHeight === null) return
    await tx.updateTable('cases').set({ refundExpiryHeight: null }).where('id', '=', id).execute()
  })
}

/** Nothing that names the refund's reference can land above this height, whatever an endpoint has told. */
export async function lowerPrepared(database: Database, id: string, height: bigint): Promise<void> {
  await sql`
    with lowered as (update cases set refund_expiry_height = ${height} where id = ${id} and refund_expiry_height > ${height})
    update refunds_seen set expiry_height = ${height} where case_id = ${id} and expiry_height > ${height}`.execute(database)
}

export interface CaseMove {
  status: CaseStatus
  /** When to reconcile it with the chain next; null for never. */
  reconcileSeconds: number | null
  note?: string
}

/** Moves a locked case to another status; a final one closes it. */
export async function moveCase(tx: Tx, id: string, { status, reconcileSeconds, note }: CaseMove): Promise<CaseRow> {
  const moved = await tx
    .updateTable('cases')
    .set({
      status,
      closedAt: isClosed(status) ? now : null,
      reconcileAt: reconcileSeconds === null ? null : inSeconds(reconcileSeconds),
      ...(note === undefined ? {} : { note }),
    })
    .where('id', '=', id)
    .returning(caseColumns)
    .executeTakeFirstOrThrow()
  await emitCase(tx, id)
  return moved
}

/**
 * The payment that settled a purchase, as long as a second one may yet count in its place: while it is neither final nor a case of its own,
 * and for a day at most.
 */
export async function findReplaceable(database: Database, purchaseId: string): Promise<Signature | undefined> {
  const { rows } = await sql<{ signature: Signature }>`
    select signature from purchases
    where id = ${purchaseId} and finalized_at is null and settled_at > now() - make_interval(secs => ${UNSEEN_SECONDS})
      and not exists (select from cases where purchase_id = purchases.id and kind = 'vanished')
  `.execute(database)
  return rows[0]?.signature
}

/** The payments that became cases although they may pay for a purchase, and may count in place of the one that settled it. */
export async function listReplacements(database: Database, purchaseId: string): Promise<Signature[]> {
  const rows = await database
    .selectFrom('cases')
    .select('signature')
    .where('purchaseId', '=', purchaseId)
    .where('status', '=', 'open')
    .where('kind', 'in', ['double', 'late'])
    .execute()
  return rows.map(({ signature }) => signature)
}

/** The payment of this open case is final. */
export async function notePaymentFinal(database: Database, id: string): Promise<void> {
  await database.updateTable('cases').set({ paymentFinal: true }).where('id', '=', id).execute()
}

/** The listing of this open case was sold or removed: only a refund is left. */
export async function giveUpDelivery(database: Database, id: string): Promise<void> {
  await inTransaction(database, async (tx) => {
    await tx.updateTable('cases').set({ deliverable: false }).where('id', '=', id).where('status', '=', 'open').execute()
    await emitCase(tx, id)
  })
}

export interface CaseFilter {
  /** Cases of this wallet as buyer or seller; undefined for everyone's. */
  wallet?: WalletAddress
  status?: CaseStatus
  limit: number
  cursor?: string | undefined
}

export interface CasePage {
  cases: Case[]
  nextCursor: string | null
}

type CaseDeps = Pick<PurchaseDeps, 'database' | 'catalogue'>

const waits = sql<boolean>`(c.status in ('open', 'refunding'))`

/**
 * Cases as the API returns them: first those that need action, then the newest.
 * @throws CURSOR_INVALID
 */
export async function listCases({ database, catalogue }: CaseDeps, { wallet, status, limit, cursor }: CaseFilter): Promise<CasePage> {
  const last = cursor === undefined ? undefined : parseCaseCursor(cursor)
  const rows = await selectReplies(database)
    .$if(wallet !== undefined, (query) =>
      query.where((or) =>
        or.or([
          or('p.buyer', '=', wallet as WalletAddress),
          or('c.seller', '=', wallet as WalletAddress),
          or('c.buyer', '=', wallet as WalletAddress),
        ]),
      ),
    )
    .$if(status !== undefined, (query) => query.where('c.status', '=', status as CaseStatus))
    .$if(last !== undefined, (query) => query.where(sql<boolean>`(${waits}, c.id) < (${last?.waits}::boolean, ${last?.id}::uuid)`))
    .orderBy(waits, 'desc')
    .orderBy('c.id', 'desc')
    .limit(limit + 1)
    .execute()
  const shown = rows.slice(0, limit)
  const end = rows.length > limit ? shown.at(-1) : undefined
  return { cases: shown.map((row) => toReply(row, catalogue)), nextCursor: end ? caseCursor(end) : null }
}

/** One case as the API returns it. */
export async function findCaseReply({ database, catalogue }: CaseDeps, id: string): Promise<Case | undefined> {
  const row = await selectReplies(database).where('c.id', '=', id).executeTakeFirst()
  return row && toReply(row, catalogue)
}

/** The parts of a case that can change, as of some moment. */
export type CaseState = Pick<CaseRow, 'id' | 'status' | 'deliverable' | 'note' | 'closedAt'>

/** For each of these states, the case as the API returned it then. */
export async function findCasesInState(
  tx: Tx,
  catalogue: CaseDeps['catalogue'],
  states: readonly CaseState[],
): Promise<(Case | undefined)[]> {
  if (states.length === 0) return []
  const ids = states.map(({ id }) => id)
  const rows = await selectReplies(tx).where('c.id', 'in', ids).execute()
  const byId = new Map(rows.map((row) => [row.id, row]))
  return states.map((state) => {
    const row = byId.get(state.id)
    return row && toReply({ ...row, ...state }, catalogue)
  })
}

function selectReplies(database: Database | Tx) {
  return database
    .selectFrom('cases as c')
    .leftJoin('purchases as p', 'p.id', 'c.purchaseId')
    .leftJoin('payments as r', (join) => join.onRef('r.caseId', '=', 'c.id').on('r.status', '<>', 'void'))
    .select(columnsOf('c', caseColumns))
    .select([sql<WalletAddress>`coalesce(p.buyer, c.buyer)`.as('buyer'), sql<PurchaseItem[] | null>`items_of(p.id)`.as('items')])
    .select(['r.signature as refundSignature', waits.as('waits')])
    .select(sql<number>`(select count(*)::int from small_payments where case_id = c.id)`.as('smallPayments'))
    .select(
      sql<boolean>`p.finalized_at is null and exists (select from cases v where v.purchase_id = p.id and v.kind = 'vanished')`.as(
        'firstDropped',
      ),
    )
}

type ReplyRow = Awaited<ReturnType<ReturnType<typeof selectReplies>['execute']>>[number]

function toReply(row: ReplyRow, { nameOf }: CaseDeps['catalogue']): Case {
  // A seller sees only the items bought from them. If the purchase is lost, so are its items.
  const all = row.items ?? []
  const items = row.seller === null ? all : all.filter(({ seller }) => seller === row.seller)
  const first = items[0] ?? null
  return {
    caseId: row.id,
    kind: row.kind,
    status: row.status,
    explanation: explainCase(row),
    purchaseId: row.purchaseId,
    listingId: first?.listingId ?? null,
    buyer: row.buyer,
    seller: row.seller,
    tokenType: first?.tokenType ?? null,
    tokenName: first && nameOf(first.tokenType),
    amount: first && amountOf(items),
    price: lamportsToSol(row.lamports),
    lamports: row.lamports.toString(),
    agreedLamports: first && items.reduce((sum, item) => sum + BigInt(item.lamports), 0n).toString(),
    fee: row.feeLamports > 0n ? { lamports: row.feeLamports.toString(), owedTo: row.buyer } : null,
    signature: row.signature,
    refundSignature: row.refundSignature,
    refundable: isRefundable(row),
    openedAt: row.openedAt.toISOString(),
    closedAt: row.closedAt?.toISOString() ?? null,
    note: row.note,
  }
}
