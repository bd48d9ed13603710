import { type Case } from '@juicebar/contract/schemas'

import { closeCase } from '../purchases/cases/close-case.ts'
import { type PurchaseDeps } from '../purchases/purchase-deps.ts'
import { insertLogEntry } from './studio-log-store.ts'

interface CaseClosure {
  caseId: string
  /** For buyer and seller to read; the log's reason as well. */
  note: string
  actor: string
}

/**
 * The studio closes an open case; its log says who did so and why.
 * @throws CASE_NOT_FOUND or CASE_NOT_OPEN
 */
export async function closeStudioCase(
  deps: Pick<PurchaseDeps, 'database' | 'catalogue' | 'log'>,
  { caseId, note, actor }: CaseClosure,
): Promise<Case> {
  return closeCase(deps, caseId, note, (tx) => insertLogEntry(tx, { actor, call: 'closeCase', subject: caseId, reason: note }))
}
