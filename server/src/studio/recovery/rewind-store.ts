import { sql } from 'kysely'
import { type Database } from '../../database/connect.ts'
import { type Tx } from '../../database/transact.ts'

/** Slots recorded within this time before a rewind was found may be from after it. */
const DOUBT_SECONDS = 10

/** Records the chain's slot, unless that was done within `seconds`, and deletes old records. */
export async function insertSeenSlot(
  database: Database,
  { genesisHash, slot, seconds }: { genesisHash: string; slot: bigint; seconds: number },
): Promise<void> {
  await sql`
    insert into chain_slots (genesis_hash, slot)
    select ${genesisHash}, ${slot} where not is_in_doubt()
      and not exists (select from chain_slots where seen_at > now() - make_interval(secs => ${seconds}))
    on conflict do nothing`.execute(database)
  await sql`delete from chain_slots where seen_at < now() - interval '2 days'`.execute(database)
}

/** The chain's slot when it was last recorded before a time. */
export async function findSeenSlot(database: Database, before: Date): Promise<{ genesisHash: string; slot: bigint } | undefined> {
  return database
    .selectFrom('chainSlots')
    .select(['genesisHash', 'slot'])
    .where('seenAt', '<', sql<Date>`${before}::timestamptz - make_interval(secs => ${DOUBT_SECONDS})`)
    .orderBy('seenAt', 'desc')
    .limit(1)
    .executeTakeFirst()
}

export type RewindCause = 'restored' | 'lost' | 'asked'

/** The identity of the database and its files, as far as it can be determined. */
export interface Identity {
  /** It is not the one that a server last found complete. */
  inDoubt: boolean
  /** No server has ever checked. */
  isNew: boolean
  /** The files are different from before. */
  filesChanged: boolean
}

/** @param files tells a built-in database from a copy of it; undefined for others */
export async function readIdentity(database: Database, files: string | undefined): Promise<Identity> {
  const { rows } = await sql<Identity>`
    select is_in_doubt() as in_doubt, not exists (select from database_identity) as is_new,
      exists (select from database_identity where files <> ${files ?? null}) as files_changed
  `.execute(database)
  return rows[0] ?? { inDoubt: false, isNew: false, filesChanged: false }
}

/** Records that this database is complete. Does nothing on a standby, which has no identity. */
export async function saveIdentity(database: Database | Tx, files?: string): Promise<void> {
  await sql`
    insert into database_identity as i (identity, files) select current, ${files ?? null} from current_identity() current where current is not null
    on conflict (only_row) do update set identity = excluded.identity, files = coalesce(excluded.files, i.files)
  `.execute(database)
}

/**
 * Records that the database went back, unless that is known.
 * @param lostAt when the latest missing event was written: a rewind that was found later accounts for it
 * @returns whether it is new
 */
export async function insertRewind(tx: Tx, cause: RewindCause, lostAt: bigint | undefined): Promise<boolean> {
  const { numAffectedRows } = await sql`
    insert into rewinds (cause)
    select ${cause} where not exists (select from rewinds where extract(epoch from found_at) * 1000000 > ${lostAt ?? null}::bigint)
    on conflict ((true)) where ended_at is null do nothing
  `.execute(tx)
  return numAffectedRows === 1n
}

export interface OpenRewind {
  id: string
  foundAt: Date
}

export async function findOpenRewind(database: Database | Tx): Promise<OpenRewind | undefined> {
  return database.selectFrom('rewinds').select(['id', 'foundAt']).where('endedAt', 'is', null).executeTakeFirst()
}

/** @returns whether it was open */
export async function endRewind(tx: Tx, id: string, by: string): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('rewinds')
    .set({ endedAt: sql<Date>`now()`, endedBy: by })
    .where('id', '=', id)
    .where('endedAt', 'is', null)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/** The height above which nothing signed before the first recovery of a rewind can land any more, as recorded by the first caller. */
export async function agreeOnExpiry(tx: Tx, id: string, expiryHeight: bigint): Promise<bigint> {
  const row = await tx
    .updateTable('rewinds')
    .set({ expiryHeight: sql<bigint>`coalesce(expiry_height, ${expiryHeight})` })
    .where('id', '=', id)
    .returning('expiryHeight')
    .executeTakeFirst()
  return row?.expiryHeight ?? expiryHeight
}
