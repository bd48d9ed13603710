import { type Case } from '@juicebar/contract/schemas'
import { closeCase } from '../purchases/cases/open-case.ts'
import { type PurchaseDeps } from '../purchases/purchase/purchase-deps.ts'
import { insertLogEntry } from './log/studio-log-store.ts'
import { releaseHold } from '../purchases/reconciliation/release-hold.ts'
import { type Database } from '../database/connect.ts'
import { type Tx } from '../database/transact.ts'
import { type AuditRow } from './audit/audit.ts'
import { requestAudit } from './audit/run-audits.ts'

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

interface Release {
  purchaseId: string
  /** In words for buyer and seller. */
  reason: string
  actor: string
}

/**
 * The studio ends a hold that the chain cannot prove to be unpaid; its log says who did so and why.
 * @throws PURCHASE_NOT_FOUND, NOT_RELEASABLE or CHAIN_DOWN
 */
export async function releasePurchase(deps: PurchaseDeps, { purchaseId, reason, actor }: Release): Promise<void> {
  await releaseHold(deps, {
    purchaseId,
    reason,
    record: (tx) => insertLogEntry(tx, { actor, call: 'releasePurchase', subject: purchaseId, reason }),
  })
}

interface AuditOrder {
  full: boolean
  reason?: string | undefined
  actor: string
}

/** Starts an audit for a key, or joins the one under way; the log says who requested it. */
export async function requestStudioAudit(database: Database, { full, reason, actor }: AuditOrder): Promise<AuditRow> {
  return requestAudit(database, { full, ...startedBy(actor, reason) })
}

/** Whose audit it is, and how the log says so. */
export function startedBy(actor: string, reason?: string) {
  const record = (tx: Tx, subject: string) => insertLogEntry(tx, { actor, call: 'startAudit', subject, reason: reason ?? null })
  return { startedBy: actor, record }
}
