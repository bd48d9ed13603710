import { type Signature } from '@juicebar/contract/addresses'
import { sql } from 'kysely'

import { type Database } from '../../database/connect.ts'
import { type Place } from '../../database/place.ts'
import { type Tx } from '../../database/transact.ts'

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
