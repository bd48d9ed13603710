import { type BaseLogger } from 'pino'

import { type Catalogue } from '../../catalogue/catalogue.ts'
import { type Database } from '../../database/connect.ts'
import { type FailureLog } from '../../logging/failure-log.ts'
import { type Poster } from '../../outgoing/post-message.ts'
import { createPushKeys } from './create-push-keys.ts'
import { pushMessage } from './push-message.ts'
import { pushRequest } from './push-request.ts'
import { deleteGone, deletePush, type LeasedPush } from './push-store.ts'
import { afterPush } from './push-outcome.ts'

export interface PushDeps {
  database: Database
  catalogue: Pick<Catalogue, 'item'>
  poster: Poster
  /** The contact for push services, as a URL. */
  contact: string
  log: Pick<BaseLogger, 'warn'>
  failures: FailureLog
}

/**
 * Sends a leased push to its browser's push service. A failed push is retried according to its lease. A push that was accepted but could
 * not be recorded is sent again with the same tag, so that it is shown once.
 * @param signal aborts it
 */
export async function sendPush(
  { database, catalogue, poster, contact, log }: PushDeps,
  push: LeasedPush,
  signal: AbortSignal,
): Promise<void> {
  const message = pushMessage(push, catalogue)
  if (!message) return deletePush(database, push)
  const keys = await createPushKeys(database)
  const outcome = await poster.post(pushRequest(push, { message, seconds: push.secondsLeft }, { keys, contact }), signal)
  if (!outcome) return
  const next = afterPush(outcome)
  // Its path is the browser's secret.
  const fields = { pushService: new URL(push.endpoint).host, status: outcome.status, reason: outcome.error }
  if (next === 'gone') await deleteGone(database, push)
  else if (next !== 'retry') await deletePush(database, push)
  if (next === 'refused') log.warn(fields, 'a push service refuses a push; it is not sent again')
  if (next === 'retry') log.warn(fields, 'a push service does not take a push; trying again')
}
