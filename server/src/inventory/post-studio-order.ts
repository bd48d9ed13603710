import { Failure } from '@juicebar/contract/errors'
import { type BaseLogger } from 'pino'

import { mayHaveSigner } from '../chain/transactions/signing-key.ts'
import { type Database } from '../database/connect.ts'
import { isOutcomeUnknown } from '../database/database-outage.ts'
import { inTransaction } from '../database/transact.ts'
import { emitBalanceChanged, findStudioOrder, postTransfer, type StoredOrder } from './ledger-store.ts'
import { type StudioOrder } from './studio-order.ts'

export interface PostedOrder extends StudioOrder {
  id: string
  createdAt: string
}

export interface OrderDeps {
  database: Database
  log: Pick<BaseLogger, 'info'>
}

/**
 * Posts a credit or debit: the only way for tokens to enter or leave the market. An order with a known idempotency key moves
 * nothing and returns the order posted with that key.
 * @throws IDEMPOTENCY_KEY_REUSED if the key belongs to a different order; WALLET_CANNOT_SIGN for a credit that nobody could use;
 * INSUFFICIENT_TOKENS; BALANCE_LIMIT
 */
export async function postStudioOrder({ database, log }: OrderDeps, order: StudioOrder): Promise<PostedOrder> {
  const posted = await findStudioOrder(database, order.idempotencyKey)
  if (posted) return replay(posted, order)
  if (order.direction === 'credit' && !mayHaveSigner(order.walletAddress)) throw new Failure('WALLET_CANNOT_SIGN')
  await postOnce({ database, log }, order)
  const stored = await findStudioOrder(database, order.idempotencyKey)
  if (!stored) throw new Error('a posted order is missing')
  return replay(stored, order)
}

/** Makes sure that an order with this key is posted, and logs the one that this call has posted. */
async function postOnce({ database, log }: OrderDeps, order: StudioOrder): Promise<void> {
  try {
    await post(database, order)
  } catch (error) {
    // The same order may have been posted concurrently, taking the key or the tokens, or by this call before its connection was lost.
    const isPosted = await findStudioOrder(database, order.idempotencyKey).catch(() => undefined)
    if (!isPosted) throw error
    if (!isOutcomeUnknown(error)) return
  }
  const { direction, walletAddress: wallet, tokenType, amount, idempotencyKey } = order
  log.info({ wallet, tokenType, amount, idempotencyKey }, `a ${direction}`)
}

async function post(database: Database, { direction, walletAddress, tokenType, amount, idempotencyKey }: StudioOrder): Promise<void> {
  await inTransaction(database, async (tx) => {
    await postTransfer(tx, { kind: direction, tokenType, amount, wallet: walletAddress, idempotencyKey })
    await emitBalanceChanged(tx, walletAddress)
  })
}

function replay(stored: StoredOrder, order: StudioOrder): PostedOrder {
  const same =
    stored.kind === order.direction &&
    stored.walletAddress === order.walletAddress &&
    stored.tokenType === order.tokenType &&
    stored.amount === BigInt(order.amount)
  if (!same) throw new Failure('IDEMPOTENCY_KEY_REUSED')
  return { ...order, id: String(stored.id), createdAt: stored.createdAt.toISOString() }
}
