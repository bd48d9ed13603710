import { type AuditReport } from '@juicebar/contract/schemas'

import { type PurchaseDeps } from '../../purchases/purchase-deps.ts'
import { delay } from '../../repeat.ts'
import { auditReport } from './audit.ts'
import { findAudit } from './audit-store.ts'
import { continueAudit, type Working } from './continue-audit.ts'
import { requestAudit } from './request-audit.ts'

const POLL_MILLIS = 100

interface Options extends Partial<Working> {
  full: boolean
  /** Whose key or wallet starts it, unless one is running. */
  startedBy?: string
}

/**
 * Starts an audit, or joins the running one, and runs it to its end.
 *
 * @returns its findings; if the signal aborts first, its findings so far.
 */
export async function runAudit(
  deps: PurchaseDeps,
  { full, startedBy, signal = new AbortController().signal, ...working }: Options,
): Promise<AuditReport> {
  const { id } = await requestAudit(deps.database, { full, ...(startedBy !== undefined && { startedBy }) })
  for (;;) {
    await continueAudit(deps, { ...working, signal })
    const audit = await findAudit(deps.database, id)
    if (!audit) throw new Error(`audit ${id} is gone`)
    if (audit.finishedAt !== null || signal.aborted) return auditReport(audit)
    await delay(POLL_MILLIS, signal)
  }
}
