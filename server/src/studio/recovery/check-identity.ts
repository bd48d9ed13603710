import { type BaseLogger } from 'pino'
import { type Database } from '../../database/connect.ts'
import { inTransaction } from '../../database/transact.ts'
import { emitPause, lockRestrictions, findChangedPause } from '../../restrictions/restriction-store.ts'
import { insertRewind, type RewindCause, saveIdentity, readIdentity, insertSeenSlot } from './rewind-store.ts'
import { type FailureLog } from '../../runtime/outage.ts'
import { delay, type Job } from '../../runtime/repeat.ts'
import { type Chain } from '../../chain/chain.ts'

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
 */
export function identityJob(deps: IdentityDeps): Job {
  const { database, log, hasLost } = deps
  return {
    name: 'identity of the database',
    everyMillis: CHECK_MILLIS,
    failure: 'it is unknown whether the database is complete; trying again',
    run: async () => {
      const { inDoubt } = await readIdentity(database, undefined)
      if (!inDoubt) return
      if (await hasLost()) return recordRewind(deps, { cause: 'lost' })
      await saveIdentity(database)
      log.info({}, 'the database is another one than before, and nothing is missing')
    },
  }
}

const EVERY_MILLIS = 20_000
/** Several servers together record no more than a single one. */
const EVERY_SECONDS = 15

interface SlotDeps {
  database: Database
  chain: Chain
}

/**
 * Regularly records the chain's slot in the database, so that a backup shows from which slot on the chain knows more.
 */
export function slotJob({ database, chain }: SlotDeps): Job {
  return {
    name: 'slots of the chain',
    everyMillis: EVERY_MILLIS,
    failure: 'how far the chain is could not be noted; trying again',
    run: async () => {
      // The highest slot comes with other answers, and is requested only if there were none.
      if (!chain.isUp()) return
      const [genesisHash, slot] = await Promise.all([chain.genesisHash(), chain.highestSlot()])
      await insertSeenSlot(database, { genesisHash, slot, seconds: EVERY_SECONDS })
    },
  }
}
