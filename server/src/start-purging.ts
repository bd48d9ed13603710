import { type Database } from './database/connect.ts'
import { deleteOldKeys } from './listings/listing-store.ts'
import { type FailureLog } from './runtime/outage.ts'
import { deleteOldRefusals } from './purchases/co-signed/co-signed-store.ts'
import { deleteOldPayLinks } from './purchases/pay-link/pay-link-store.ts'
import { deleteExpired } from './sign-in/sign-in-store.ts'
import { deleteOldChallenges } from './studio/staff/staff-store.ts'

/**
 * Deletes whatever is too old, now and then.
 * @returns the function that stops it
 */
export function startPurges(database: Database, failures: Pick<FailureLog, 'failed'>): () => void {
  const stops = [
    startPurging(() => deleteExpired(database), { failures, failure: 'expired nonces and sessions could not be deleted' }),
    startPurging(() => deleteOldChallenges(database), { failures, failure: 'old challenges of the desk could not be deleted' }),
    startPurging(() => deleteOldKeys(database), { failures, failure: 'old idempotency keys could not be deleted' }),
    startPurging(() => deleteOldRefusals(database), { failures, failure: 'old refusals of payments could not be deleted' }),
    startPurging(() => deleteOldPayLinks(database), { failures, failure: 'old payment links could not be deleted' }),
  ]
  return () => stops.forEach((stop) => stop())
}

const PURGE_MILLIS = 10 * 60_000

interface Purge {
  failures: Pick<FailureLog, 'failed'>
  /** What is logged when it fails. */
  failure: string
}

/**
 * Deletes what is too old every ten minutes. The next round makes up for one that fails.
 * @returns the function that stops it
 */
function startPurging(purge: () => Promise<unknown>, { failures, failure }: Purge): () => void {
  const timer = setInterval(() => void purge().catch((error: unknown) => failures.failed(error, {}, failure)), PURGE_MILLIS)
  timer.unref()
  return () => clearInterval(timer)
}
