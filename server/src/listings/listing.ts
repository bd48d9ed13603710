import { type Lamports, parsePrice } from '@juicebar/contract/money'
import { Failure } from '@juicebar/contract/errors'
import { type Listing } from '@juicebar/contract/schemas'
import { findTokenType, type TokenType } from '@juicebar/contract/token-types'

import { requireTokenAmount } from '../inventory/token-amount.ts'

export interface ListingDraft {
  tokenType: TokenType
  amount: number
  priceLamports: Lamports
}

interface DraftFields {
  tokenType?: string
  tokenName?: string
  price: number
  amount: number
}

/**
 * Reads the payload of a new listing. The token is in `tokenType` or `tokenName`, as its enum value or its display name; if both
 * are given, they must agree. `price` is the price of the whole listing in SOL.
 * @throws PRICE_INVALID, FIELDS_MISSING, TOKEN_TYPE_UNKNOWN, AMOUNT_INVALID
 */
export function draftListing({ tokenType, tokenName, price, amount }: DraftFields): ListingDraft {
  const priceLamports = parsePrice(price)
  if (priceLamports === undefined) throw new Failure('PRICE_INVALID')
  return { tokenType: readToken([tokenType, tokenName]), amount: requireTokenAmount(amount), priceLamports }
}

function readToken(fields: (string | undefined)[]): TokenType {
  const given = fields.filter((field) => field !== undefined)
  if (given.length === 0) throw new Failure('FIELDS_MISSING')
  const types = new Set(given.map((field) => findTokenType(field)))
  const [tokenType] = types
  if (types.size !== 1 || tokenType === undefined) throw new Failure('TOKEN_TYPE_UNKNOWN')
  return tokenType
}

/** Whether a listing offers exactly this. */
export function isOfDraft({ tokenType, amount, price }: Listing, draft: ListingDraft): boolean {
  return tokenType === draft.tokenType && amount === draft.amount && parsePrice(price) === draft.priceLamports
}

const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/** Whether a text is a UUID, as every id is. PostgreSQL refuses to compare anything else with a uuid column. */
export function isId(text: string): boolean {
  return uuid.test(text)
}
