import { type PurchaseDeps } from '../../purchases/purchase-deps.ts'
import { startRepeating } from '../../repeat.ts'
import { stampSales } from './sale-store.ts'

/** Purchases of one short statement: more than the longest page of sales has. */
export const STAMPED_AT_ONCE = 1_000
const EVERY_MILLIS = 1_000

/**
 * Gives every sale its place within about a second, even if nobody reads them; every server does this.
 * @returns a function that stops it
 */
export function startStampingSales({ database, failures }: Pick<PurchaseDeps, 'database' | 'failures'>): () => Promise<void> {
  const stampAll = async (signal: AbortSignal) => {
    while (!signal.aborted && (await stampSales(database, STAMPED_AT_ONCE)) > 0);
  }
  return startRepeating(stampAll, { everyMillis: EVERY_MILLIS, failures, failure: 'sales cannot be put in order; trying again' })
}
