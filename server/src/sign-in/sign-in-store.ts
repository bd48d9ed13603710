import { type WalletAddress } from '@juicebar/contract/addresses'
import { NONCE_SECONDS, SESSION_SECONDS } from '@juicebar/contract/limits'
import { type User } from '@juicebar/contract/schemas'
import { sql } from 'kysely'

import { type Database } from '../database/connect.ts'
import { type Tx } from '../database/transact.ts'

export interface IssuedNonce {
  nonce: string
  expiresAt: Date
  millisLeft: number
}

/** The wallet's open nonce, or `fresh` where it has none or an expired one, in one statement: two callers get the same. */
export async function issueNonce(database: Database, wallet: WalletAddress, fresh: string): Promise<IssuedNonce> {
  const { rows } = await sql<IssuedNonce>`
    insert into sign_in_nonces as known (wallet_address, nonce, expires_at)
    values (${wallet}, ${fresh}, now() + make_interval(secs => ${NONCE_SECONDS}))
    on conflict (wallet_address) do update set
      nonce = case when known.expires_at > now() then known.nonce else excluded.nonce end,
      expires_at = case when known.expires_at > now() then known.expires_at else excluded.expires_at end
    returning nonce, expires_at, ceil(extract(epoch from expires_at - now()) * 1000)::integer as millis_left`.execute(database)
  const [issued] = rows
  if (!issued) throw new Error('no nonce came back')
  return issued
}

/** The nonce that a wallet may sign now. */
export async function findNonce(database: Database, wallet: WalletAddress): Promise<string | undefined> {
  const row = await database
    .selectFrom('signInNonces')
    .select('nonce')
    .where('walletAddress', '=', wallet)
    .where('expiresAt', '>', sql<Date>`now()`)
    .executeTakeFirst()
  return row?.nonce
}

/** Uses a nonce up. Of any number of callers at once exactly one is told true. */
export async function consumeNonce(tx: Tx, wallet: WalletAddress, nonce: string): Promise<boolean> {
  const { numDeletedRows } = await tx
    .deleteFrom('signInNonces')
    .where('walletAddress', '=', wallet)
    .where('nonce', '=', nonce)
    .where('expiresAt', '>', sql<Date>`now()`)
    .executeTakeFirst()
  return numDeletedRows === 1n
}

export async function findPlayer(database: Database, wallet: WalletAddress): Promise<User | undefined> {
  const row = await database.selectFrom('players').selectAll().where('walletAddress', '=', wallet).executeTakeFirst()
  return row && { walletAddress: row.walletAddress, createdAt: row.createdAt.toISOString() }
}

export async function addPlayer(tx: Tx, wallet: WalletAddress): Promise<void> {
  await tx
    .insertInto('players')
    .values({ walletAddress: wallet })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}

/** Opens a session and gives its end, by the database's clock. */
export async function addSession(tx: Tx, id: string, wallet: WalletAddress): Promise<Date> {
  const row = await tx
    .insertInto('sessions')
    .values({ id, walletAddress: wallet, expiresAt: sql<Date>`now() + make_interval(secs => ${SESSION_SECONDS})` })
    .returning('expiresAt')
    .executeTakeFirstOrThrow()
  return row.expiresAt
}

/** Whether this session of this wallet was neither ended nor expired. */
export async function isSessionAlive(database: Database, id: string, wallet: WalletAddress): Promise<boolean> {
  const row = await database
    .selectFrom('sessions')
    .select('id')
    .where('id', '=', id)
    .where('walletAddress', '=', wallet)
    .where('revokedAt', 'is', null)
    .where('expiresAt', '>', sql<Date>`now()`)
    .executeTakeFirst()
  return row !== undefined
}

/** Of some sessions, those that were neither ended nor expired. */
export async function findLiveSessions(database: Database, ids: string[]): Promise<ReadonlySet<string>> {
  const rows = await database
    .selectFrom('sessions')
    .select('id')
    .where('id', '=', sql<string>`any(${ids}::uuid[])`)
    .where('revokedAt', 'is', null)
    .where('expiresAt', '>', sql<Date>`now()`)
    .execute()
  return new Set(rows.map((row) => row.id))
}

export async function revokeSession(database: Database, id: string): Promise<void> {
  await database
    .updateTable('sessions')
    .set({ revokedAt: sql<Date>`now()` })
    .where('id', '=', id)
    .where('revokedAt', 'is', null)
    .execute()
}

/** Forgets nonces and sessions that nobody can use any more. */
export async function deleteExpired(database: Database): Promise<void> {
  await database
    .deleteFrom('signInNonces')
    .where('expiresAt', '<', sql<Date>`now()`)
    .execute()
  await database
    .deleteFrom('sessions')
    .where('expiresAt', '<', sql<Date>`now()`)
    .execute()
}
