import { type Signature, type WalletAddress } from '@juicebar/contract/addresses'
import { type Selectable, sql } from 'kysely'
import { type Database } from '../../database/connect.ts'
import { type CoSignerHistories } from '../../database/schema.ts'
import { type HistoryWalk } from './history-walk.ts'

/** The history of one key, leased by this server. */
export interface LeasedHistory extends Pick<Selectable<CoSignerHistories>, 'genesisHash' | 'doneSlot' | 'topSlot' | 'dueAt'> {
  coSigner: WalletAddress
  decidedTo: Signature | null
}

/**
 * Leases the histories that are due, so that no other server reads them within `seconds`. None while the database may be an earlier state of
 * itself: a recovery reads them then.
 */
export async function leaseHistories(
  database: Database,
  coSigners: readonly WalletAddress[],
  genesisHash: string,
  seconds: number,
): Promise<LeasedHistory[]> {
  await sql`
    insert into co_signer_histories (co_signer, genesis_hash) select unnest(${coSigners}::text[]), ${genesisHash} on conflict do nothing
  `.execute(database)
  const { rows } = await sql<LeasedHistory>`
    update co_signer_histories set due_at = date_trunc('milliseconds', now()) + make_interval(secs => ${seconds})
    where genesis_hash = ${genesisHash} and co_signer = any(${coSigners}::text[]) and due_at <= now()
      and not is_in_doubt() and not exists (select from rewinds where ended_at is null)
    returning co_signer, genesis_hash, done_slot, top_slot, decided_to, due_at`.execute(database)
  return rows
}

/** Saves how far a history is decided. @returns false if the lease is lost: then nothing is saved */
export async function saveHistory(
  database: Database,
  { coSigner, genesisHash, dueAt }: LeasedHistory,
  { doneSlot, topSlot, decidedTo }: HistoryWalk,
): Promise<boolean> {
  const { numUpdatedRows } = await database
    .updateTable('coSignerHistories')
    .set({ doneSlot, topSlot, decidedTo })
    .where('coSigner', '=', coSigner)
    .where('genesisHash', '=', genesisHash)
    .where('dueAt', '=', dueAt)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/** The earliest slot in which a co-signed payment that the database knows can have landed. */
export async function findFirstSlot(database: Database, genesisHash: string): Promise<bigint | undefined> {
  const row = await database
    .selectFrom('purchases')
    .select(sql<bigint | null>`min(held_at_slot)`.as('slot'))
    .where('coSigned', '=', true)
    .where('genesisHash', '=', genesisHash)
    .executeTakeFirst()
  return row?.slot ?? undefined
}

/**
 * Which of these transactions have settled a purchase, pay one back, or have a case. What was only reserved is not known: another payment
 * may settle its purchase first.
 */
export async function findKnown(database: Database, signatures: readonly Signature[]): Promise<Set<Signature>> {
  const { rows } = await sql<{ signature: Signature }>`
    select signature from payments
      where signature = any(${signatures}::text[]) and (status = 'settled' or kind = 'refund' and status = 'recorded')
    union select signature from cases where signature = any(${signatures}::text[])`.execute(database)
  return new Set(rows.map(({ signature }) => signature))
}
