import { Failure } from '@juicebar/contract/errors'
import { LISTINGS_PAGE } from '@juicebar/contract/limits'
import { type ListingSort } from '@juicebar/contract/schemas'
import { findTokenType, type TokenType, tokenTypes } from '@juicebar/contract/token-types'

/** Where a page starts: behind the listing with this key. The key is the sort column's text; the identifier breaks ties. */
export interface Cursor {
  key: string
  id: string
}

/**
 * Which lots a query is about, told so that each kind has a bounded way to find them. `lots`: those of the drinks, and of the
 * sellers in `sellersDrinks`; no lot is named twice. `search`: those of the drinks, and of every seller with `part` in the address.
 */
export type Scope =
  | { kind: 'nothing' }
  | { kind: 'everything' }
  | { kind: 'lots'; drinks: TokenType[]; sellers: string[]; sellersDrinks: TokenType[] }
  | { kind: 'search'; part: string; drinks: TokenType[]; sellersDrinks: TokenType[] }

export interface MarketQuery {
  scope: Scope
  sort: ListingSort
  limit: number
  cursor: Cursor | undefined
}

interface QueryFields {
  search?: string
  tokenType?: string
  seller?: string
  sort?: ListingSort
  limit?: number
  cursor?: string
}

/** Reads the filter object of `GET /marketplace/listings`. Fails with TOKEN_TYPE_UNKNOWN or CURSOR_INVALID. */
export function readMarketQuery(fields: QueryFields): MarketQuery {
  const sort = fields.sort ?? 'newest'
  return {
    scope: readScope(fields),
    sort,
    limit: fields.limit ?? LISTINGS_PAGE,
    cursor: fields.cursor ? readCursor(fields.cursor, sort) : undefined,
  }
}

const everyDrink: TokenType[] = tokenTypes.map((token) => token.type)

function readScope({ search = '', tokenType, seller }: QueryFields): Scope {
  const drinks = tokenType ? [requireDrink(tokenType)] : everyDrink
  const term = search.trim().toLowerCase()
  const named = drinks.filter((drink) => nameIncludes(drink, term))
  if (seller) return ofSeller(seller, seller.toLowerCase().includes(term) ? drinks : named)
  if (named.length === drinks.length || !partOfAddress.test(term)) return ofDrinks(named)
  return { kind: 'search', part: term, drinks: named, sellersDrinks: drinks.filter((drink) => !named.includes(drink)) }
}

function requireDrink(text: string): TokenType {
  const drink = findTokenType(text)
  if (!drink) throw new Failure('TOKEN_TYPE_UNKNOWN')
  return drink
}

function nameIncludes(drink: TokenType, term: string): boolean {
  return tokenTypes.some(({ type, name }) => type === drink && name.toLowerCase().includes(term))
}

/** Base58 read without regard to case: only zero and punctuation are in no address, and none is longer than 44. */
const partOfAddress = /^[1-9a-z]{1,44}$/

function ofDrinks(drinks: TokenType[]): Scope {
  if (drinks.length === 0) return { kind: 'nothing' }
  if (drinks.length === everyDrink.length) return { kind: 'everything' }
  return { kind: 'lots', drinks, sellers: [], sellersDrinks: [] }
}

function ofSeller(seller: string, drinks: TokenType[]): Scope {
  if (drinks.length === 0) return { kind: 'nothing' }
  return { kind: 'lots', drinks: [], sellers: [seller], sellersDrinks: drinks }
}

/** The opaque text that goes to the client as `nextCursor`. */
export function cursorText(sort: ListingSort, { key, id }: Cursor): string {
  return Buffer.from(JSON.stringify([sort, key, id])).toString('base64url')
}

const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/
const wholeNumber = /^\d{1,18}$/
const decimal = /^\d{1,18}(?:\.\d{1,9})?$/
const keyForms: Record<ListingSort, RegExp> = {
  newest: uuid,
  oldest: uuid,
  price: wholeNumber,
  '-price': wholeNumber,
  unitPrice: decimal,
  '-unitPrice': decimal,
}

function readCursor(text: string, sort: ListingSort): Cursor {
  const parts = parseJson(Buffer.from(text, 'base64url').toString())
  if (!Array.isArray(parts)) throw new Failure('CURSOR_INVALID')
  const [cursorSort, key, id] = parts.map((part: unknown) => (typeof part === 'string' ? part : ''))
  if (key === undefined || id === undefined || cursorSort !== sort) throw new Failure('CURSOR_INVALID')
  if (!keyForms[sort].test(key) || !uuid.test(id)) throw new Failure('CURSOR_INVALID')
  return { key, id }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
