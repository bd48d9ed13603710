import { type PurchaseDeps } from '../../purchases/purchase-deps.ts'
import { startRepeating } from '../../repeat.ts'
import { continueAudit } from './continue-audit.ts'

const POLL_MILLIS = 500

/**
 * Runs audits on this server: a newly requested one, or one whose server was stopped or killed.
 * @returns a function that stops it; another server then continues the audit under way
 */
export function startAudits(deps: PurchaseDeps): () => Promise<void> {
  const failure = 'audits cannot be read; trying again'
  return startRepeating((signal) => continueAudit(deps, { signal }), { everyMillis: POLL_MILLIS, failures: deps.failures, failure })
}
