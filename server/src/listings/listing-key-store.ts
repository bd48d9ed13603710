import { type WalletAddress } from '@juicebar/contract/addresses'
import { type Listing } from '@juicebar/contract/schemas'
import { sql } from 'kysely'

import { type Database } from '../database/connect.ts'
import { type Tx } from '../database/transact.ts'
import { listingReply } from './listing-store.ts'

/** A listing and the offer that it was created with. */
export interface KeyedListing {
  listing: Listing
  /** What was listed, regardless of what has been sold since. */
  listedAmount: bigint
  listedLamports: bigint
}

/** The listing that a seller has created with an idempotency key. */
export async function findKeyedListing(
  database: Database,
  seller: WalletAddress,
  idempotencyKey: string,
): Promise<KeyedListing | undefined> {
  return database
    .selectFrom('listingKeys as k')
    .innerJoin('listings as l', 'l.id', 'k.listingId')
    .select([
      listingReply.as('listing'),
      sql<bigint>`coalesce(l.whole_amount, l.amount)`.as('listedAmount'),
      sql<bigint>`coalesce(l.whole_lamports, l.price_lamports)`.as('listedLamports'),
    ])
    .where('k.seller', '=', seller)
    .where('k.idempotencyKey', '=', idempotencyKey)
    .executeTakeFirst()
}

export async function insertListingKey(tx: Tx, key: { seller: WalletAddress; idempotencyKey: string; listingId: string }): Promise<void> {
  await tx.insertInto('listingKeys').values(key).execute()
}

/** Deletes the keys that are more than a day old. */
export async function deleteOldKeys(database: Database): Promise<void> {
  await database
    .deleteFrom('listingKeys')
    .where('createdAt', '<', sql<Date>`now() - interval '1 day'`)
    .execute()
}
