import { type Selectable, sql } from 'kysely'
import { type Database } from '../../database/connect.ts'
import { type Purchases } from '../../database/schema.ts'
import { inTransaction, type Tx } from '../../database/transact.ts'
import { now } from '../../database/columns.ts'
import { type PurchaseItem } from './purchase.ts'

/** The columns that the server reads. They are always named, so that a newer server can add others while this one runs. */
export const purchaseColumns = [
  'id',
  'buyer',
  'sellers',
  'priceLamports',
  'feeBasisPoints',
  'feeLamports',
  'feeWallet',
  'reference',
  'needsReference',
  'genesisHash',
  'heldAtSlot',
  'serverSends',
  'coSigned',
  'payBefore',
  'cancelRequested',
  'status',
  'endReason',
  'signature',
  'releaseHeight',
  'reconcileAt',
  'reconciliations',
  'buyerScans',
  'createdAt',
  'settledAt',
  'finalizedAt',
  'unprovableAt',
  'releaseReason',
] as const satisfies (keyof Purchases)[]

export interface PurchaseRow extends Pick<Selectable<Purchases>, (typeof purchaseColumns)[number]> {
  items: PurchaseItem[]
}

/** The items of each row of `purchases`. */
export const purchaseItems = sql<PurchaseItem[]>`items_of(purchases.id)`.as('items')

/** Whether the payment window has closed, by the database's clock and including extensions for outages. */
export const windowClosed = sql<boolean>`window_closed(purchases)`

export async function findPurchase(database: Database | Tx, id: string): Promise<PurchaseRow | undefined> {
  return database.selectFrom('purchases').select(purchaseColumns).select(purchaseItems).where('id', '=', id).executeTakeFirst()
}

/** Locks the purchase until the transaction ends. */
export async function lockPurchase(tx: Tx, id: string): Promise<(PurchaseRow & { windowClosed: boolean }) | undefined> {
  return tx
    .selectFrom('purchases')
    .select(purchaseColumns)
    .select([purchaseItems, windowClosed.as('windowClosed')])
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirst()
}

/**
 * Of a purchase that may still be paid, or just was. It never rises. What was searched since a later slot is searched again.
 * @returns whether it came down
 */
export async function lowerHeldAtSlot(database: Database, { id }: Pick<PurchaseRow, 'id'>, slot: bigint): Promise<boolean> {
  return inTransaction(database, async (tx) => {
    const { numUpdatedRows } = await tx
      .updateTable('purchases')
      .set({ heldAtSlot: slot })
      .where('id', '=', id)
      .where('status', 'in', ['held', 'settled'])
      .where('heldAtSlot', '>', slot)
      .executeTakeFirst()
    if (numUpdatedRows === 0n) return false
    await tx.deleteFrom('historySearches').where('purchaseId', '=', id).where('obstacle', 'is', null).execute()
    return true
  })
}

/** Makes the purchase due for reconciliation now; the first server to see it reconciles it. */
export async function reconcileNow(database: Database | Tx, id: string): Promise<void> {
  await database.updateTable('purchases').set({ reconcileAt: now }).where('id', '=', id).execute()
}

/** Tells buyer and sellers that the purchase changed, when the transaction commits. */
export async function emitPurchase(tx: Database | Tx, id: string): Promise<void> {
  await sql`select emit_purchase(p) from purchases p where p.id = ${id}`.execute(tx)
}
