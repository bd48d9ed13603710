import { type WalletAddress } from '@juicebar/contract/addresses'
import { sql } from 'kysely'

import { type Database } from '../../database/connect.ts'
import { type Tx } from '../../database/transact.ts'
import { type Subscription } from './push-subscription.ts'

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
