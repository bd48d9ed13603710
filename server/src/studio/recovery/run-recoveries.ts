import { type PurchaseDeps } from '../../purchases/purchase-deps.ts'
import { startRepeating } from '../../repeat.ts'
import { continueRecovery } from './continue-recovery.ts'

const POLL_MILLIS = 500

/**
 * Carries recoveries out on this server: one that was just requested, and one whose server was stopped or killed.
 * @returns the function that stops it, after which another server continues the recovery under way
 */
export function startRecoveries(deps: PurchaseDeps): () => Promise<void> {
  const failure = 'recoveries cannot be read; trying again'
  return startRepeating((signal) => continueRecovery(deps, { signal }), { everyMillis: POLL_MILLIS, failures: deps.failures, failure })
}
