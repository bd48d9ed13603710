import { Failure } from '@juicebar/contract/errors'
import { type BaseLogger } from 'pino'

import { type Database } from '../../database/connect.ts'
import { inTransaction } from '../../database/transact.ts'
import { isId } from '../../listings/listing.ts'
import { emitPause, lockRestrictions } from '../../restrictions/restriction-change-store.ts'
import { findChangedPause } from '../../restrictions/restriction-store.ts'
import { insertLogEntry } from '../studio-log-store.ts'
import { outcomeOf, type RecoveryRow } from './recovery.ts'
import { findLatestRecovery, findRecovery, findRunningRecovery, insertRecovery } from './recovery-store.ts'
import { recordRewind } from './rewind/record-rewind.ts'
import { endRewind, findOpenRewind } from './rewind/rewind-store.ts'

interface RecoveryRequest {
  /** The time of the backup; undefined for when the market was paused. */
  since: Date | undefined
  actor: string
}

type RequestDeps = { database: Database; log: Pick<BaseLogger, 'error'> }

/** Pauses the market, unless it is already paused for a recovery, and starts a recovery or returns the running one. */
export async function requestRecovery({ database, log }: RequestDeps, { since, actor }: RecoveryRequest): Promise<RecoveryRow> {
  for (;;) {
    await recordRewind({ database, log }, { cause: 'asked' })
    await inTransaction(database, async (tx) => {
      const rewind = await findOpenRewind(tx)
      const id = rewind && (await insertRecovery(tx, rewind.id, since))
      if (id !== undefined) await insertLogEntry(tx, { actor, call: 'startRecovery', subject: id, reason: since?.toISOString() ?? null })
    })
    // None is running if it finished just now: then the next turn starts one.
    const running = await findRunningRecovery(database)
    if (running) return running
  }
}

/** @throws RECOVERY_NOT_FOUND */
export async function requireRecovery(database: Database, id: string): Promise<RecoveryRow> {
  const recovery = isId(id) ? await findRecovery(database, id) : undefined
  if (!recovery) throw new Failure('RECOVERY_NOT_FOUND')
  return recovery
}

/**
 * The studio opens the market although the latest recovery could not check everything; its log says who did so and why.
 * @throws RECOVERY_NOT_FOUND or RECOVERY_NOT_ACCEPTABLE
 */
export async function acceptRecovery(
  database: Database,
  { id, reason, actor }: { id: string; reason: string; actor: string },
): Promise<RecoveryRow> {
  await inTransaction(database, async (tx) => {
    await lockRestrictions(tx)
    const recovery = isId(id) ? await findRecovery(tx, id) : undefined
    if (!recovery) throw new Failure('RECOVERY_NOT_FOUND')
    if ((await findLatestRecovery(tx))?.id !== recovery.id) throw notAcceptable('there is a later one.')
    if (outcomeOf(recovery) !== 'unchecked') throw notAcceptable(whyNot[outcomeOf(recovery) ?? 'running'])
    if (!(await endRewind(tx, recovery.rewindId, actor))) return
    await insertLogEntry(tx, { actor, call: 'acceptRecovery', subject: id, reason })
    await emitPause(tx, await findChangedPause(tx))
  })
  return requireRecovery(database, id)
}

const whyNot = {
  running: 'it is still running.',
  clean: 'it was clean, so the market is open.',
  cases: 'it has opened cases. Recover again, until it finds no more.',
  unchecked: '',
}

function notAcceptable(detail: string): Failure {
  return new Failure('RECOVERY_NOT_ACCEPTABLE', { detail })
}
