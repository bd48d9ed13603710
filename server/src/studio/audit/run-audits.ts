import { type PurchaseDeps } from '../../purchases/purchase-deps.ts'
import { startRepeating } from '../../repeat.ts'
import { continueAudit } from './continue-audit.ts'

const POLL_MILLIS = 500

/**
 * Carries audits out on this server: one that was just requested, and one whose server was stopped or killed.
 * @returns the function that stops it, after which another server continues the audit under way
 */
export function startAudits(deps: PurchaseDeps): () => Promise<void> {
  const failure = 'audits cannot be read; trying again'
  return startRepeating((signal) => continueAudit(deps, { signal }), { everyMillis: POLL_MILLIS, failures: deps.failures, failure })
}
