import { type Database } from '../database/connect.ts'
import { purgeEvents } from './outbox-store.ts'

/** How long an interrupted stream can still resume where it stopped. */
export const KEEP_MINUTES = 60
/** A batch takes about as long as a player's call. */
const BATCH = 10_000
/** Per round; the rest is left for the next one. */
const MOST_BATCHES = 200

/**
 * Deletes the events that are too old for any stream, as fast as they arrive: in short transactions, until none are left.
 * @returns how many it deleted
 */
export async function purgeOutbox(database: Database, signal: AbortSignal, batch = BATCH): Promise<number> {
  let purged = 0
  for (let batches = 0; batches < MOST_BATCHES && !signal.aborted; batches++) {
    const deleted = await purgeEvents(database, { olderThanMinutes: KEEP_MINUTES, limit: batch })
    purged += deleted
    if (deleted < batch) break
  }
  return purged
}
