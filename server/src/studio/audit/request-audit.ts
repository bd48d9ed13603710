import { type Database } from '../../database/connect.ts'
import { type AuditRow } from './audit.ts'
import { findRunningAudit, insertAudit, makeRunningAuditFull } from './audit-store.ts'

/**
 * Starts an audit from the watermark of the one before, or of everything if it is to be `full`. There is one at a time: while one is
 * running, that one is returned, and made full if need be. Any server carries it on.
 */
export async function requestAudit(database: Database, { full }: { full: boolean }): Promise<AuditRow> {
  for (;;) {
    if (!(await insertAudit(database, full)) && full) await makeRunningAuditFull(database)
    const running = await findRunningAudit(database)
    // None is running if it finished just now: then the next turn starts one.
    if (running && (running.isFull || !full)) return running
  }
}
