import { parseWalletAddress, type WalletAddress } from '@juicebar/contract/addresses'
import { Failure } from '@juicebar/contract/errors'
import { MAX_AMOUNT, MIN_AMOUNT } from '@juicebar/contract/limits'
import { findTokenType, type TokenType } from '@juicebar/contract/token-types'

/** A wallet address from outside, or WALLET_ADDRESS_INVALID. */
export function requireWalletAddress(text: string): WalletAddress {
  const address = parseWalletAddress(text)
  if (!address) throw new Failure('WALLET_ADDRESS_INVALID')
  return address
}

/** A token type or display name from outside, or TOKEN_TYPE_UNKNOWN. */
export function requireTokenType(text: string): TokenType {
  const tokenType = findTokenType(text)
  if (!tokenType) throw new Failure('TOKEN_TYPE_UNKNOWN')
  return tokenType
}

/** A whole number of tokens within the agreed bounds, or AMOUNT_INVALID. */
export function requireAmount(amount: number): number {
  if (!Number.isInteger(amount) || amount < MIN_AMOUNT || amount > MAX_AMOUNT) throw new Failure('AMOUNT_INVALID')
  return amount
}
