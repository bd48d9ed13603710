import { type WalletAddress } from '@juicebar/contract/addresses'
import { NONCE_SECONDS, SESSION_SECONDS } from '@juicebar/contract/limits'
import { type User } from '@juicebar/contract/schemas'
import { sql } from 'kysely'
import { batchedStatement, withRetry } from '../database/transact.ts'
import { now } from '../database/columns.ts'
import { type Database } from '../database/connect.ts'

export interface IssuedNonce {
  nonce: string
  expiresAt: Date
  millisLeft: number
}

/** The wallet's open nonce, or `fresh` if it has none. One statement, so that concurrent callers get the same nonce. */
export async function issueNonce(database: Database, wallet: WalletAddress, fresh: string): Promise<IssuedNonce> {
  const { rows } = await sql<IssuedNonce>`
    insert into sign_in_nonces as known (wallet_address, nonce, expires_at)
    values (${wallet}, ${fresh}, now() + make_interval(secs => ${NONCE_SECONDS}))
    on conflict (wallet_address) do update set
      nonce = case when known.expires_at > now() then known.nonce else excluded.nonce end,
      expires_at = case when known.expires_at > now() then known.expires_at else excluded.expires_at end
    returning nonce, expires_at, ceil(extract(epoch from expires_at - now()) * 1000)::integer as millis_left`.execute(database)
  const [issued] = rows
  if (!issued) throw new Error('the database returned no nonce')
  return issued
}

export interface OpenSignIn {
  nonce: string
  /** Whether the wallet has signed in before. */
  known: boolean
}

/** The wallet's open nonce; undefined if it requested none or the nonce has expired. */
export async function findSignIn(database: Database, wallet: WalletAddress): Promise<OpenSignIn | undefined> {
  const { rows } = await sql<OpenSignIn>`
    select n.nonce, p.wallet_address is not null as known
    from sign_in_nonces n left join players p on p.wallet_address = n.wallet_address
    where n.wallet_address = ${wallet} and n.expires_at > now()`.execute(database)
  return rows[0]
}

export interface OpenedSession {
  expiresAt: Date
  playerSince: Date
}

/**
 * Uses up a nonce, creates the player if the wallet is new, and opens a session, all in one statement. Of any number of
 * concurrent callers exactly one gets the session; the others get undefined.
 */
export async function openSession(
  database: Database,
  id: string,
  wallet: WalletAddress,
  nonce: string,
): Promise<OpenedSession | undefined> {
  const opening = sql<OpenedSession>`
    with used as (
      delete from sign_in_nonces where wallet_address = ${wallet} and nonce = ${nonce} and expires_at > now()
      returning wallet_address
    ), newcomer as (
      insert into players (wallet_address) select wallet_address from used on conflict do nothing
      returning created_at
    ), session as (
      insert into sessions (id, wallet_address, expires_at)
      select ${id}, wallet_address, now() + make_interval(secs => ${SESSION_SECONDS}) from used
      returning expires_at, created_at
    )
    select s.expires_at, coalesce(n.created_at, p.created_at, s.created_at) as player_since
    from session s left join newcomer n on true left join players p on p.wallet_address = ${wallet}`
  const { rows } = await withRetry(() => opening.execute(database))
  return rows[0]
}

export async function findPlayer(database: Database, wallet: WalletAddress): Promise<User | undefined> {
  const row = await database
    .selectFrom('players')
    .select(['walletAddress', 'createdAt'])
    .where('walletAddress', '=', wallet)
    .executeTakeFirst()
  return row && { walletAddress: row.walletAddress, createdAt: row.createdAt.toISOString() }
}

const ALIVE = `
  select asked.n::integer as n from unnest($1::uuid[], $2::text[]) with ordinality as asked(id, wallet, n)
  where exists (
    select from sessions s
    where s.id = asked.id and s.wallet_address = asked.wallet and s.revoked_at is null and s.expires_at > now()
  )`
const readAlive = batchedStatement(ALIVE, ({ id, wallet }: { id: string; wallet: WalletAddress }) => [id, wallet])

/** Whether the wallet's session is alive. Every player's call asks this, so calls at the same time share a statement. */
export async function isSessionAlive(database: Database, id: string, wallet: WalletAddress): Promise<boolean> {
  return (await readAlive(database, { id, wallet })).length > 0
}

/** Those of the given sessions that are alive: neither signed out nor expired. */
export async function findLiveSessions(database: Database, ids: string[]): Promise<ReadonlySet<string>> {
  const rows = await database
    .selectFrom('sessions')
    .select('id')
    .where('id', '=', sql<string>`any(${ids}::uuid[])`)
    .where('revokedAt', 'is', null)
    .where('expiresAt', '>', now)
    .execute()
  return new Set(rows.map((row) => row.id))
}

/** Signs a session out. Its event streams end within two seconds. */
export async function revokeSession(database: Database, id: string): Promise<void> {
  await database.updateTable('sessions').set({ revokedAt: now }).where('id', '=', id).where('revokedAt', 'is', null).execute()
}

/** Signs a wallet out everywhere. The event streams of its sessions end within two seconds. */
export async function revokeSessions(database: Database, wallet: WalletAddress): Promise<void> {
  await database
    .updateTable('sessions')
    .set({ revokedAt: now })
    .where('walletAddress', '=', wallet)
    .where('revokedAt', 'is', null)
    .execute()
}

/** Deletes expired nonces and sessions. */
export async function deleteExpired(database: Database): Promise<void> {
  await database.deleteFrom('signInNonces').where('expiresAt', '<', now).execute()
  await database.deleteFrom('sessions').where('expiresAt', '<', now).execute()
}
