import { Failure } from '@juicebar/contract/errors'
import { type Audit } from '@juicebar/contract/schemas'

import { type Database } from '../../database/connect.ts'
import { isId } from '../../listings/listing.ts'
import { auditReply } from './audit.ts'
import { findAudit } from './audit-store.ts'

/** @throws AUDIT_NOT_FOUND */
export async function readAudit(database: Database, id: string): Promise<Audit> {
  const audit = isId(id) ? await findAudit(database, id) : undefined
  if (!audit) throw new Failure('AUDIT_NOT_FOUND')
  return auditReply(audit)
}
