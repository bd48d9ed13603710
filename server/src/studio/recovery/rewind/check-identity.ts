import { type BaseLogger } from 'pino'

import { type Database } from '../../../database/connect.ts'
import { type FailureLog } from '../../../logging/failure-log.ts'
import { delay, startRepeating } from '../../../repeat.ts'
import { recordRewind } from './record-rewind.ts'
import { readIdentity, saveIdentity } from './rewind-store.ts'

const CHECK_MILLIS = 250
/**
 * A server that starts while others are running leaves it to them to confirm that nothing is missing, because they know what was there
 * before.
 */
const PATIENCE_MILLIS = 5_000

export interface IdentityDeps {
  database: Database
  log: Pick<BaseLogger, 'info' | 'error'>
  failures: FailureLog
  /** Whether the database lacks anything that this server has read from it. */
  hasLost: () => Promise<boolean>
  /** Distinguishes a built-in database from a copy of it; undefined for other databases, and if no payment outlives the server. */
  files: string | undefined
}

/**
 * Checks before a server takes calls whether this is the database that servers left or an earlier state of it. Returns once that is
 * decided; if it may be an earlier state, the market is then paused.
 */
export async function checkIdentity(deps: IdentityDeps, signal: AbortSignal): Promise<void> {
  const { database, files } = deps
  const deadline = performance.now() + PATIENCE_MILLIS
  while (!signal.aborted) {
    const { isNew, inDoubt, filesChanged } = await readIdentity(database, files)
    if (filesChanged || (inDoubt && performance.now() >= deadline)) return recordRewind(deps, { cause: 'restored', files })
    if (!inDoubt) {
      if (isNew || files !== undefined) await saveIdentity(database, files)
      return
    }
    await delay(CHECK_MILLIS, signal)
  }
}

/**
 * While a server is running, confirms after a fail-over or a restore whether everything it has read is still there. Until a server has
 * confirmed it, the database itself refuses listings and holds.
 * @returns a function that stops it
 */
export function startCheckingIdentity(deps: IdentityDeps): () => Promise<void> {
  const { database, log, failures, hasLost } = deps
  const check = async () => {
    const { inDoubt } = await readIdentity(database, undefined)
    if (!inDoubt) return
    if (await hasLost()) return recordRewind(deps, { cause: 'lost' })
    await saveIdentity(database)
    log.info({}, 'the database is another one than before, and nothing is missing')
  }
  const failure = 'it is unknown whether the database is complete; trying again'
  return startRepeating(check, { everyMillis: CHECK_MILLIS, failures, failure })
}
