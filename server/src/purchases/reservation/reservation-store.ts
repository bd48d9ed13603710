import { sql } from 'kysely'

import { type Tx } from '../../database/transact.ts'

/** Ends the holds on these listings that can end at once, because nobody can have paid for them. They must be locked. */
export async function endUnsent(tx: Tx, listingIds: readonly string[]): Promise<void> {
  await sql`select end_unsent(${listingIds}::uuid[])`.execute(tx)
}
