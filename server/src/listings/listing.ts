import { type Lamports, parsePrice } from '@juicebar/contract/money'
import { Failure } from '@juicebar/contract/errors'
import { findTokenType, type TokenType } from '@juicebar/contract/token-types'

import { requireAmount } from '../inventory/studio-order.ts'

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
 * Reads a create payload. The token comes as `tokenType` or `tokenName`, each as enum value or display name; both are taken
 * when they agree. Fails with FIELDS_MISSING, TOKEN_TYPE_UNKNOWN, PRICE_INVALID or AMOUNT_INVALID.
 */
export function draftListing({ tokenType, tokenName, price, amount }: DraftFields): ListingDraft {
  const priceLamports = parsePrice(price)
  if (priceLamports === undefined) throw new Failure('PRICE_INVALID')
  return { tokenType: draftToken([tokenType, tokenName]), amount: requireAmount(amount), priceLamports }
}

function draftToken(fields: (string | undefined)[]): TokenType {
  const named = fields.filter((field) => field !== undefined)
  if (named.length === 0) throw new Failure('FIELDS_MISSING')
  const types = new Set(named.map((field) => findTokenType(field)))
  const [tokenType] = types
  if (types.size !== 1 || tokenType === undefined) throw new Failure('TOKEN_TYPE_UNKNOWN')
  return tokenType
}

const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/** Whether a text can be an identifier of ours at all; anything else is asked of no table. */
export function isId(text: string): boolean {
  return uuid.test(text)
}
