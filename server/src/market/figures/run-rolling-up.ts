import { type Database } from '../../database/connect.ts'
import { type FailureLog } from '../../logging/failure-log.ts'
import { startRepeating } from '../../repeat.ts'
import { rollUpSales } from './roll-up-store.ts'

const EVERY_MILLIS = 1_000

/**
 * Keeps the candles up to date within about a second, even if nobody reads them; every server does this.
 * @returns a function that stops it
 */
export function startRollingUp({ database, failures }: { database: Database; failures: FailureLog }): () => Promise<void> {
  const rollUpAll = async (signal: AbortSignal) => {
    while (!signal.aborted && (await rollUpSales(database)) > 0);
  }
  return startRepeating(rollUpAll, { everyMillis: EVERY_MILLIS, failures, failure: 'candles cannot be brought up to date; trying again' })
}
