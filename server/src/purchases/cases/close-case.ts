import { Failure } from '@juicebar/contract/errors'
import { type Case } from '@juicebar/contract/schemas'

import { inTransaction, type Tx } from '../../database/transact.ts'
import { isId } from '../../listings/listing.ts'
import { logCase } from '../log-changes.ts'
import { type PurchaseDeps } from '../purchase-deps.ts'
import { findCaseReply } from './case-reply-store.ts'
import { lockCase, moveCase } from './case-store.ts'

/**
 * The studio closes an open case with a note that both sides read. `record` runs in the transaction that does it.
 * @throws CASE_NOT_FOUND or CASE_NOT_OPEN
 */
export async function closeCase(
  deps: Pick<PurchaseDeps, 'database' | 'catalogue' | 'log' | 'observer'>,
  caseId: string,
  note: string,
  record?: (tx: Tx) => Promise<void>,
): Promise<Case> {
  const { database } = deps
  if (!isId(caseId)) throw new Failure('CASE_NOT_FOUND')
  const row = await inTransaction(database, async (tx) => {
    const open = await lockCase(tx, caseId)
    if (!open) throw new Failure('CASE_NOT_FOUND')
    if (open.status !== 'open') throw new Failure('CASE_NOT_OPEN')
    await record?.(tx)
    return moveCase(tx, caseId, { status: 'closed', reconcileSeconds: null, note })
  })
  const closed = await findCaseReply(deps, caseId)
  if (!closed) throw new Failure('CASE_NOT_FOUND')
  logCase(deps, 'closed', row, { id: row.purchaseId, buyer: closed.buyer })
  return closed
}
