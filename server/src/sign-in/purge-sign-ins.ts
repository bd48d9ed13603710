import { type BaseLogger } from 'pino'

import { type Database } from '../database/connect.ts'
import { deleteExpired } from './sign-in-store.ts'

const PURGE_MILLIS = 10 * 60_000

/** Forgets what expired, now and then, until the returned function is called. A failed round is made up for by the next one. */
export function startPurging(database: Database, log: Pick<BaseLogger, 'warn'>): () => void {
  const timer = setInterval(() => {
    deleteExpired(database).catch((error: unknown) => log.warn({ err: error }, 'expired sign-ins could not be deleted'))
  }, PURGE_MILLIS)
  timer.unref()
  return () => clearInterval(timer)
}
