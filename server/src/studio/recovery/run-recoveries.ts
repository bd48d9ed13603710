import { type PurchaseDeps } from '../../purchases/purchase-deps.ts'
import { startRepeating } from '../../repeat.ts'
import { continueRecovery } from './continue-recovery.ts'

const POLL_MILLIS = 500

/**
 * Runs recoveries on this server: a newly requested one, or one whose server was stopped or killed.
 * @returns a function that stops it; another server then continues the recovery under way
 */
export function startRecoveries(deps: PurchaseDeps): () => Promise<void> {
  const failure = 'recoveries cannot be read; trying again'
  return startRepeating((signal) => continueRecovery(deps, { signal }), { everyMillis: POLL_MILLIS, failures: deps.failures, failure })
}
