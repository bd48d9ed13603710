import { MAX_KEYS } from '@juicebar/contract/limits'
import { type Scope } from '@juicebar/contract/scopes'
import { sql } from 'kysely'
import { batchedStatement, type Tx } from '../../database/transact.ts'
import { type Database } from '../../database/connect.ts'
import { now } from '../../database/columns.ts'
import { type KeyRow, type KeyWish, type KnownKey } from './studio-key.ts'

const BY_HASH = `
  select asked.n::integer as n, k.id, k.name, k.secret_hash, k.scopes, k.daily_credit_limit, k.expires_at,
    k.revoked_at is not null as is_revoked, coalesce(k.expires_at <= now(), false) as is_expired,
    coalesce(k.last_used_at > now() - interval '1 minute', false) as is_use_recorded
  from unnest($1::bytea[]) with ordinality as asked(hash, n) join studio_keys k on k.secret_hash = asked.hash`
const readByHash = batchedStatement<{ hash: Buffer }, KnownKey>(BY_HASH, ({ hash }) => [hash])

/** The key whose secret has this hash. Every call of the studio asks this, so calls at the same time share a statement. */
export async function findKeyByHash(database: Database, hash: Buffer): Promise<KnownKey | undefined> {
  return (await readByHash(database, { hash }))[0]
}

/** Records that a key was used, unless that was recorded within this minute. */
export async function touchKey(database: Database, id: string): Promise<void> {
  await database
    .updateTable('studioKeys')
    .set({ lastUsedAt: now })
    .where('id', '=', id)
    .where(sql<boolean>`coalesce(last_used_at < now() - interval '1 minute', true)`)
    .execute()
}

export type InsertedKey = { id: string } | 'expired' | 'too many'

/** Adds a key, unless it has expired already or there are too many. */
export async function insertKey(
  tx: Tx,
  { wish, hash, createdBy }: { wish: KeyWish; hash: Buffer; createdBy: string },
): Promise<InsertedKey> {
  const { rows } = await sql<{ inUse: number; isExpired: boolean }>`
    select count(*)::integer as in_use, coalesce(${wish.expiresAt}::timestamptz <= now(), false) as is_expired
    from studio_keys where revoked_at is null and coalesce(expires_at > now(), true)`.execute(tx)
  if (rows[0]?.isExpired) return 'expired'
  if ((rows[0]?.inUse ?? 0) >= MAX_KEYS) return 'too many'
  const { name, scopes, expiresAt } = wish
  const dailyCreditLimit = wish.dailyCreditLimit === null ? null : BigInt(wish.dailyCreditLimit)
  return tx
    .insertInto('studioKeys')
    .values({ name, secretHash: hash, scopes: [...scopes], dailyCreditLimit, expiresAt, createdBy })
    .returning('id')
    .executeTakeFirstOrThrow()
}

/** @returns whether the key was not revoked before */
export async function revokeKey(tx: Tx, id: string): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('studioKeys')
    .set({ revokedAt: now })
    .where('id', '=', id)
    .where('revokedAt', 'is', null)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

export async function findKey(database: Database | Tx, id: string): Promise<KeyRow | undefined> {
  return selectKeys(database).where('k.id', '=', id).executeTakeFirst()
}

/** The newest keys, those older than `before` if it is given. */
export async function listKeys(database: Database, { before, limit }: { before: string | undefined; limit: number }): Promise<KeyRow[]> {
  return selectKeys(database)
    .$if(before !== undefined, (query) => query.where('k.id', '<', before as string))
    .orderBy('k.id', 'desc')
    .limit(limit)
    .execute()
}

function selectKeys(database: Database | Tx) {
  return database
    .selectFrom('studioKeys as k')
    .leftJoin('studioKeyDays as d', (join) => join.onRef('d.keyId', '=', 'k.id').on('d.day', '=', today))
    .select(['k.id', 'k.name', 'k.dailyCreditLimit', 'k.expiresAt', 'k.revokedAt', 'k.lastUsedAt', 'k.createdAt', 'k.createdBy'])
    .select([sql<Scope[]>`k.scopes`.as('scopes'), sql<bigint>`coalesce(d.credited, 0)`.as('creditedToday')])
}

/** The day of the transaction, in UTC. */
const today = sql<Date>`(now() at time zone 'utc')::date`

/** Tokens that a key has credited today. No other transaction can credit with it until this one ends. */
export async function lockCreditedToday(tx: Tx, keyId: string): Promise<bigint> {
  const { credited } = await tx
    .insertInto('studioKeyDays')
    .values({ keyId, day: today, credited: 0n })
    .onConflict((on) => on.columns(['keyId', 'day']).doUpdateSet({ credited: sql<bigint>`studio_key_days.credited` }))
    .returning('credited')
    .executeTakeFirstOrThrow()
  return credited
}

/** Counts what a key credits in this transaction. */
export async function addCreditedToday(tx: Tx, keyId: string, amount: number): Promise<void> {
  await tx
    .updateTable('studioKeyDays')
    .set({ credited: sql<bigint>`credited + ${amount}` })
    .where('keyId', '=', keyId)
    .where('day', '=', today)
    .execute()
}
