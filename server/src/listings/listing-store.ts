import { type WalletAddress } from '@juicebar/contract/addresses'
import { type MarketEventType } from '@juicebar/contract/events'
import { type Listing, type ListingStatus } from '@juicebar/contract/schemas'
import { type Selectable, sql } from 'kysely'

import { type Database } from '../database/connect.ts'
import { type Listings } from '../database/schema.ts'
import { type Tx } from '../database/transact.ts'
import { type ListingDraft } from './listing.ts'

/** `my-listings` has no pages: a seller with more listings sees the newest of them. */
const MAX_OWN_LISTINGS = 500

const listingColumns = ['id', 'seller', 'tokenType', 'amount', 'status', 'heldBy'] as const satisfies (keyof Listings)[]

export type ListingRow = Pick<Selectable<Listings>, (typeof listingColumns)[number]>

/**
 * The listing `l` as replies carry it: `render_listing` writes it on every change of the row. Closed listings change no more, so they are
 * rendered here, with the fields that were added since.
 */
export const listingReply = sql<Listing>`(case when l.status = 'active' then l.reply_json else render_listing(l) end)::json`

/** @returns the new listing's id */
export async function insertListing(tx: Tx, seller: WalletAddress, draft: ListingDraft): Promise<string> {
  const { tokenType, amount, priceLamports, divisible } = draft
  const row = await tx
    .insertInto('listings')
    .values({ seller, tokenType, amount: BigInt(amount), priceLamports, divisible })
    .returning('id')
    .executeTakeFirstOrThrow()
  return row.id
}

/** A listing as a reply carries it. */
export async function findListing(database: Database | Tx, id: string): Promise<Listing | undefined> {
  const row = await database.selectFrom('listings as l').select(listingReply.as('listing')).where('l.id', '=', id).executeTakeFirst()
  return row?.listing
}

/** Locks the listing until the transaction ends. */
export async function lockListing(tx: Tx, id: string): Promise<ListingRow | undefined> {
  return tx.selectFrom('listings').select(listingColumns).where('id', '=', id).forUpdate().executeTakeFirst()
}

/** A seller's own listings, newest first. */
export async function listOwnListings(database: Database, seller: WalletAddress, status: ListingStatus | 'all'): Promise<Listing[]> {
  const rows = await database
    .selectFrom('listings as l')
    .select(listingReply.as('listing'))
    .where('l.seller', '=', seller)
    .$if(status !== 'all', (query) => query.where('l.status', '=', status as ListingStatus))
    .orderBy('l.id', 'desc')
    .limit(MAX_OWN_LISTINGS)
    .execute()
  return rows.map((row) => row.listing)
}

/** Marks the listing as removed. Its tokens stay in escrow until a `return` transfer is posted. */
export async function markRemoved(tx: Tx, id: string): Promise<void> {
  await tx
    .updateTable('listings')
    .set({ status: 'removed', closedAt: sql`now()` })
    .where('id', '=', id)
    .execute()
}

/** Marks a held listing as one whose hold only the studio can end. The mark goes with the hold. */
export async function markWaitingForStudio(tx: Tx, id: string, { waitsForStudio }: { waitsForStudio: boolean }): Promise<void> {
  await tx.updateTable('listings').set({ waitsForStudio }).where('id', '=', id).execute()
}

/** When the transaction commits, tells every event stream about the listing as it is now. */
export async function emitListing(tx: Tx, type: MarketEventType, id: string): Promise<void> {
  await sql`select emit_listing(${type}, l) from listings l where l.id = ${id}`.execute(tx)
}
