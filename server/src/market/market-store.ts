import { type ListingSort } from '@juicebar/contract/schemas'
import type pg from 'pg'

import { type Cursor, type MarketQuery, type Scope } from './market-query.ts'

export interface MarketPage {
  /** The lots as JSON text, joined by commas. */
  listings: string
  /** Where the next page starts; undefined behind the last one. A search may give a page that is short, or empty, and go on. */
  next: Cursor | undefined
}

/** Up to this many sellers are each looked up by index; the lots of more are so many that walking finds them sooner. */
const MAX_SELLERS = 200
/** How many lots a search looks at for one page when it walks. */
const WALK = 1_000
/** The least length of a term that the trigram index can find. */
const TRIGRAM = 3

interface Order {
  column: string
  type: string
  descending: boolean
}

/** The column each sort runs along; each is in indexes of 0004-listings.sql that end in the identifier. */
const orders: Record<ListingSort, Order> = {
  newest: { column: 'id', type: 'uuid', descending: true },
  oldest: { column: 'id', type: 'uuid', descending: false },
  price: { column: 'price_lamports', type: 'bigint', descending: false },
  '-price': { column: 'price_lamports', type: 'bigint', descending: true },
  unitPrice: { column: 'unit_lamports', type: 'numeric', descending: false },
  '-unitPrice': { column: 'unit_lamports', type: 'numeric', descending: true },
}

/** One page of active listings, in an order that neither skips nor repeats a lot while others come and go. */
export async function readMarketPage(pool: pg.Pool, query: MarketQuery): Promise<MarketPage> {
  const { scope } = query
  if (scope.kind === 'nothing') return { listings: '', next: undefined }
  const sellers = scope.kind === 'search' && scope.part.length >= TRIGRAM ? await findSellers(pool, scope.part) : undefined
  if (scope.kind !== 'search' || sellers === undefined) return runPage(pool, query, scope)
  const { drinks, sellersDrinks } = scope
  return runPage(pool, query, { kind: 'lots', drinks, sellers, sellersDrinks })
}

/** Sellers whose address contains the term; undefined where there are too many. */
async function findSellers(pool: pg.Pool, part: string): Promise<string[] | undefined> {
  const { rows } = await pool.query<{ seller: string }>({
    name: 'market sellers',
    text: `select seller from sellers where lower(seller) like '%' || $1 || '%' limit ${MAX_SELLERS + 1}`,
    values: [part],
  })
  return rows.length > MAX_SELLERS ? undefined : rows.map((row) => row.seller)
}

type FoundScope = Exclude<Scope, { kind: 'nothing' }>

async function runPage(pool: pg.Pool, query: MarketQuery, scope: FoundScope): Promise<MarketPage> {
  const { rows } = await pool.query<{ listings: string; next: string | null }>(pageStatement(query, scope))
  const [row] = rows
  if (!row) throw new Error('the market gave no answer')
  const [key, id] = row.next?.split(' ') ?? []
  return { listings: row.listings, next: key !== undefined && id !== undefined ? { key, id } : undefined }
}

/** A page's prepared statement, one for each kind of scope, sort and start. Nothing of a request stands in its text. */
export function pageStatement({ sort, limit, cursor }: MarketQuery, scope: FoundScope): pg.QueryConfig<unknown[]> {
  const values: unknown[] = [limit]
  const parameter: Parameter = (value, type) => `$${values.push(value)}::${type}`
  const text = pageSql(orders[sort], lotsSql(scope, orders[sort], cursor, parameter))
  const name = `market ${scope.kind} ${sort}${cursor ? ' on' : ''}${scope.kind === 'search' ? ` in ${drinksOf(scope).length}` : ''}`
  return { name, text, values }
}

/** Adds a value to the statement and gives what stands for it. */
type Parameter = (value: unknown, type: string) => string

/**
 * The first `$1` of some lots in order. `hit` tells which of them are shown, `ends` marks the one at which a walk was broken off.
 * Where many lots are looked at for few that are shown, `reply_json` is null: then only the shown ones are read from the table itself.
 */
function pageSql(order: Order, lots: string): string {
  const direction = order.descending ? 'desc' : 'asc'
  return `
    select coalesce(string_agg(coalesce(reply_json, (select shown.reply_json from listings shown where shown.id = page.id)), ',')
        filter (where hit and place <= $1), '') as listings,
      case when count(*) > $1 then max(key || ' ' || id) filter (where place = $1)
        else max(key || ' ' || id) filter (where ends) end as next
    from (
      select reply_json, hit, ends, key, id, row_number() over (order by key ${direction}, id ${direction}) as place
      from (${lots}) lots
      order by key ${direction}, id ${direction}
      limit $1::int + 1
    ) page`
}

function lotsSql(scope: FoundScope, order: Order, cursor: Cursor | undefined, parameter: Parameter): string {
  const direction = order.descending ? 'desc' : 'asc'
  const behind = behindSql(order, cursor, parameter)
  const walk = (columns: string, condition: string, limit: string) => `
    select ${columns}, l.${order.column} as key, l.id
    from listings l
    where l.status = 'active' ${condition} ${behind}
    order by l.${order.column} ${direction}, l.id ${direction}
    limit ${limit}`
  const shown = 'l.reply_json, true as hit, false as ends'

  switch (scope.kind) {
    case 'everything':
      return walk(shown, '', '$1::int + 1')
    case 'lots':
      return `
        select l.* from unnest(${parameter(scope.drinks, 'text[]')}) of_drink
          cross join lateral (${walk(shown, 'and l.token_type = of_drink', '$1::int + 1')}) l
        union all
        select l.* from unnest(${parameter(scope.sellers, 'text[]')}) of_seller, unnest(${parameter(scope.sellersDrinks, 'text[]')}) of_drink
          cross join lateral (${walk('null, true, false', 'and l.seller = of_seller and l.token_type = of_drink', '$1::int + 1')}) l`
    case 'search': {
      const ofDrink = (drink: string) =>
        `(${walk('l.seller, l.token_type', `and l.token_type = ${parameter(drink, 'text')}`, String(WALK))})`
      const walked = drinksOf(scope).map(ofDrink).join(' union all ')
      const hit = `token_type = any(${parameter(scope.drinks, 'text[]')}) or strpos(lower(seller), ${parameter(scope.part, 'text')}) > 0`
      return `
        select * from (
          select null as reply_json, ${hit} as hit, row_number() over (order by key ${direction}, id ${direction}) = ${WALK} as ends, key, id
          from (select * from (${walked}) walks order by key ${direction}, id ${direction} limit ${WALK}) walked
        ) walked_rows
        where hit or ends`
    }
  }
}

function behindSql({ column, type, descending }: Order, cursor: Cursor | undefined, parameter: Parameter): string {
  if (!cursor) return ''
  const beyond = descending ? '<' : '>'
  const id = parameter(cursor.id, 'uuid')
  return column === 'id' ? `and l.id ${beyond} ${id}` : `and (l.${column}, l.id) ${beyond} (${parameter(cursor.key, type)}, ${id})`
}

/** The drinks whose lots a search walks: each along an index that has the seller in it, so that the lots themselves are not read. */
function drinksOf({ drinks, sellersDrinks }: Extract<Scope, { kind: 'search' }>): string[] {
  return [...drinks, ...sellersDrinks]
}
