import { MAX_KEYS } from '@juicebar/contract/limits'
import { type Scope } from '@juicebar/contract/scopes'
import { sql } from 'kysely'
import { batchedStatement, type Tx } from '../../database/transact.ts'
import { type Database } from '../../database/connect.ts'
import { now } from '../../database/columns.ts'
import { type StudioKey } from '../../http/credentials.ts'
import { type KeyRow, type KeyWish, type KnownKey } from './studio-key.ts'

const NAMESPACE = `coalesce(k.namespace, case when k.daily_credit_limit is null then '' else k.id::text end)`

const BY_HASH = `
  select asked.n::integer as n, k.id, k.name, k.secret_hash, k.scopes, ${NAMESPACE} as namespace, k.daily_credit_limit, k.expires_at,
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
  { wish, hash, maker, namespace }: { wish: KeyWish; hash: Buffer; maker: StudioKey; namespace: string | null },
): Promise<InsertedKey> {
  const { rows } = await sql<{ inUse: number; isExpired: boolean }>`
    select count(*)::integer as in_use, coalesce(${wish.expiresAt}::timestamptz <= now(), false) as is_expired
    from studio_keys where revoked_at is null and coalesce(expires_at > now(), true)`.execute(tx)
  if (rows[0]?.isExpired) return 'expired'
  if ((rows[0]?.inUse ?? 0) >= MAX_KEYS) return 'too many'
  const { name, scopes, expiresAt } = wish
  const dailyCreditLimit = wish.dailyCreditLimit === null ? null : BigInt(wish.dailyCreditLimit)
  const makerId = maker.kind === 'key' ? maker.id : null
  return tx
    .insertInto('studioKeys')
    .values({ name, secretHash: hash, scopes: [...scopes], dailyCreditLimit, expiresAt, createdBy: maker.name, makerId, namespace })
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

/** A key and those above it: the one that made it, the one that made that one, and so on. */
const lineOf = (keyId: string) => sql`line as (
  select id, maker_id, daily_credit_limit, 0 as height from studio_keys where id = ${keyId}
  union all
  select k.id, k.maker_id, k.daily_credit_limit, line.height + 1 from line join studio_keys k on k.id = line.maker_id
)`

/** The ids of a key and of those above it, from the lowest up; none if there is no such key. */
export async function readLine(tx: Tx, keyId: string): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`with recursive ${lineOf(keyId)} select id from line order by height`.execute(tx)
  return rows.map(({ id }) => id)
}

/** Where the idempotency keys of a key are known. */
export async function readNamespace(tx: Tx, keyId: string): Promise<string> {
  const { rows } = await sql<{
    namespace: string
  }>`select ${sql.raw(NAMESPACE)} as namespace from studio_keys k where k.id = ${keyId}`.execute(tx)
  if (!rows[0]) throw new Error('a key is missing')
  return rows[0].namespace
}

/**
 * Tokens that a key with a daily limit may still credit today: the least that it or one above it has left. No other transaction can credit
 * with any of them until this one ends. The highest is locked first, so that keys of one family never wait for each other in a circle.
 */
export async function lockAllowance(tx: Tx, keyId: string): Promise<bigint | undefined> {
  const { rows } = await sql<{ left: bigint }>`
    with recursive ${lineOf(keyId)}, days as (
      insert into studio_key_days (key_id, day, credited)
      select id, ${today}, 0 from line where daily_credit_limit is not null order by height desc
      on conflict (key_id, day) do update set credited = studio_key_days.credited
      returning key_id, credited
    )
    select min(line.daily_credit_limit - days.credited) as left from days join line on line.id = days.key_id`.execute(tx)
  return rows[0]?.left
}

/** Counts what a key credits in this transaction, for it and for those above it. Under `lockAllowance`. */
export async function addCreditedToday(tx: Tx, keyId: string, amount: number): Promise<void> {
  await sql`
    with recursive ${lineOf(keyId)}
    update studio_key_days d set credited = d.credited + ${amount} from line where d.key_id = line.id and d.day = ${today}`.execute(tx)
}
