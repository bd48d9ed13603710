import { type ListingSort } from '@juicebar/contract/schemas'
import type pg from 'pg'

import { type Reads } from '../database/connect.ts'
import { type Cursor, type MarketQuery, type Scope } from './market-query.ts'

export interface MarketPage {
  /** The listings' JSON texts, joined by commas. */
  listings: string
  /** Where the next page starts; undefined after the last page. A page of a search can be short or even empty and still have a next one. */
  next: Cursor | undefined
}

/** Up to this many sellers are looked up by index. More have so many listings that a scan finds them sooner. */
const MAX_SELLERS = 200
/** How many listings one page of a search scans at most. */
const SCAN_LIMIT = 1_000
/** The shortest search term that the trigram index supports. */
const TRIGRAM = 3

interface Order {
  column: string
  type: string
  descending: boolean
}

/** The column of each sort. 0004-listings.sql has indexes on each of them that end in the id. */
const orders: Record<ListingSort, Order> = {
  newest: { column: 'id', type: 'uuid', descending: true },
  oldest: { column: 'id', type: 'uuid', descending: false },
  price: { column: 'price_lamports', type: 'bigint', descending: false },
  '-price': { column: 'price_lamports', type: 'bigint', descending: true },
  unitPrice: { column: 'unit_lamports', type: 'numeric', descending: false },
  '-unitPrice': { column: 'unit_lamports', type: 'numeric', descending: true },
}

/** One page of active listings. Following `next` neither skips nor repeats a listing while others come and go. */
export async function readMarketPage(reads: Reads, query: MarketQuery): Promise<MarketPage> {
  const { scope } = query
  if (scope.kind === 'none') return { listings: '', next: undefined }
  const sellers = scope.kind === 'search' && scope.part.length >= TRIGRAM ? await findSellers(reads, scope.part) : undefined
  if (scope.kind !== 'search' || sellers === undefined) return runPage(reads, query, scope)
  const { tokenTypes, sellersTokenTypes } = scope
  return runPage(reads, query, { kind: 'listings', tokenTypes, sellers, sellersTokenTypes })
}

/** The sellers whose address contains the term; undefined if there are too many. */
async function findSellers(reads: Reads, part: string): Promise<string[] | undefined> {
  const { rows } = await reads.query<{ seller: string }>({
    name: 'market sellers',
    text: `select seller from sellers where lower(seller) like '%' || $1 || '%' limit ${MAX_SELLERS + 1}`,
    values: [part],
  })
  return rows.length > MAX_SELLERS ? undefined : rows.map((row) => row.seller)
}

type NonEmptyScope = Exclude<Scope, { kind: 'none' }>

async function runPage(reads: Reads, query: MarketQuery, scope: NonEmptyScope): Promise<MarketPage> {
  const { rows } = await reads.query<{ listings: string; next: string | null }>(pageStatement(query, scope))
  const [row] = rows
  if (!row) throw new Error('an aggregate query returned no row')
  const [key, id] = row.next?.split(' ') ?? []
  return { listings: row.listings, next: key !== undefined && id !== undefined ? { key, id } : undefined }
}

/** The prepared statement of a page. Its text depends on scope, sort and whether there is a cursor, never on a request's values. */
export function pageStatement({ sort, limit, cursor }: MarketQuery, scope: NonEmptyScope): pg.QueryConfig<unknown[]> {
  const values: unknown[] = [limit]
  const parameter: Parameter = (value, type) => `$${values.push(value)}::${type}`
  const text = pageSql(orders[sort], listingsSql(scope, orders[sort], cursor, parameter))
  const name = `market ${scope.kind} ${sort}${cursor ? ' after' : ''}${scope.kind === 'search' ? ` in ${scannedTokens(scope).length}` : ''}`
  return { name, text, values }
}

/** Adds a value to the statement and returns its placeholder. */
type Parameter = (value: unknown, type: string) => string

/**
 * The first `$1` hits of the rows, in order. `hit`: the row belongs to the page. `scan_end`: the last row that a scan read before it
 * reached its limit. A scan reads many rows for few hits, so it leaves `reply_json` null, and only the hits' texts are fetched.
 */
function pageSql(order: Order, rows: string): string {
  const direction = order.descending ? 'desc' : 'asc'
  return `
    select coalesce(string_agg(coalesce(reply_json, (select shown.reply_json from listings shown where shown.id = page.id)), ',')
        filter (where hit and place <= $1), '') as listings,
      case when count(*) > $1 then max(key || ' ' || id) filter (where place = $1)
        else max(key || ' ' || id) filter (where scan_end) end as next
    from (
      select reply_json, hit, scan_end, key, id, row_number() over (order by key ${direction}, id ${direction}) as place
      from (${rows}) found
      order by key ${direction}, id ${direction}
      limit $1::int + 1
    ) page`
}

function listingsSql(scope: NonEmptyScope, order: Order, cursor: Cursor | undefined, parameter: Parameter): string {
  const direction = order.descending ? 'desc' : 'asc'
  const afterCursor = afterCursorSql(order, cursor, parameter)
  const inOrder = (columns: string, condition: string, limit: string) => `
    select ${columns}, l.${order.column} as key, l.id
    from listings l
    where ${condition} ${afterCursor}
    order by l.${order.column} ${direction}, l.id ${direction}
    limit ${limit}`
  const hit = 'l.reply_json, true as hit, false as scan_end'
  const found = 'l.reply_json, l.hit, l.scan_end, l.key, l.id'
  const active = `l.status = 'active'`

  switch (scope.kind) {
    case 'all':
      return inOrder(hit, 'l.closed_at is null', '$1::int + 1')
    case 'listings':
      return `
        select ${found} from unnest(${parameter(scope.tokenTypes, 'text[]')}) of_token
          cross join lateral (${inOrder(hit, `${active} and l.token_type = of_token`, '$1::int + 1')}) l
        union all
        select ${found} from unnest(${parameter(scope.sellers, 'text[]')}) of_seller, unnest(${parameter(scope.sellersTokenTypes, 'text[]')}) of_token
          cross join lateral (${inOrder('null as reply_json, true as hit, false as scan_end', `${active} and l.seller = of_seller and l.token_type = of_token`, '$1::int + 1')}) l`
    case 'search': {
      const scanToken = (tokenType: string) =>
        `(${inOrder('l.seller, l.token_type', `${active} and l.token_type = ${parameter(tokenType, 'text')}`, String(SCAN_LIMIT))})`
      const scans = scannedTokens(scope).map(scanToken).join(' union all ')
      const isHit = `token_type = any(${parameter(scope.tokenTypes, 'text[]')}) or strpos(lower(seller), ${parameter(scope.part, 'text')}) > 0`
      return `
        select reply_json, hit, scan_end, key, id from (
          select null as reply_json, ${isHit} as hit, row_number() over (order by key ${direction}, id ${direction}) = ${SCAN_LIMIT} as scan_end, key, id
          from (select seller, token_type, key, id from (${scans}) scans order by key ${direction}, id ${direction} limit ${SCAN_LIMIT}) scanned
        ) scanned_rows
        where hit or scan_end`
    }
  }
}

function afterCursorSql({ column, type, descending }: Order, cursor: Cursor | undefined, parameter: Parameter): string {
  if (!cursor) return ''
  const beyond = descending ? '<' : '>'
  const id = parameter(cursor.id, 'uuid')
  return column === 'id' ? `and l.id ${beyond} ${id}` : `and (l.${column}, l.id) ${beyond} (${parameter(cursor.key, type)}, ${id})`
}

/** A search scans each token along an index that includes the seller, so that it need not read the listings themselves. */
function scannedTokens({ tokenTypes, sellersTokenTypes }: Extract<Scope, { kind: 'search' }>): string[] {
  return [...tokenTypes, ...sellersTokenTypes]
}
