import { type FailureLog } from '../logging/failure-log.ts'
import { startRepeating } from '../repeat.ts'
import { type PageCache } from './page-cache.ts'

const CHECK_MILLIS = 1_000

/**
 * Keeps the copies of the first pages recent, even if nobody requests them.
 * @returns a function that stops it
 */
export function startRefreshingCopies(pageCache: Pick<PageCache, 'refreshCopies'>, failures: FailureLog): () => Promise<void> {
  const failure = 'the copies of the first pages cannot be refreshed; trying again'
  return startRepeating(() => pageCache.refreshCopies(), { everyMillis: CHECK_MILLIS, failures, failure })
}
