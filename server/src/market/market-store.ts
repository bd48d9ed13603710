import { type ListingSort } from '@juicebar/contract/schemas'
import type pg from 'pg'
import { type Reads } from '../database/connect.ts'
import { type Cursor, type MarketQuery, type Scope, type SellersToken } from './market-query.ts'
import { type Candidate, type QuoteOrder } from './quote.ts'

export interface MarketPage {
  /** The listings' JSON texts, joined by commas. */
  listings: string
  /** Where the next page starts; undefined after the last page. A page of a search can be short or even empty and still have a next one. */
  next: Cursor | undefined
}

/** Up to this many sellers are looked up by index. More have so many listings that a scan finds them sooner. */
const MAX_SELLERS = 200
/** The lookups for this many sellers and three tokens: with more tokens, only those that a seller lists are looked up. */
const MAX_BLIND_OFFERS = 3 * MAX_SELLERS
/** Looking up this many takes as long as a long scan. */
const MAX_OFFERS = 2_000
/** For more tokens than this, a page first finds its listings and then reads only those. */
const FEW_TOKENS = 8
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
  const offers = await findOffers(reads, sellers, sellersTokenTypes)
  return runPage(reads, query, offers === undefined ? scope : { kind: 'listings', tokenTypes, offers })
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

/** Where listings of these sellers and tokens may be; undefined if they are too many. */
async function findOffers(reads: Reads, sellers: readonly string[], tokenTypes: readonly string[]): Promise<SellersToken[] | undefined> {
  if (sellers.length * tokenTypes.length <= MAX_BLIND_OFFERS) {
    return sellers.flatMap((seller) => tokenTypes.map((tokenType) => ({ seller, tokenType })))
  }
  const { rows } = await reads.query<SellersToken>({ name: 'market offers', text: offersSql, values: [sellers, tokenTypes] })
  return rows.length > MAX_OFFERS ? undefined : rows
}

/** Steps along the index from each token that a seller lists to the next. */
const offersSql = `
  with recursive listed as (
    select of_seller as seller, (select min(token_type) from listings where seller = of_seller and status = 'active') as token
      from unnest($1::text[]) of_seller
    union all
    select l.seller, (select min(token_type) from listings where seller = l.seller and status = 'active' and token_type > l.token)
      from listed l where l.token is not null
  )
  select seller, token as "tokenType" from listed where token = any($2::text[]) limit ${MAX_OFFERS + 1}`

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
  const name = `market ${scope.kind}${variantOf(scope)} ${sort}${cursor ? ' after' : ''}`
  return { name, text, values }
}

/** What else the text of a scope's statement depends on. */
function variantOf(scope: NonEmptyScope): string {
  if (scope.kind === 'search') return ` in ${scannedTokens(scope)?.length ?? 'all'}`
  return scope.kind === 'listings' && scope.tokenTypes.length > FEW_TOKENS ? ' of many' : ''
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
  const bareHit = 'null as reply_json, true as hit, false as scan_end'
  const found = 'l.reply_json, l.hit, l.scan_end, l.key, l.id'
  const active = `l.status = 'active'`

  switch (scope.kind) {
    case 'all':
      return inOrder(hit, 'l.closed_at is null', '$1::int + 1')
    case 'listings':
      return `
        select ${found} from unnest(${parameter(scope.tokenTypes, 'text[]')}) of_token
          cross join lateral (${inOrder(scope.tokenTypes.length > FEW_TOKENS ? bareHit : hit, `${active} and l.token_type = of_token`, '$1::int + 1')}) l
        union all
        select ${found} from unnest(${parameter(sellersOf(scope.offers), 'text[]')}, ${parameter(tokensOf(scope.offers), 'text[]')}) offered (of_seller, of_token)
          cross join lateral (${inOrder(bareHit, `${active} and l.seller = of_seller and l.token_type = of_token`, '$1::int + 1')}) l`
    case 'search': {
      const scan = (condition: string) => `(${inOrder('l.seller, l.token_type', condition, String(SCAN_LIMIT))})`
      const scanToken = (tokenType: string) => scan(`${active} and l.token_type = ${parameter(tokenType, 'text')}`)
      const scans = scannedTokens(scope)?.map(scanToken).join(' union all ') ?? scan('l.closed_at is null')
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

/**
 * A search scans each token along an index that includes the seller, so that it need not read the listings themselves. Undefined for more
 * tokens, which are then all tokens: planning would take longer than reading a thousand listings.
 */
function scannedTokens({ tokenTypes, sellersTokenTypes }: Extract<Scope, { kind: 'search' }>): string[] | undefined {
  const all = [...tokenTypes, ...sellersTokenTypes]
  return all.length <= FEW_TOKENS ? all : undefined
}

const sellersOf = (offers: readonly SellersToken[]) => offers.map(({ seller }) => seller)
const tokensOf = (offers: readonly SellersToken[]) => offers.map(({ tokenType }) => tokenType)

/** The most listings to scan, including those that are held or too large to fit. */
const CANDIDATE_LIMIT = 1_000

interface CandidateRow extends Omit<Candidate, 'amount' | 'whole'> {
  amount: bigint
  wholeAmount: bigint
  wholeLamports: bigint
}

/**
 * The cheapest listings, at most `most`, that a quote may use: for sale, not held, not the asker's own, not indivisible and too large, and
 * at a unit price that the studio allows.
 */
export async function findCandidates(reads: Reads, order: QuoteOrder, most: number): Promise<Candidate[]> {
  const { rows } = await reads.query<CandidateRow>(candidatesStatement(order, most))
  return rows.map(({ amount, wholeAmount, wholeLamports, ...row }) => ({
    ...row,
    amount: Number(amount),
    whole: { amount: Number(wholeAmount), lamports: wholeLamports },
  }))
}

/** The inner query is a walk along one index that ends at its limit, however many rows the outer query filters out. */
function candidatesStatement({ tokenType, amount, excludeSeller }: QuoteOrder, most: number): pg.QueryConfig<unknown[]> {
  const text = `
    select id as "listingId", seller, amount, price_lamports as lamports, divisible,
      coalesce(priced_amount, whole_amount, amount) as "wholeAmount",
      coalesce(priced_lamports, whole_lamports, price_lamports) as "wholeLamports"
    from (
      select l.id, l.seller, l.amount, l.price_lamports, l.unit_lamports, l.divisible, l.held_by, l.whole_amount, l.whole_lamports,
        l.priced_amount, l.priced_lamports
      from listings l
      where l.status = 'active' and l.token_type = $1
        and l.unit_lamports >= coalesce((select min_unit_lamports from token_rules where token_type = $1), 0)
        and l.unit_lamports <= coalesce((select max_unit_lamports from token_rules where token_type = $1), 'infinity'::numeric)
      order by l.unit_lamports, l.id
      limit ${CANDIDATE_LIMIT}
    ) cheapest
    where held_by is null and seller <> $2 and (divisible or amount <= $3)
      and seller <> all ((select frozen_sellers())::text[])
    order by unit_lamports, id
    limit ${most}`
  return { name: `quote ${most}`, text, values: [tokenType, excludeSeller ?? '', amount] }
}
