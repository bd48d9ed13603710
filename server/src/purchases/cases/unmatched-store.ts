import { type Signature, type WalletAddress } from '@juicebar/contract/addresses'
import { sql } from 'kysely'
import { type Lamports, lamports } from '@juicebar/contract/money'
import { type Database } from '../../database/connect.ts'
import { type Place } from '../../database/columns.ts'
import { type Tx } from '../../database/transact.ts'
import { type LostPurchase, type LostPayment } from './case.ts'
import { emitCase, type CaseRow, caseColumns, caseKey, insertCase, type NewCase } from './case-store.ts'

/** A co-signed payment that became a case, at its place in the order. */
export interface UnmatchedRow extends Place {
  signature: Signature
  openedAt: Date
}

/**
 * Tells everybody that a co-signed payment became a case, once for each transaction. One transaction at a time does this, until it
 * commits: no payment can get a place below one that was read.
 */
export async function insertUnmatched(tx: Tx, signature: Signature): Promise<void> {
  await sql`lock table unmatched_payments in share row exclusive mode`.execute(tx)
  await sql`
    insert into unmatched_payments (ordinal, signature) select coalesce(max(ordinal), 0) + 1, ${signature} from unmatched_payments
    on conflict (signature) do nothing`.execute(tx)
}

/** The payment at a place and those after it, in order, at most `limit`. */
export async function listUnmatchedFrom(database: Database, { ordinal }: Place, limit: number): Promise<UnmatchedRow[]> {
  const { rows } = await sql<UnmatchedRow>`
    select ordinal, (extract(epoch from opened_at) * 1000000)::bigint as stamped_at, signature, opened_at
    from unmatched_payments where ordinal >= ${ordinal} order by ordinal limit ${limit}`.execute(database)
  return rows
}

/** The transaction on the chain that paid for a purchase which the database has lost. */
export interface LostLanding {
  signature: Signature
  genesisHash: string
  slot: bigint
  /** A key of the market has signed it. */
  coSigned: boolean
}

/** The case of a payment whose purchase the database has lost. */
export type LostCase = CaseRow & { buyer: WalletAddress }

/** Opens the case of a lost payment, which freezes the seller's listings. @returns it; nothing if it already existed */
export async function insertLostCase(
  tx: Tx,
  { signature, genesisHash, slot, coSigned }: LostLanding,
  { buyer, seller, ...paid }: LostPayment,
): Promise<LostCase[]> {
  const amounts = { lamports: lamports(paid.lamports), feeLamports: lamports(paid.feeLamports) }
  const opened = await tx
    .insertInto('cases')
    .values({ kind: 'lost', signature, buyer, genesisHash, paidAtSlot: slot, seller, deliverable: false, ...amounts })
    .onConflict((conflict) => conflict.expression(caseKey).doNothing())
    .returning(caseColumns)
    .execute()
  for (const { id } of opened) await emitCase(tx, id)
  if (coSigned) await insertUnmatched(tx, signature)
  return opened.map((row) => ({ ...row, buyer }))
}

/** Those of these wallets that have listed something. */
export async function findSellers(database: Database, wallets: readonly string[]): Promise<Set<string>> {
  const { rows } = await sql<{ seller: string }>`select seller from sellers where seller = any(${wallets}::text[])`.execute(database)
  return new Set(rows.map(({ seller }) => seller))
}

/** What is known of the purchase of a lost case; undefined if this is none. */
export async function findLostPurchase(database: Database, caseId: string): Promise<LostPurchase | undefined> {
  const row = await database.selectFrom('cases').select(['buyer', 'genesisHash', 'paidAtSlot']).where('id', '=', caseId).executeTakeFirst()
  if (!row || row.buyer === null || row.genesisHash === null || row.paidAtSlot === null) return undefined
  return { id: null, buyer: row.buyer, genesisHash: row.genesisHash, heldAtSlot: row.paidAtSlot }
}

/** Whether a payment has a case of its own, or adds up with others in one, for this purchase and seller. The purchase is locked. */
export async function findSmallPayment(tx: Tx, { purchaseId, seller, signature }: NewCase): Promise<'own' | 'added' | undefined> {
  const { rows } = await sql<{ added: boolean }>`
    select exists (select from small_payments s where s.case_id = c.id and s.signature = ${signature}) as added
    from cases c
    where c.purchase_id = ${purchaseId} and c.seller is not distinct from ${seller}
      and (c.signature = ${signature} or c.id in (select case_id from small_payments where signature = ${signature}))`.execute(tx)
  const [found] = rows
  return found && (found.added ? 'added' : 'own')
}

/** Whether no other payment of a purchase became a case before this one. The purchase is locked. */
export async function isFirstUnmatched(tx: Tx, purchaseId: string, signature: Signature): Promise<boolean> {
  const { count, own } = await tx
    .selectFrom('cases')
    .select([sql<number>`count(*)::int`.as('count'), sql<boolean | null>`bool_or(signature = ${signature})`.as('own')])
    .where('purchaseId', '=', purchaseId)
    .executeTakeFirstOrThrow()
  return count === 0 || own === true
}

/**
 * Adds a small payment to the open case that adds up those of its purchase to its seller; opens it if there is none, or if its seller has
 * prepared a refund, whose amount is fixed. The purchase is locked, and the payment is not added up yet.
 * @returns the case; undefined if the payment has a case of its own
 */
export async function addSmallPayment(tx: Tx, report: NewCase): Promise<(CaseRow & { isNew: boolean }) | undefined> {
  const { purchaseId, signature, seller, lamports: paid, feeLamports } = report
  const grown = await tx
    .updateTable('cases')
    .set({
      lamports: sql<Lamports>`lamports + ${paid}`,
      feeLamports: sql<Lamports>`fee_lamports + ${feeLamports}`,
    })
    .where('purchaseId', '=', purchaseId)
    .where(sql<boolean>`seller is not distinct from ${seller}`)
    .where('status', '=', 'open')
    .where('refundReference', 'is', null)
    .where(sql<boolean>`exists (select from small_payments s where s.case_id = cases.id)`)
    .returning(caseColumns)
    .executeTakeFirst()
  const row = grown ? { ...grown, isNew: false } : await insertCase(tx, report)
  if (row) await tx.insertInto('smallPayments').values({ caseId: row.id, signature, lamports: paid, feeLamports }).execute()
  return row
}
