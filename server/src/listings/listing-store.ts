import { type WalletAddress } from '@juicebar/contract/addresses'
import { type MarketEventType } from '@juicebar/contract/events'
import { type Lamports, lamportsToSol } from '@juicebar/contract/money'
import { type Listing, type ListingStatus, type OwnListing } from '@juicebar/contract/schemas'
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
 * The listing `l` as replies carry it: `render_listing` writes it on every change of the row. Closed listings no longer change, so they are
 * rendered here, with the fields that were added since.
 */
const listingReply = sql<Listing>`(case when l.status = 'active' then l.reply_json else render_listing(l) end)::json`

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

/** A listing as a reply carries it. A part that has merged is the listing that it was split from. */
export async function findListing(database: Database | Tx, id: string): Promise<Listing | undefined> {
  const row = await database
    .selectFrom('listings as asked')
    .innerJoin('listings as l', (join) =>
      join.on(sql<boolean>`l.id = case when asked.status = 'merged' then asked.part_of else asked.id end`),
    )
    .select(listingReply.as('listing'))
    .where('asked.id', '=', id)
    .executeTakeFirst()
  return row?.listing
}

/** Locks the listing until the transaction ends. */
export async function lockListing(tx: Tx, id: string): Promise<ListingRow | undefined> {
  return tx.selectFrom('listings').select(listingColumns).where('id', '=', id).forUpdate().executeTakeFirst()
}

/** The extra fields of a seller's own listing. */
interface OwnColumns {
  listing: Listing
  /** Of its open parts. */
  partsAmount: bigint
  /** The amount of it and its open parts that buyers hold. */
  beingBought: bigint
  /** The amount of its parts that was sold. */
  sold: bigint
  priceLamports: Lamports
}

/**
 * A seller's own listings, newest first. One that buyers hold parts of is still one listing, with these parts; a part is a listing of its
 * own only if the one that it was split from is no longer on the market.
 */
export async function listOwnListings(database: Database, seller: WalletAddress, status: ListingStatus | 'all'): Promise<OwnListing[]> {
  const { rows } = await sql<OwnColumns>`
    select ${listingReply} as listing, share_cost(l, l.amount + parts.parts_amount) as price_lamports, parts.parts_amount, parts.being_bought,
      parts.sold
    from listings l
    cross join lateral (
      select coalesce(sum(p.amount) filter (where p.status in ('active', 'reserved')), 0)::bigint as parts_amount,
        coalesce(sum(p.amount) filter (where p.held_by is not null), 0)::bigint
          + case when l.held_by is null then 0 else l.amount end as being_bought,
        coalesce(sum(p.amount) filter (where p.status = 'sold'), 0)::bigint as sold
      from listings p where p.part_of = l.id and l.status = 'active'
    ) parts
    where l.seller = ${seller} and (${status === 'all'} or l.status = ${status} or (${status} = 'active' and l.status = 'reserved'))
      and l.status <> 'merged'
      and not (
        l.status in ('active', 'reserved') and l.part_of is not null
        and exists (select from listings whole where whole.id = l.part_of and whole.status = 'active')
      )
    order by l.id desc limit ${MAX_OWN_LISTINGS}
  `.execute(database)
  return rows.map(({ listing, priceLamports, partsAmount, beingBought, sold }) => ({
    ...listing,
    amount: listing.amount + Number(partsAmount),
    price: lamportsToSol(priceLamports),
    lamports: priceLamports.toString(),
    beingBought: Number(beingBought),
    sold: Number(sold),
  }))
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

/** When the transaction commits, tells every event stream about the listing as it is now; not about a part that is not on the market. */
export async function emitListing(tx: Tx, type: MarketEventType, id: string): Promise<void> {
  await sql`select emit_listing(${type}, l) from listings l where l.id = ${id} and l.status <> 'reserved'`.execute(tx)
}

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
