import { type Reply } from '@juicebar/contract/calls'
import { Failure } from '@juicebar/contract/errors'
import { type Audit } from '@juicebar/contract/schemas'

import { type Database } from '../../database/connect.ts'
import { isId } from '../../listings/listing.ts'
import { auditReply, auditSummary } from './audit.ts'
import { findAudit, listAudits } from './audit-store.ts'

/** @throws AUDIT_NOT_FOUND */
export async function readAudit(database: Database, id: string): Promise<Audit> {
  const audit = isId(id) ? await findAudit(database, id) : undefined
  if (!audit) throw new Failure('AUDIT_NOT_FOUND')
  return auditReply(audit)
}

/**
 * One page of the audits, the newest first.
 * @throws CURSOR_INVALID
 */
export async function readAudits(
  database: Database,
  { cursor, limit }: { cursor: string | undefined; limit: number },
): Promise<Reply<'audits'>> {
  if (cursor !== undefined && !isId(cursor)) throw new Failure('CURSOR_INVALID')
  const rows = await listAudits(database, { before: cursor, limit: limit + 1 })
  const shown = rows.slice(0, limit)
  return { audits: shown.map(auditSummary), nextCursor: rows.length > limit ? (shown.at(-1)?.id ?? null) : null }
}
