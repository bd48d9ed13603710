import { type BaseLogger } from 'pino'

import { type Database } from '../database/connect.ts'
import { deleteExpired } from './sign-in-store.ts'

const PURGE_MILLIS = 10 * 60_000

/**
 * Deletes expired nonces and sessions every ten minutes. The next round makes up for one that fails.
 * @returns the function that stops it
 */
export function startPurging(database: Database, log: Pick<BaseLogger, 'warn'>): () => void {
  const timer = setInterval(() => {
    deleteExpired(database).catch((error: unknown) => log.warn({ err: error }, 'expired nonces and sessions could not be deleted'))
  }, PURGE_MILLIS)
  timer.unref()
  return () => clearInterval(timer)
}
