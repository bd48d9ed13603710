import { type Database } from '../../database/connect.ts'
import { inTransaction, type Tx } from '../../database/transact.ts'
import { type AuditRow } from './audit.ts'
import { findRunningAudit, insertAudit, makeRunningAuditFull } from './audit-store.ts'

interface AuditRequest {
  full: boolean
  /** Whose key or wallet starts it, unless one is running. */
  startedBy?: string
  record?: (tx: Tx, id: string) => Promise<void>
}

/**
 * Starts an audit from the watermark of the one before, or of everything if it is to be `full`. There is one at a time: while one is
 * running, that one is returned, and made full if need be. Any server can continue it. `record` is told the id of one that is started or
 * made full, in the transaction that does it.
 */
export async function requestAudit(database: Database, { full, startedBy, record }: AuditRequest): Promise<AuditRow> {
  for (;;) {
    await inTransaction(database, async (tx) => {
      const id = (await insertAudit(tx, { full, startedBy: startedBy ?? null })) ?? (full ? await makeRunningAuditFull(tx) : undefined)
      if (id !== undefined) await record?.(tx, id)
    })
    const running = await findRunningAudit(database)
    // None is running if it finished just now: then the next turn starts one.
    if (running && (running.isFull || !full)) return running
  }
}
