import { type WalletAddress } from '@juicebar/contract/addresses'
import { type MarketEventType } from '@juicebar/contract/events'
import { type Lamports, lamportsToSol } from '@juicebar/contract/money'
import { MAX_OWN_LISTINGS, PRICE_CHANGE_SECONDS } from '@juicebar/contract/limits'
import { type Listing, type ListingStatus, type OwnListing, type RemovedListings } from '@juicebar/contract/schemas'
import { type Selectable, sql } from 'kysely'
import { now } from '../database/columns.ts'
import { type Database } from '../database/connect.ts'
import { type Listings } from '../database/schema.ts'
import { type Tx } from '../database/transact.ts'
import { type KeyedListing, type ListingDraft, type PricedListing } from './listing.ts'

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
    select ${listingReply} as listing, parts.parts_amount, parts.being_bought, parts.sold,
      -- While parts keep an earlier price, what was priced together is no longer what they cost.
      case when l.priced_at is null then share_cost(l, l.amount + parts.parts_amount) else l.price_lamports + parts.parts_lamports end
        as price_lamports
    from listings l
    cross join lateral (
      select coalesce(sum(p.amount) filter (where p.status in ('active', 'reserved')), 0)::bigint as parts_amount,
        coalesce(sum(p.price_lamports) filter (where p.status in ('active', 'reserved')), 0)::bigint as parts_lamports,
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
  await tx.updateTable('listings').set({ status: 'removed', closedAt: now }).where('id', '=', id).execute()
}

/** Whose listing it is and what it sells, which never change. */
export async function findOwner(database: Database, id: string): Promise<Pick<ListingRow, 'seller' | 'tokenType'> | undefined> {
  return database.selectFrom('listings').select(['seller', 'tokenType']).where('id', '=', id).executeTakeFirst()
}

/** Reads what decides whether the price of a listing may change, under its lock. */
export async function readPricedListing(tx: Tx, id: string): Promise<PricedListing | undefined> {
  const { rows } = await sql<PricedRow>`
    select l.token_type, l.amount, l.price_lamports, l.divisible, l.status, is_frozen(l.seller) as frozen,
      l.held_by is not null or exists (select from listings whole where whole.id = l.part_of and whole.status = 'active') as held,
      (select coalesce(sum(p.amount), 0)::bigint from listings p where p.part_of = l.id and p.status in ('active', 'reserved')) as parts_amount,
      coalesce(ceil(extract(epoch from l.priced_at - clock_timestamp()) + ${PRICE_CHANGE_SECONDS}), 0)::integer as seconds_to_wait
    from listings l where l.id = ${id}`.execute(tx)
  const [row] = rows
  return row && { ...row, amount: Number(row.amount), partsAmount: Number(row.partsAmount) }
}

type PricedRow = Omit<PricedListing, 'amount' | 'partsAmount'> & { amount: bigint; partsAmount: bigint }

/** Changes the price of all that is left of a listing, and tells the event streams: `reprice_listing` in functions/listings.sql. */
export async function updatePrice(tx: Tx, id: string, price: Lamports): Promise<void> {
  await sql`select reprice_listing(${id}, ${price})`.execute(tx)
}

/**
 * A seller's listings on the market, the oldest first. A part is one of them only if the listing that it was split from is no longer on the
 * market.
 */
export async function listActiveIds(database: Database, seller: WalletAddress, most: number): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select l.id from listings l
    where l.seller = ${seller} and l.status in ('active', 'reserved')
      -- Not as a join, for which an index on a fresh table may not be chosen.
      and coalesce((select whole.status from listings whole where whole.id = l.part_of), '') <> 'active'
    order by l.id limit ${most}`.execute(database)
  return rows.map(({ id }) => id)
}

/** Returns those of a seller's listings to it that nobody holds: `remove_listings` in functions/listings.sql. */
export async function removeFreeListings(tx: Tx, seller: WalletAddress, ids: readonly string[]): Promise<RemovedListings> {
  const { rows } = await sql<RemovedListings>`select removed, kept from remove_listings(${seller}, ${ids}::uuid[])`.execute(tx)
  return rows[0] ?? { removed: 0, kept: [] }
}

/** Marks a held listing as one whose hold only the studio can end. The mark goes with the hold. */
export async function markWaitingForStudio(tx: Tx, id: string, { waitsForStudio }: { waitsForStudio: boolean }): Promise<void> {
  await tx.updateTable('listings').set({ waitsForStudio }).where('id', '=', id).execute()
}

/** When the transaction commits, tells every event stream about the listing as it is now; not about a part that is not on the market. */
export async function emitListing(tx: Tx, type: MarketEventType, id: string): Promise<void> {
  await sql`select emit_listing(${type}, l) from listings l where l.id = ${id} and l.status <> 'reserved'`.execute(tx)
}

/** What a seller has done with an idempotency key. */
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
      'k.changedLamports',
    ])
    .where('k.seller', '=', seller)
    .where('k.idempotencyKey', '=', idempotencyKey)
    .executeTakeFirst()
}

interface NewKey {
  seller: WalletAddress
  idempotencyKey: string
  listingId: string
  /** Left out if the key has created the listing. */
  changedLamports?: Lamports
}

export async function insertListingKey(tx: Tx, key: NewKey): Promise<void> {
  await tx.insertInto('listingKeys').values(key).execute()
}

/** Deletes the keys that are more than a day old. */
export async function deleteOldKeys(database: Database): Promise<void> {
  await database
    .deleteFrom('listingKeys')
    .where('createdAt', '<', sql<Date>`now() - interval '1 day'`)
    .execute()
}
