import { type WalletAddress } from '@juicebar/contract/addresses'
import { type OwnBlock } from '@juicebar/contract/schemas'

import { type Database } from '../database/connect.ts'
import { blockReply } from './block.ts'
import { signInRefusal } from './restriction.ts'
import { findBlock, hasOpenBusiness } from './restriction-store.ts'

/**
 * Lets a blocked wallet sign in only while it has a listing, an open purchase or an open case.
 * @throws BLOCKED
 */
export async function checkSignIn(database: Database, wallet: WalletAddress): Promise<void> {
  const block = await findBlock(database, wallet)
  if (block && !(await hasOpenBusiness(database, wallet))) throw signInRefusal(blockReply(block))
}

/** The part of a wallet's block that its player may see. */
export async function readOwnBlock(database: Database, wallet: WalletAddress): Promise<OwnBlock | undefined> {
  const block = await findBlock(database, wallet)
  if (!block) return undefined
  const { reason, until } = blockReply(block)
  return { reason, until }
}
