import { sql } from 'kysely'
import { type WalletAddress } from '@juicebar/contract/addresses'
import { type Database } from '../database/connect.ts'
import { type PushKeys, type QueuedPush, type Subscription } from './push.ts'
import { type Tx } from '../database/transact.ts'

export async function findPushKeys(database: Database): Promise<PushKeys | undefined> {
  return database.selectFrom('pushKeys').select(['publicKey', 'privateKey']).executeTakeFirst()
}

/** Stores these keys, unless others are already stored. */
export async function insertPushKeys(database: Database, keys: PushKeys): Promise<void> {
  await database
    .insertInto('pushKeys')
    .values(keys)
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}

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

/** Deletes a push that never will be accepted. The next one to the same browser waits like one after a failure. */
export async function dropPush(database: Database, { id }: Pick<LeasedPush, 'id'>): Promise<void> {
  await database.deleteFrom('pushes').where('id', '=', id).execute()
}

/** Deletes a push that was accepted, or says nothing any more; the next one to the same browser may be sent at once. */
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

/** Whose browser it is. */
export interface Subscriber {
  /** The session. */
  id: string
  player: WalletAddress
}

/**
 * Locks a session until the transaction ends, so that it cannot be signed out, and its player, so that no other call changes how many browsers
 * that player has. @returns false if the session has ended
 */
export async function lockSession(tx: Tx, { id, player }: Subscriber): Promise<boolean> {
  await sql`select from players where wallet_address = ${player} for no key update`.execute(tx)
  const { rows } = await sql`
    select from sessions where id = ${id} and wallet_address = ${player} and revoked_at is null and expires_at > now() for no key update
  `.execute(tx)
  return rows.length > 0
}

/** Waits for any transaction that is recording the same browser. */
export async function lockEndpoint(tx: Tx, endpoint: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${endpoint}, 29))`.execute(tx)
}

/** Makes a session's subscription this one, and takes the browser from whichever session had it. */
export async function replaceSubscription(tx: Tx, { id, player }: Subscriber, { endpoint, p256dh, auth }: Subscription): Promise<void> {
  await sql`delete from push_subscriptions where (session_id = ${id}) <> (endpoint = ${endpoint})`.execute(tx)
  await sql`
    insert into push_subscriptions (session_id, wallet_address, endpoint, p256dh, auth) values (${id}, ${player}, ${endpoint}, ${p256dh}, ${auth})
    on conflict (session_id) do update set p256dh = excluded.p256dh, auth = excluded.auth
  `.execute(tx)
}

/** Deletes a wallet's oldest subscriptions beyond this number. */
export async function deleteSurplus(tx: Tx, wallet: WalletAddress, most: number): Promise<void> {
  await sql`
    delete from push_subscriptions where session_id in (
      select session_id from push_subscriptions where wallet_address = ${wallet} order by created_at desc, session_id desc offset ${most}
    )`.execute(tx)
}

/** Where the pushes of a session go. */
export async function findEndpoint(database: Database, sessionId: string): Promise<string | undefined> {
  const row = await database.selectFrom('pushSubscriptions').select('endpoint').where('sessionId', '=', sessionId).executeTakeFirst()
  return row?.endpoint
}

export async function deleteSubscription(database: Database, sessionId: string): Promise<void> {
  await database.deleteFrom('pushSubscriptions').where('sessionId', '=', sessionId).execute()
}
