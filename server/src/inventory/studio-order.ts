import { parseWalletAddress, type WalletAddress } from '@juicebar/contract/addresses'
import { type TokenType } from '@juicebar/contract/catalogue'
import { Failure } from '@juicebar/contract/errors'
import { type Selectable } from 'kysely'

import { type Catalogue, requireTokenType } from '../catalogue/catalogue.ts'
import { type Transfers } from '../database/schema.ts'
import { requireTokenAmount } from './token-amount.ts'

/** Tokens that the studio moves into a player's balance (credit) or out of it (debit). */
export interface StudioOrder {
  direction: 'credit' | 'debit'
  walletAddress: WalletAddress
  tokenType: TokenType
  amount: number
  idempotencyKey: string
  /** For the studio's log. */
  reason?: string | undefined
}

/** A posted credit or debit. */
export type StoredOrder = Pick<
  Selectable<Transfers>,
  'id' | 'kind' | 'tokenType' | 'amount' | 'walletAddress' | 'idempotencyKey' | 'createdAt'
>

interface OrderFields {
  walletAddress: string
  tokenType: string
  amount: number
  idempotencyKey: string
  reason?: string
}

/**
 * Reads the payload of a credit or debit. The token may be given as its enum value or its display name.
 * @throws WALLET_ADDRESS_INVALID, TOKEN_TYPE_UNKNOWN, AMOUNT_INVALID
 */
export function readStudioOrder(direction: StudioOrder['direction'], fields: OrderFields, catalogue: Pick<Catalogue, 'find'>): StudioOrder {
  const walletAddress = parseWalletAddress(fields.walletAddress)
  if (!walletAddress) throw new Failure('WALLET_ADDRESS_INVALID')
  const tokenType = requireTokenType(catalogue, fields.tokenType)
  const { idempotencyKey, reason } = fields
  return { direction, walletAddress, tokenType, amount: requireTokenAmount(fields.amount), idempotencyKey, reason }
}
