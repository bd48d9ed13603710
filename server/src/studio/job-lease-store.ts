import { sql } from 'kysely'

import { type Database } from '../database/connect.ts'
import { inSeconds } from '../database/time.ts'

/** Tables of jobs that any server can continue: at most one is running in each, under a lease. */
type JobTable = 'audits' | 'recoveries'

/** Extends a lease, or returns it if `seconds` is 0. @returns false if it is lost */
export async function renewLease(database: Database, table: JobTable, leaseId: string, seconds: number): Promise<boolean> {
  const { numUpdatedRows } = await database
    .updateTable(table)
    .set({ leaseUntil: inSeconds(seconds) })
    .where('leaseId', '=', leaseId)
    .where('finishedAt', 'is', null)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/** Counts a failure of the server that holds the lease, not of the chain. */
export async function countFailure(database: Database, table: JobTable, leaseId: string): Promise<void> {
  await database
    .updateTable(table)
    .set({ failures: sql<number>`failures + 1` })
    .where('leaseId', '=', leaseId)
    .execute()
}
