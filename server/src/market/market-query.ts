import { type ListingSort } from '@juicebar/contract/schemas'
import { LISTINGS_PAGE } from '@juicebar/contract/limits'
import { Failure } from '@juicebar/contract/errors'
import { findTokenType, type TokenType, tokenTypes } from '@juicebar/contract/token-types'

/** Where a page starts: behind the listing with this key. The key is the sort column's text; the identifier breaks ties. */
export interface Cursor {
  sort: ListingSort
  key: string
  id: string
}

/** What a search term can match: some token types by name, or sellers whose address contains it. */
export interface SearchTerm {
  tokenTypes: TokenType[]
  /** Undefined where no address can contain the term. */
  seller: string | undefined
}

export interface MarketQuery {
  search: SearchTerm | undefined
  tokenType: TokenType | undefined
  seller: string | undefined
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
    search: readSearch(fields.search ?? ''),
    tokenType: fields.tokenType ? requireTokenFilter(fields.tokenType) : undefined,
    seller: fields.seller || undefined,
    sort,
    limit: fields.limit ?? LISTINGS_PAGE,
    cursor: fields.cursor ? readCursor(fields.cursor, sort) : undefined,
  }
}

function requireTokenFilter(text: string): TokenType {
  const tokenType = findTokenType(text)
  if (!tokenType) throw new Failure('TOKEN_TYPE_UNKNOWN')
  return tokenType
}

/** Base58 read without regard to case: only zero and punctuation are in no address. */
const partOfAddress = /^[1-9a-z]+$/

function readSearch(text: string): SearchTerm | undefined {
  const term = text.trim().toLowerCase()
  if (term === '') return undefined
  return {
    tokenTypes: tokenTypes.filter((token) => token.name.toLowerCase().includes(term)).map((token) => token.type),
    seller: partOfAddress.test(term) ? term : undefined,
  }
}

/** The opaque text that goes to the client as `nextCursor`. */
export function cursorText(cursor: Cursor): string {
  return Buffer.from(JSON.stringify([cursor.sort, cursor.key, cursor.id])).toString('base64url')
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
  const [cursorSort, key = '', id = ''] = parts.map(String)
  if (cursorSort !== sort || !keyForms[sort].test(key) || !uuid.test(id)) throw new Failure('CURSOR_INVALID')
  return { sort, key, id }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
