import { startRepeating } from '../../../repeat.ts'
import { type PurchaseDeps } from '../../purchase-deps.ts'
import { searchHistories } from './search-histories.ts'

const POLL_MILLIS = 10_000

/**
 * Searches the histories of the market's keys about once a minute, on one server at a time.
 * @returns a function that stops it
 */
export function startSearchingHistories(deps: PurchaseDeps): () => Promise<void> {
  const failure = 'what the co-signers have signed cannot be read; trying again'
  return startRepeating(() => searchHistories(deps), { everyMillis: POLL_MILLIS, failures: deps.failures, failure })
}
