import { type Reply } from '@juicebar/contract/calls'

import { type Database } from '../../database/connect.ts'
import { blockCursor, blockReply, parseBlockCursor } from '../../restrictions/block.ts'
import { listBlocks } from '../../restrictions/restriction-store.ts'

/**
 * One page of the wallets that are blocked, the latest block first.
 * @throws CURSOR_INVALID
 */
export async function readBlocks(
  database: Database,
  { cursor, limit }: { cursor: string | undefined; limit: number },
): Promise<Reply<'studioBlocks'>> {
  const rows = await listBlocks(database, { after: cursor === undefined ? undefined : parseBlockCursor(cursor), limit: limit + 1 })
  const shown = rows.slice(0, limit)
  const end = rows.length > limit ? shown.at(-1) : undefined
  return {
    blocks: shown.map(blockReply),
    nextCursor: end ? blockCursor({ sinceMicros: end.sinceMicros, wallet: end.walletAddress }) : null,
  }
}
