import { type TokenType } from '@juicebar/contract/catalogue'
import { Failure } from '@juicebar/contract/errors'
import { LISTINGS_PAGE } from '@juicebar/contract/limits'
import { type ListingSort } from '@juicebar/contract/schemas'
import { type Catalogue, requireTokenType } from '../catalogue/catalogue.ts'

/** A page starts after the listing with this key: the text of its sort column. The id breaks ties. */
export interface Cursor {
  key: string
  id: string
}

/**
 * The listings a query selects, in kinds that each have a bounded way to find them.
 * `listings`: all of the tokens in `tokenTypes`, and those of `offers`, which are of other tokens, so no listing comes twice. `search`: all
 * of the tokens in `tokenTypes`, and of the sellers whose address contains `part` those of the tokens in `sellersTokenTypes`.
 */
export type Scope =
  | { kind: 'none' }
  | { kind: 'all' }
  | { kind: 'listings'; tokenTypes: TokenType[]; offers: SellersToken[] }
  | { kind: 'search'; part: string; tokenTypes: TokenType[]; sellersTokenTypes: TokenType[] }

/** One seller's listings of one token. */
export interface SellersToken {
  seller: string
  tokenType: TokenType
}

export interface MarketQuery {
  scope: Scope
  sort: ListingSort
  limit: number
  cursor: Cursor | undefined
}

type Goods = Pick<Catalogue, 'items' | 'find'>

interface QueryFields {
  search?: string
  tokenType?: string
  seller?: string
  sort?: ListingSort
  limit?: number
  cursor?: string
}

/**
 * Reads the filters of `GET /api/marketplace/listings`.
 * @throws TOKEN_TYPE_UNKNOWN, CURSOR_INVALID
 */
export function readMarketQuery(fields: QueryFields, catalogue: Goods): MarketQuery {
  const sort = fields.sort ?? 'newest'
  return {
    scope: readScope(fields, catalogue),
    sort,
    limit: fields.limit ?? LISTINGS_PAGE,
    cursor: fields.cursor ? readCursor(fields.cursor, sort) : undefined,
  }
}

function readScope({ search = '', tokenType, seller }: QueryFields, catalogue: Goods): Scope {
  const { items } = catalogue
  const only = tokenType ? requireTokenType(catalogue, tokenType) : undefined
  const wanted = only === undefined ? items.map(({ code }) => code) : [only]
  const term = search.trim().toLowerCase()
  const names = new Map(items.map(({ code, name }) => [code, name.toLowerCase()]))
  const matching = wanted.filter((code) => names.get(code)?.includes(term))
  if (seller) return ofSeller(seller, seller.toLowerCase().includes(term) ? wanted : matching)
  if (matching.length === wanted.length || !partOfAddress.test(term)) return ofTokens(matching, items.length)
  return { kind: 'search', part: term, tokenTypes: matching, sellersTokenTypes: wanted.filter((code) => !matching.includes(code)) }
}

/** Base58 in any case: no address contains a zero or punctuation, and none is longer than 44 characters. */
const partOfAddress = /^[1-9a-z]{1,44}$/

function ofTokens(wanted: TokenType[], all: number): Scope {
  if (wanted.length === 0) return { kind: 'none' }
  if (wanted.length === all) return { kind: 'all' }
  return { kind: 'listings', tokenTypes: wanted, offers: [] }
}

function ofSeller(seller: string, wanted: TokenType[]): Scope {
  if (wanted.length === 0) return { kind: 'none' }
  return { kind: 'listings', tokenTypes: [], offers: wanted.map((tokenType) => ({ seller, tokenType })) }
}

/** The opaque text that clients get as `nextCursor`. */
export function formatCursor(sort: ListingSort, { key, id }: Cursor): string {
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
