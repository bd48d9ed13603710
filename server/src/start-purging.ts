import { type FailureLog } from './logging/failure-log.ts'

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
export function startPurging(purge: () => Promise<unknown>, { failures, failure }: Purge): () => void {
  const timer = setInterval(() => void purge().catch((error: unknown) => failures.failed(error, {}, failure)), PURGE_MILLIS)
  timer.unref()
  return () => clearInterval(timer)
}
