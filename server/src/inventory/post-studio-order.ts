import { type WalletAddress } from '@juicebar/contract/addresses'
import { Failure } from '@juicebar/contract/errors'
import { type TokenType } from '@juicebar/contract/token-types'

import { type Database } from '../database/connect.ts'
import { inTransaction } from '../database/transact.ts'
import { emitBalanceChanged } from './balance-events.ts'
import { findOrder, postTransfer } from './ledger-store.ts'

export interface TokenOrder {
  direction: 'credit' | 'debit'
  walletAddress: WalletAddress
  tokenType: TokenType
  amount: number
  idempotencyKey: string
}

export interface PostedOrder extends TokenOrder {
  id: string
  createdAt: string
}

/**
 * The only way tokens enter (credit) or leave (debit) the market. The same key answers the same again and moves nothing;
 * with other parameters it fails with IDEMPOTENCY_KEY_REUSED. A debit beyond the balance fails with INSUFFICIENT_TOKENS.
 */
export async function orderTokens(database: Database, order: TokenOrder): Promise<PostedOrder> {
  const posted = await findOrder(database, order.idempotencyKey)
  if (posted) return replay(posted, order)
  try {
    await post(database, order)
  } catch (error) {
    // An equal order that was posted meanwhile may have used up the key, or the tokens: then this one is its replay, not a refusal.
    if (!(await findOrder(database, order.idempotencyKey))) throw error
  }
  const stored = await findOrder(database, order.idempotencyKey)
  if (!stored) throw new Error('a posted order cannot be found')
  return replay(stored, order)
}

async function post(database: Database, { direction, walletAddress, tokenType, amount, idempotencyKey }: TokenOrder): Promise<void> {
  await inTransaction(database, async (tx) => {
    await postTransfer(tx, { kind: direction, tokenType, amount, wallet: walletAddress, idempotencyKey })
    await emitBalanceChanged(tx, walletAddress)
  })
}

type StoredOrder = NonNullable<Awaited<ReturnType<typeof findOrder>>>

function replay(stored: StoredOrder, order: TokenOrder): PostedOrder {
  const same =
    stored.kind === order.direction &&
    stored.walletAddress === order.walletAddress &&
    stored.tokenType === order.tokenType &&
    stored.amount === BigInt(order.amount)
  if (!same) throw new Failure('IDEMPOTENCY_KEY_REUSED')
  return { ...order, id: String(stored.id), createdAt: stored.createdAt.toISOString() }
}
