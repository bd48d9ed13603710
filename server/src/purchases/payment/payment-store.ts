import { type Signature } from '@juicebar/contract/addresses'
import { type Insertable, type Selectable, sql } from 'kysely'

import { type Database } from '../../database/connect.ts'
import { type Payments } from '../../database/schema.ts'
import { type Tx, withRetry } from '../../database/transact.ts'

export type PaymentRow = Selectable<Payments>

/** The payment with this signature, whatever it was for. */
export async function findPayment(database: Database | Tx, signature: Signature): Promise<PaymentRow | undefined> {
  return database.selectFrom('payments').selectAll().where('signature', '=', signature).executeTakeFirst()
}

/** The bytes that are under way for a purchase. */
export async function findRecordedPayment(database: Database | Tx, purchaseId: string): Promise<PaymentRow | undefined> {
  return database
    .selectFrom('payments')
    .selectAll()
    .where('purchaseId', '=', purchaseId)
    .where('kind', '=', 'purchase')
    .where('status', '=', 'recorded')
    .executeTakeFirst()
}

/** The bytes that are under way for any of these purchases. */
export async function listRecordedPayments(database: Database, purchaseIds: readonly string[]): Promise<PaymentRow[]> {
  if (purchaseIds.length === 0) return []
  return database
    .selectFrom('payments')
    .selectAll()
    .where('purchaseId', 'in', purchaseIds)
    .where('kind', '=', 'purchase')
    .where('status', '=', 'recorded')
    .execute()
}

/** The refund of a case that is under way or done. */
export async function findRefund(database: Database | Tx, caseId: string): Promise<PaymentRow | undefined> {
  return database
    .selectFrom('payments')
    .selectAll()
    .where('caseId', '=', caseId)
    .where('kind', '=', 'refund')
    .where('status', '<>', 'void')
    .executeTakeFirst()
}

export async function insertPayment(tx: Tx, payment: Insertable<Payments>): Promise<PaymentRow> {
  return tx.insertInto('payments').values(payment).returningAll().executeTakeFirstOrThrow()
}

/**
 * Makes a landed transaction belong to a purchase without counting for it, and gives whose it is: the first to claim a signature
 * keeps it. Locks that until the transaction ends.
 */
export async function claimSignature(
  tx: Tx,
  payment: Pick<PaymentRow, 'signature' | 'purchaseId' | 'genesisHash' | 'transactionBytes' | 'slot' | 'expiryHeight'>,
): Promise<Pick<PaymentRow, 'purchaseId' | 'kind' | 'status'>> {
  return tx
    .insertInto('payments')
    .values({ ...payment, kind: 'purchase', status: 'void' })
    .onConflict((conflict) => conflict.column('signature').doUpdateSet((query) => ({ signature: query.ref('excluded.signature') })))
    .returning(['purchaseId', 'kind', 'status'])
    .executeTakeFirstOrThrow()
}

export async function markConfirmed(database: Database, signature: Signature, slot: bigint): Promise<boolean> {
  const result = await database
    .updateTable('payments')
    .set({ confirmedAt: sql<Date>`now()`, slot })
    .where('signature', '=', signature)
    .where('confirmedAt', 'is', null)
    .executeTakeFirst()
  return result.numUpdatedRows > 0n
}

/** The recorded bytes were proved never to land, or landed and did not count. */
export async function markVoid(tx: Database | Tx, signature: Signature): Promise<void> {
  await tx.updateTable('payments').set({ status: 'void' }).where('signature', '=', signature).where('status', '=', 'recorded').execute()
}

export type SettleOutcome = 'settled' | 'paid_before' | 'listing_gone' | 'signature_used' | 'refunding'

/**
 * Delivers the tokens in one round trip and one transaction; see `settle_purchase` in 0005-purchases.sql for each outcome.
 * `referenced`: the payment names the purchase, so it may be delivered even after the hold ended.
 */
export async function settlePurchase(
  database: Database,
  purchaseId: string,
  { signature, slot, transactionBytes, expiryHeight }: Pick<PaymentRow, 'signature' | 'slot' | 'transactionBytes' | 'expiryHeight'>,
  referenced: boolean,
): Promise<SettleOutcome> {
  const settle = sql<{ outcome: SettleOutcome }>`
    select settle_purchase(${purchaseId}, ${signature}, ${slot}, ${transactionBytes}, ${expiryHeight}, ${referenced}) as outcome
  `
  const { rows } = await withRetry(() => settle.execute(database))
  const [row] = rows
  if (!row) throw new Error('settle_purchase gave no answer')
  return row.outcome
}

/** A refund has landed for good. */
export async function markSettled(tx: Tx, signature: Signature, slot: bigint): Promise<void> {
  await tx.updateTable('payments').set({ status: 'settled', slot }).where('signature', '=', signature).execute()
}
