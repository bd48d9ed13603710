import { type Database } from '../database/connect.ts'
import { type Tx } from '../database/transact.ts'
import { type AuditRow } from './audit/audit.ts'
import { requestAudit } from './audit/request-audit.ts'
import { insertLogEntry } from './studio-log-store.ts'

interface AuditOrder {
  full: boolean
  reason?: string | undefined
  actor: string
}

/** Starts an audit for a key, or joins the one under way; the log says who requested it. */
export async function requestStudioAudit(database: Database, { full, reason, actor }: AuditOrder): Promise<AuditRow> {
  const record = (tx: Tx, subject: string) => insertLogEntry(tx, { actor, call: 'startAudit', subject, reason: reason ?? null })
  return requestAudit(database, { full, startedBy: actor, record })
}
