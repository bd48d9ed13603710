import { type Signature, type WalletAddress } from '@juicebar/contract/addresses'
import { sql } from 'kysely'
import { type Database } from '../../database/connect.ts'
import { type Tx } from '../../database/transact.ts'

/** A transaction on the chain that names the reference of a case's refund, so that it may be the refund. */
export interface SeenRefund {
  signature: Signature
  /** Above this block height it can no longer land if the chain drops it. */
  expiryHeight: bigint
}

/** Records refunds that a server has seen on the chain: from now on no server delivers what they pay back. */
export async function insertSeenRefunds(database: Database, caseId: string, refunds: readonly SeenRefund[]): Promise<void> {
  if (refunds.length === 0) return
  const rows = refunds.map((refund) => ({ caseId, ...refund }))
  await database
    .insertInto('refundsSeen')
    .values(rows)
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}

/** What any server has seen for a case. */
export async function listSeenRefunds(database: Database | Tx, caseId: string): Promise<SeenRefund[]> {
  return database.selectFrom('refundsSeen').select(['signature', 'expiryHeight']).where('caseId', '=', caseId).execute()
}

/** Forgets what the chain has dropped and can no longer take. */
export async function deleteSeenRefunds(tx: Tx, caseId: string, signatures: readonly Signature[]): Promise<void> {
  if (signatures.length === 0) return
  await tx.deleteFrom('refundsSeen').where('caseId', '=', caseId).where('signature', 'in', signatures).execute()
}

/**
 * Whether the items of a purchase that ended could be delivered for its late payment: `row_to_sell` in functions/settle.sql
 * decides. held: not now. gone: never again, because one of them was sold or removed, or a seller returns the SOL.
 */
export async function readAvailability(database: Database, purchaseId: string, signature: Signature): Promise<'free' | 'held' | 'gone'> {
  const { rows } = await sql<{ gone: boolean; busy: boolean }>`
    select bool_or(
        l.status not in ('active', 'reserved') or l.amount + parts.amount < i.amount
        or parts.amount = 0 and part_cost(l, i.amount) > i.price_lamports
      ) or exists (
        select from cases where purchase_id = ${purchaseId} and signature = ${signature} and status in ('refunding', 'refunded', 'closed')
      ) as gone,
      bool_or(l.held_by is not null or l.amount < i.amount or part_cost(l, i.amount) > i.price_lamports) as busy
    from purchase_items i
      join listings held on held.id = i.listing_id
      join listings l on l.id = case when held.status = 'merged' then held.part_of else held.id end
      cross join lateral (
        select coalesce(sum(amount), 0) as amount from listings part where part.part_of = l.id and part.status in ('active', 'reserved')
      ) parts
    where i.purchase_id = ${purchaseId}
  `.execute(database)
  const [row] = rows
  if (!row || row.gone) return 'gone'
  return row.busy ? 'held' : 'free'
}

/**
 * The references of refunds that were prepared for the open cases of a payment, one of which its seller's wallet may have signed by itself,
 * however long ago that was.
 */
export async function findPreparedRefunds(
  database: Database,
  purchaseId: string,
  signature: Signature,
): Promise<{ caseId: string; reference: WalletAddress }[]> {
  const rows = await database
    .selectFrom('cases')
    .select(['id', 'refundReference'])
    .where('purchaseId', '=', purchaseId)
    .where('signature', '=', signature)
    .where('status', '=', 'open')
    .where('refundReference', 'is not', null)
    .execute()
  return rows.flatMap(({ id: caseId, refundReference: reference }) => (reference === null ? [] : [{ caseId, reference }]))
}

/**
 * Whether a purchase had ended before the database went back: what has become of its payments since then may be lost. Until the market is open
 * again, the database may have gone back once more.
 */
export async function endedBeforeRewind(database: Database, purchaseId: string): Promise<boolean> {
  const { rows } = await sql`
    select from purchases p where p.id = ${purchaseId} and exists (select from rewinds r where coalesce(r.ended_at, 'infinity') > p.ended_at)`.execute(
    database,
  )
  return rows.length > 0
}
