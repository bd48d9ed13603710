import { type Player } from '@juicebar/contract/schemas'

import { balancesOf } from '../../catalogue/balances.ts'
import { type Catalogue } from '../../catalogue/catalogue.ts'
import { type Database } from '../../database/connect.ts'
import { readBalances } from '../../inventory/ledger-store.ts'
import { blockReply } from '../../restrictions/block.ts'
import { findBlock } from '../../restrictions/restriction-store.ts'
import { requireWallet } from '../wallet.ts'
import { readActivity } from './player-store.ts'

/**
 * What a player has and does; also works for a wallet that never signed in.
 * @throws WALLET_ADDRESS_INVALID
 */
export async function readPlayer(database: Database, address: string, catalogue: Catalogue): Promise<Player> {
  const wallet = requireWallet(address)
  const [balances, { createdAt, listed, ...activity }, block] = await Promise.all([
    readBalances(database, wallet, catalogue),
    readActivity(database, wallet),
    findBlock(database, wallet),
  ])
  return {
    walletAddress: wallet,
    createdAt: createdAt?.toISOString() ?? null,
    balances,
    listed: balancesOf(catalogue, listed),
    ...activity,
    block: block ? blockReply(block) : null,
  }
}
