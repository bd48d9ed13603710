import { type Selectable, sql } from 'kysely'

import { type Database } from '../database/connect.ts'
import { type Purchases } from '../database/schema.ts'
import { type Tx } from '../database/transact.ts'
import { now } from '../database/time.ts'

export type PurchaseRow = Selectable<Purchases>

/** Whether the payment window has closed, by the database's clock. */
export const windowClosed = sql<boolean>`pay_before <= now()`

export async function findPurchase(database: Database | Tx, id: string): Promise<PurchaseRow | undefined> {
  return database.selectFrom('purchases').selectAll().where('id', '=', id).executeTakeFirst()
}

/** Locks the purchase until the transaction ends. */
export async function lockPurchase(tx: Tx, id: string): Promise<(PurchaseRow & { windowClosed: boolean }) | undefined> {
  return tx.selectFrom('purchases').selectAll().select(windowClosed.as('windowClosed')).where('id', '=', id).forUpdate().executeTakeFirst()
}

/** Makes the purchase due for reconciliation now, by whichever server is first. */
export async function reconcileNow(database: Database | Tx, id: string): Promise<void> {
  await database.updateTable('purchases').set({ reconcileAt: now }).where('id', '=', id).execute()
}

/** Tells buyer and seller that the purchase changed, when the transaction commits. */
export async function emitPurchase(tx: Database | Tx, id: string): Promise<void> {
  await sql`select emit_purchase(p) from purchases p where p.id = ${id}`.execute(tx)
}
