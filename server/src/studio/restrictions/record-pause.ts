import { type Pause } from '@juicebar/contract/schemas'

import { type Database } from '../../database/connect.ts'
import { inTransaction } from '../../database/transact.ts'
import { deletePause, emitPause, lockRestrictions, savePause } from '../../restrictions/restriction-change-store.ts'
import { findChangedPause, findPause } from '../../restrictions/restriction-store.ts'
import { insertLogEntry } from '../studio-log-store.ts'

/** The name of the whole market in the log. */
const MARKET = 'market'

/** The pause of the market, for the studio; null while it is open. */
export async function readPause(database: Database): Promise<Pause | null> {
  const pause = await findPause(database)
  return pause ? { ...pause, since: pause.since.toISOString() } : null
}

/** Pauses the market, or changes the message. When this returns, no listing or hold that was allowed before is still in progress. */
export async function recordPause(database: Database, { message, actor }: { message: string; actor: string }): Promise<Pause> {
  return inTransaction(database, async (tx) => {
    await lockRestrictions(tx)
    const pause = await savePause(tx, { message, actor })
    await insertLogEntry(tx, { actor, call: 'pauseMarket', subject: MARKET, reason: message })
    await emitPause(tx, pause)
    return { ...pause, since: pause.since.toISOString() }
  })
}

/** Ends the studio's pause. @returns the pause that remains while a recovery is needed; null if the market is open again */
export async function recordResumption(
  database: Database,
  { reason, actor }: { reason?: string | undefined; actor: string },
): Promise<Pause | null> {
  return inTransaction(database, async (tx) => {
    await lockRestrictions(tx)
    await deletePause(tx)
    await insertLogEntry(tx, { actor, call: 'resumeMarket', subject: MARKET, reason: reason ?? null })
    const left = await findChangedPause(tx)
    await emitPause(tx, left)
    return left && { ...left, since: left.since.toISOString() }
  })
}
