import { type BaseLogger } from 'pino'

import { type Database } from '../../../database/connect.ts'
import { inTransaction } from '../../../database/transact.ts'
import { emitPause, lockRestrictions } from '../../../restrictions/restriction-change-store.ts'
import { findChangedPause } from '../../../restrictions/restriction-store.ts'
import { distrustHolds, insertRewind, type RewindCause, saveIdentity } from './rewind-store.ts'

interface RewindDeps {
  database: Database
  log: Pick<BaseLogger, 'error'>
}

interface Rewind {
  cause: RewindCause
  /** When the latest missing event was written, in microseconds. */
  lostAt?: bigint
  /** Distinguishes a built-in database from a copy of it. */
  files?: string | undefined
}

/**
 * Records that the database has gone back to an earlier state, or may have: the market is paused until a recovery is clean. When this
 * returns, no hold is still in progress. Safe to repeat.
 */
export async function recordRewind({ database, log }: RewindDeps, { cause, lostAt, files }: Rewind): Promise<void> {
  // Separate from the pause, whose transaction must not lock rows. Before it, because a server that dies in between starts over.
  await inTransaction(database, distrustHolds)
  const isNew = await inTransaction(database, async (tx) => {
    await lockRestrictions(tx)
    await saveIdentity(tx, files)
    if (!(await insertRewind(tx, cause, lostAt))) return false
    await emitPause(tx, await findChangedPause(tx))
    return true
  })
  if (!isNew) return
  log.error(
    { cause },
    'the database went back to an earlier state, or may have: the market is paused until a recovery finds nothing missing (studio recover)',
  )
}
