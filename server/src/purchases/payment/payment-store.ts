import { type Signature } from '@juicebar/contract/addresses'
import { type Insertable, type Selectable } from 'kysely'
import { type Database } from '../../database/connect.ts'
import { type Payments } from '../../database/schema.ts'
import { type Tx } from '../../database/transact.ts'

export const paymentColumns = [
  'signature',
  'kind',
  'purchaseId',
  'caseId',
  'genesisHash',
  'transactionBytes',
  'expiryHeight',
  'status',
  'confirmedAt',
  'slot',
  'messageHash',
  'createdAt',
] as const satisfies (keyof Payments)[]

export type PaymentRow = Pick<Selectable<Payments>, (typeof paymentColumns)[number]>

/** The payment with this signature, whatever it was for. */
export async function findPayment(database: Database | Tx, signature: Signature): Promise<PaymentRow | undefined> {
  return database.selectFrom('payments').select(paymentColumns).where('signature', '=', signature).executeTakeFirst()
}

/** The co-signed payment with this message, whatever signatures it has. */
export async function findPaymentByMessage(database: Database | Tx, messageHash: Buffer): Promise<PaymentRow | undefined> {
  return database.selectFrom('payments').select(paymentColumns).where('messageHash', '=', messageHash).executeTakeFirst()
}

/** The transaction bytes recorded for a purchase that may still land. */
export async function findRecordedPayment(database: Database | Tx, purchaseId: string): Promise<PaymentRow | undefined> {
  return database
    .selectFrom('payments')
    .select(paymentColumns)
    .where('purchaseId', '=', purchaseId)
    .where('kind', '=', 'purchase')
    .where('status', '=', 'recorded')
    .executeTakeFirst()
}

/** The refund of a case that may still land or has landed. */
export async function findRefund(database: Database | Tx, caseId: string): Promise<PaymentRow | undefined> {
  return database
    .selectFrom('payments')
    .select(paymentColumns)
    .where('caseId', '=', caseId)
    .where('kind', '=', 'refund')
    .where('status', '<>', 'void')
    .executeTakeFirst()
}

export async function insertPayment(tx: Tx, payment: Insertable<Payments>): Promise<PaymentRow> {
  return tx.insertInto('payments').values(payment).returning(paymentColumns).executeTakeFirstOrThrow()
}

/**
 * Makes a landed transaction belong to a purchase without counting for it, and locks its row until the transaction ends.
 * @returns the purchase that it belongs to: the first purchase to record a signature keeps it.
 */
export async function recordUncounted(
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

/** The recorded bytes were proved expired, or they landed and did not count. */
export async function voidPayment(tx: Database | Tx, signature: Signature): Promise<void> {
  await tx.updateTable('payments').set({ status: 'void' }).where('signature', '=', signature).where('status', '=', 'recorded').execute()
}

/** The height at which recorded bytes expire was stored too high. It never rises. */
export async function lowerExpiryHeight(database: Database, signature: Signature, height: bigint): Promise<void> {
  await database
    .updateTable('payments')
    .set({ expiryHeight: height })
    .where('signature', '=', signature)
    .where('expiryHeight', '>', height)
    .execute()
}

/** A refund is finalized. */
export async function markSettled(tx: Tx, signature: Signature, slot: bigint): Promise<void> {
  await tx.updateTable('payments').set({ status: 'settled', slot }).where('signature', '=', signature).execute()
}
