import { type WalletAddress } from '@juicebar/contract/addresses'
import { Failure } from '@juicebar/contract/errors'
import { balanceKey, type Balances, type TokenType } from '@juicebar/contract/token-types'
import { sql } from 'kysely'

import { type Database } from '../database/connect.ts'
import { sqlState, type Tx, violatedConstraint } from '../database/transact.ts'

export type TransferKind = 'credit' | 'debit' | 'escrow' | 'return' | 'sale'

export interface TransferOrder {
  kind: TransferKind
  tokenType: TokenType
  amount: number
  wallet: WalletAddress
  listingId?: string
  idempotencyKey?: string
}

/** Raised by `post_transfer` in 0002-ledger.sql. */
const INSUFFICIENT_TOKENS = 'JB001'

/** Posts one transfer and moves the balance it touches. Fails with INSUFFICIENT_TOKENS or BALANCE_LIMIT; the transaction is then lost. */
export async function postTransfer(tx: Tx, order: TransferOrder): Promise<void> {
  const { kind, tokenType, amount, wallet, listingId = null, idempotencyKey = null } = order
  try {
    await sql`select post_transfer(${kind}, ${tokenType}, ${amount}, ${wallet}, ${listingId}, ${idempotencyKey})`.execute(tx)
  } catch (error) {
    if (sqlState(error) === INSUFFICIENT_TOKENS) throw new Failure('INSUFFICIENT_TOKENS', { cause: error })
    if (violatedConstraint(error) === 'balance_bounds') throw new Failure('BALANCE_LIMIT', { cause: error })
    throw error
  }
}

/** The transfer that an idempotency key stands for, if it was ever posted. */
export async function findOrder(database: Database, idempotencyKey: string) {
  return database.selectFrom('transfers').selectAll().where('idempotencyKey', '=', idempotencyKey).executeTakeFirst()
}

/** How many of each token a wallet holds; tokens in its listings are not among them. */
export async function readBalances(database: Database, wallet: WalletAddress): Promise<Balances> {
  const rows = await database.selectFrom('balances').select(['tokenType', 'amount']).where('walletAddress', '=', wallet).execute()
  const balances: Balances = { appleJuice: 0, orangeJuice: 0, grapeSoda: 0 }
  for (const row of rows) balances[balanceKey(row.tokenType)] = Number(row.amount)
  return balances
}
