import { type Listing, type ListingSort } from '@juicebar/contract/schemas'
import { type RawBuilder, sql } from 'kysely'

import { type Database } from '../database/connect.ts'
import { type Cursor, type MarketQuery, type SearchTerm } from './market-query.ts'

export interface MarketPage {
  listings: Listing[]
  next: Cursor | undefined
}

/** The column each sort runs along; every one is served by an index of 0004-listings.sql that ends in the identifier. */
const sortKeys: Record<ListingSort, SortKey> = {
  newest: { column: sql`l.id`, type: sql`uuid`, descending: true },
  oldest: { column: sql`l.id`, type: sql`uuid`, descending: false },
  price: { column: sql`l.price_lamports`, type: sql`bigint`, descending: false },
  '-price': { column: sql`l.price_lamports`, type: sql`bigint`, descending: true },
  unitPrice: { column: sql`l.unit_lamports`, type: sql`numeric`, descending: false },
  '-unitPrice': { column: sql`l.unit_lamports`, type: sql`numeric`, descending: true },
}

interface SortKey {
  column: RawBuilder<unknown>
  type: RawBuilder<unknown>
  descending: boolean
}

/** One page of active listings, in an order that neither skips nor repeats a lot while others come and go. */
export async function readMarketPage(database: Database, query: MarketQuery): Promise<MarketPage> {
  const { column, descending } = sortKeys[query.sort]
  const direction = descending ? sql`desc` : sql`asc`
  const result = await sql<{ listing: Listing; key: string; id: string }>`
    select listing_json(l) as listing, (${column})::text as key, l.id
    from listings l
    where l.status = 'active' ${searchFilter(query.search)} ${tokenFilter(query)} ${sellerFilter(query)} ${after(query.cursor)}
    order by ${column} ${direction}, l.id ${direction}
    limit ${query.limit + 1}
  `.execute(database)
  const rows = result.rows.slice(0, query.limit)
  const last = rows.at(-1)
  const more = result.rows.length > query.limit
  return {
    listings: rows.map((row) => row.listing),
    next: more && last ? { sort: query.sort, key: last.key, id: last.id } : undefined,
  }
}

const nothing = sql``

function searchFilter(search: SearchTerm | undefined): RawBuilder<unknown> {
  if (!search) return nothing
  const seller = search.seller === undefined ? sql`false` : sql`lower(l.seller) like ${`%${search.seller}%`}`
  return sql`and (l.token_type = any(${search.tokenTypes}) or ${seller})`
}

function tokenFilter({ tokenType }: MarketQuery): RawBuilder<unknown> {
  return tokenType ? sql`and l.token_type = ${tokenType}` : nothing
}

function sellerFilter({ seller }: MarketQuery): RawBuilder<unknown> {
  return seller ? sql`and l.seller = ${seller}` : nothing
}

function after(cursor: Cursor | undefined): RawBuilder<unknown> {
  if (!cursor) return nothing
  const { column, type, descending } = sortKeys[cursor.sort]
  const beyond = descending ? sql`<` : sql`>`
  return sql`and (${column}, l.id) ${beyond} (${cursor.key}::${type}, ${cursor.id}::uuid)`
}
