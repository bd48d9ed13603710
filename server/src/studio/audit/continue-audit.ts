import { randomUUID } from 'node:crypto'
import { setMaxListeners } from 'node:events'

import { type PurchaseDeps } from '../../purchases/purchase-deps.ts'
import { afterLedger, afterPage, type AuditRow, type AuditStep, givenUp } from './audit.ts'
import { countFailure, renewLease } from '../job-lease-store.ts'
import { leaseAudit, readAuditPage, saveAudit } from './audit-store.ts'
import { readLedger } from './ledger-check-store.ts'
import { ChainSilent, PATIENCE, type Patience, verifyPayments } from './verify-payments.ts'

/** If a server is killed, another continues its audit after this long. */
const LEASE_SECONDS = 10
const RENEW_MILLIS = 2_500
/** Payments between two records of the audit's progress. */
const PAGE = 200
/** An audit ends if this many attempts in a row have failed. */
const MAX_FAILURES = 10

export interface Working {
  signal: AbortSignal
  patience?: Patience
  pageSize?: number
}

/**
 * Continues the running audit until it is done, the signal aborts or another server has taken it over: recomputes every balance from
 * the ledger, checks the invariants I1 to I6, and verifies payments on chain. Any server can continue where it stops.
 *
 * @returns false if there is no audit that this server can continue.
 */
export async function continueAudit(deps: PurchaseDeps, { signal, patience = PATIENCE, pageSize = PAGE }: Working): Promise<boolean> {
  const { database, failures } = deps
  const leaseId = randomUUID()
  const leased = await leaseAudit(database, leaseId, LEASE_SECONDS)
  if (!leased) return false
  const lost = new AbortController()
  const renew = () =>
    renewLease(database, 'audits', leaseId, LEASE_SECONDS).then(
      (kept) => kept || lost.abort(),
      (error: unknown) => failures.failed(error, { auditId: leased.id }, 'the lease of an audit could not be renewed; it may run out'),
    )
  const renewing = setInterval(() => void renew(), RENEW_MILLIS)
  const working = { signal: AbortSignal.any([signal, lost.signal]), patience, pageSize }
  setMaxListeners(0, working.signal)
  try {
    let audit: AuditRow | undefined = leased
    while (audit?.finishedAt === null && !working.signal.aborted) {
      const step: AuditStep | undefined = await nextStep(deps, audit, working)
      audit = step && (await saveAudit(database, leaseId, step))
    }
  } catch (error) {
    failures.failed(error, { auditId: leased.id }, 'an audit failed on its way; trying again')
    await countFailure(database, 'audits', leaseId)
  } finally {
    clearInterval(renewing)
  }
  if (signal.aborted) await renewLease(database, 'audits', leaseId, 0)
  return true
}

/** @returns undefined if the signal aborted */
async function nextStep(deps: PurchaseDeps, audit: AuditRow, working: Required<Working>): Promise<AuditStep | undefined> {
  const { id, part, failures } = audit
  if (failures >= MAX_FAILURES) return givenUp(audit, 'the server failed to check it, see its log')
  if (part === 'ledger') return afterLedger(audit, await readLedger(deps.database))
  const purchases = await readAuditPage(deps.database, { id, part }, working.pageSize)
  try {
    const findings = await verifyPayments(deps, purchases, working)
    const ids = purchases.map((purchase) => purchase.id)
    return findings && afterPage(audit, ids, findings, purchases.length < working.pageSize)
  } catch (error) {
    if (error instanceof ChainSilent) return givenUp(audit, error.message)
    throw error
  }
}
