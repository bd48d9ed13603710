import { Failure } from '@juicebar/contract/errors'
import { type Case } from '@juicebar/contract/schemas'

import { type Database } from '../../database/connect.ts'
import { inTransaction } from '../../database/transact.ts'
import { isId } from '../../listings/listing.ts'
import { findCaseReply } from './case-reply-store.ts'
import { lockCase, moveCase } from './case-store.ts'

/**
 * The studio closes an open case with a note that both sides read.
 * @throws CASE_NOT_FOUND or CASE_NOT_OPEN
 */
export async function closeCase(database: Database, caseId: string, note: string): Promise<Case> {
  if (!isId(caseId)) throw new Failure('CASE_NOT_FOUND')
  await inTransaction(database, async (tx) => {
    const row = await lockCase(tx, caseId)
    if (!row) throw new Failure('CASE_NOT_FOUND')
    if (row.status !== 'open') throw new Failure('CASE_NOT_OPEN')
    await moveCase(tx, caseId, { status: 'closed', reconcileSeconds: null, note })
  })
  const closed = await findCaseReply(database, caseId)
  if (!closed) throw new Failure('CASE_NOT_FOUND')
  return closed
}
