import { sql } from 'kysely'

import { type Database } from '../../database/connect.ts'
import { type QueuedPush } from './push-message.ts'
import { type Subscription } from './push-subscription.ts'

/** A push for this server to send now. */
export interface LeasedPush extends QueuedPush, Subscription {
  sessionId: string
  /** Until it is outdated. */
  secondsLeft: number
}

const leasedColumns = 'id, session_id, endpoint, p256dh, auth, kind, token_type, quantity, seconds_left'

/** Takes the oldest push of each of at most `limit` browsers. No other server sends to these until this one is done, or half a minute later. */
export async function leasePushes(database: Database, limit: number): Promise<LeasedPush[]> {
  return database.runStatement<LeasedPush>(`select ${leasedColumns} from lease_pushes($1)`, [limit])
}

/** Deletes a push that was accepted or never will be; the next one to the same browser may be sent at once. */
export async function deletePush(database: Database, { id, sessionId }: Pick<LeasedPush, 'id' | 'sessionId'>): Promise<void> {
  await sql`
    with deleted as (delete from pushes where id = ${id})
    update push_subscriptions set failed_attempts = 0, attempt_at = now() where session_id = ${sessionId}
  `.execute(database)
}

/** Deletes a subscription that its push service no longer knows, unless the browser has another by now. */
export async function deleteGone(database: Database, { sessionId, endpoint }: Pick<LeasedPush, 'sessionId' | 'endpoint'>): Promise<void> {
  await database.deleteFrom('pushSubscriptions').where('sessionId', '=', sessionId).where('endpoint', '=', endpoint).execute()
}

/** Deletes outdated pushes. */
export async function purgePushes(database: Database): Promise<void> {
  await sql`delete from pushes where created_at < now() - interval '1 hour'`.execute(database)
}
