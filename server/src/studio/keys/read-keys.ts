import { type Reply } from '@juicebar/contract/calls'
import { Failure } from '@juicebar/contract/errors'

import { type Database } from '../../database/connect.ts'
import { isId } from '../../listings/listing.ts'
import { keyReply } from './studio-key.ts'
import { listKeys } from './studio-key-store.ts'

/**
 * One page of the keys, the newest first.
 * @throws CURSOR_INVALID
 */
export async function readKeys(
  database: Database,
  { cursor, limit }: { cursor: string | undefined; limit: number },
): Promise<Reply<'studioKeys'>> {
  if (cursor !== undefined && !isId(cursor)) throw new Failure('CURSOR_INVALID')
  const rows = await listKeys(database, { before: cursor, limit: limit + 1 })
  const shown = rows.slice(0, limit)
  return { keys: shown.map(keyReply), nextCursor: rows.length > limit ? (shown.at(-1)?.id ?? null) : null }
}
