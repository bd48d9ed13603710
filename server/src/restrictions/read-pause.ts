import { type PublicConfig } from '@juicebar/contract/schemas'

import { type Database } from '../database/connect.ts'
import { findPause } from './restriction-store.ts'

/** The market's settings wait no longer than this for a database that may be down. */
const PATIENCE_MILLIS = 500

/** @returns a function that reads the public pause, or returns its last known state if the database does not answer in time */
export function createPauseReader(database: Database): () => Promise<PublicConfig['pause']> {
  let known: PublicConfig['pause'] = null
  const read = async () => {
    const pause = await findPause(database)
    known = pause ? { message: pause.message, since: pause.since.toISOString() } : null
  }
  return async () => {
    let timer: NodeJS.Timeout | undefined
    const patience = new Promise<void>((resolve) => (timer = setTimeout(resolve, PATIENCE_MILLIS)))
    // An outage is reported elsewhere.
    await Promise.race([read().catch(() => undefined), patience])
    clearTimeout(timer)
    return known
  }
}
