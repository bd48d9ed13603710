import { type WalletAddress } from '@juicebar/contract/addresses'
import { Failure } from '@juicebar/contract/errors'
import { type Block } from '@juicebar/contract/schemas'

import { type Database } from '../../database/connect.ts'
import { inTransaction } from '../../database/transact.ts'
import { blockReply } from '../../restrictions/block.ts'
import {
  deleteBlock,
  emitBlock,
  FIRST_ID,
  lockRestrictions,
  saveBlock,
  takeBackListings,
} from '../../restrictions/restriction-change-store.ts'
import { insertLogEntry } from '../studio-log-store.ts'

/** Listings taken back in one transaction. */
const BATCH = 100

interface BlockOrder {
  wallet: WalletAddress
  reason: string
  until: Date | null
  removeListings: boolean
  actor: string
}

/**
 * Blocks a wallet, or changes its block. When this returns, none of its earlier allowed listings or holds is still in progress. With
 * `removeListings`, its listings are taken back, except those that buyers hold: they follow if their hold ends unpaid.
 * @throws BAD_REQUEST if `until` has passed
 */
export async function recordBlock(database: Database, order: BlockOrder): Promise<{ block: Block; removedListings: number }> {
  const { wallet, reason, until, removeListings, actor } = order
  const block = await inTransaction(database, async (tx) => {
    await lockRestrictions(tx)
    const row = await saveBlock(tx, { walletAddress: wallet, reason, until, takesListings: removeListings, actor })
    if (!row) throw new Failure('BAD_REQUEST', { detail: 'until must be in the future.' })
    await insertLogEntry(tx, { actor, call: 'blockWallet', subject: wallet, reason })
    await emitBlock(tx, wallet)
    return blockReply(row)
  })
  return { block, removedListings: removeListings ? await takeBackAll(database, wallet) : 0 }
}

async function takeBackAll(database: Database, seller: WalletAddress): Promise<number> {
  let removed = 0
  for (let after: string | null = FIRST_ID; after !== null;) {
    const batch: { seller: WalletAddress; after: string; most: number } = { seller, after, most: BATCH }
    const { last, taken } = await inTransaction(database, (tx) => takeBackListings(tx, batch))
    removed += taken
    after = last
  }
  return removed
}

interface Unblocking {
  wallet: WalletAddress
  reason?: string | undefined
  actor: string
}

/** Ends the block of a wallet, if there is one. */
export async function recordUnblock(database: Database, { wallet, reason, actor }: Unblocking): Promise<void> {
  await inTransaction(database, async (tx) => {
    await lockRestrictions(tx)
    await deleteBlock(tx, wallet)
    await insertLogEntry(tx, { actor, call: 'unblockWallet', subject: wallet, reason: reason ?? null })
    await emitBlock(tx, wallet)
  })
}
