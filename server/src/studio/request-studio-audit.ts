import { type Database } from '../database/connect.ts'
import { type AuditRow } from './audit/audit.ts'
import { requestAudit } from './audit/request-audit.ts'
import { insertLogEntry } from './studio-log-store.ts'

/** Starts an audit for a key, or joins the one under way; the log says who has it run. */
export async function requestStudioAudit(database: Database, { full, actor }: { full: boolean; actor: string }): Promise<AuditRow> {
  const record = (tx: Parameters<typeof insertLogEntry>[0], subject: string) =>
    insertLogEntry(tx, { actor, call: 'startAudit', subject, reason: null })
  return requestAudit(database, { full, record })
}
