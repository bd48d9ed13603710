import { type WalletAddress } from '@juicebar/contract/addresses'
import { type Balances, type TokenType } from '@juicebar/contract/catalogue'
import { sql } from 'kysely'

import { balancesOf } from '../catalogue/balances.ts'
import { type Catalogue } from '../catalogue/catalogue.ts'
import { type Database } from '../database/connect.ts'
import { type Tx } from '../database/transact.ts'

export type TransferKind = 'credit' | 'debit' | 'escrow' | 'return' | 'sale'

export interface TransferOrder {
  kind: TransferKind
  tokenType: TokenType
  amount: number
  wallet: WalletAddress
  listingId?: string
  idempotencyKey?: string
}

/**
 * Posts one transfer and updates the balance it touches. If the database refuses, `inTransaction` throws INSUFFICIENT_TOKENS or
 * BALANCE_LIMIT.
 */
export async function postTransfer(tx: Tx, order: TransferOrder): Promise<void> {
  const { kind, tokenType, amount, wallet, listingId = null, idempotencyKey = null } = order
  await sql`select post_transfer(${kind}, ${tokenType}, ${amount}, ${wallet}, ${listingId}, ${idempotencyKey})`.execute(tx)
}

/** When the transaction commits, tells the wallet's event streams that its balance changed. */
export async function emitBalanceChanged(tx: Tx, wallet: WalletAddress): Promise<void> {
  await sql`select emit_balance(${wallet})`.execute(tx)
}

/** A wallet's balance of each token. Tokens in its active listings are in escrow and not included. */
export async function readBalances(database: Database, wallet: WalletAddress, catalogue: Pick<Catalogue, 'items'>): Promise<Balances> {
  const rows = await database.selectFrom('balances').select(['tokenType', 'amount']).where('walletAddress', '=', wallet).execute()
  return balancesOf(
    catalogue,
    rows.map(({ tokenType, amount }) => ({ tokenType, amount: Number(amount) })),
  )
}
