import { sql } from 'kysely'

import { type Database } from '../../../database/connect.ts'

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
