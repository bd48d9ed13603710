import { type Query, type Reply } from '@juicebar/contract/calls'
import { SALES_PAGE } from '@juicebar/contract/limits'
import { type Database } from '../../database/connect.ts'
import { entriesAfter, parsePlaceCursor, placeCursor, start } from '../../database/columns.ts'
import { listUnmatchedFrom } from './unmatched-store.ts'

/**
 * The co-signed payments that became cases after a place in their order.
 * @throws CURSOR_INVALID, or CURSOR_EPOCH if the database has gone back behind that place
 */
export async function readUnmatched(
  database: Database,
  { after: cursor, limit = SALES_PAGE }: Query<'unmatched'>,
): Promise<Reply<'unmatched'>> {
  const after = cursor === undefined ? start : parsePlaceCursor(cursor)
  const found = entriesAfter(after, await listUnmatchedFrom(database, after, limit + 1)).slice(0, limit)
  return {
    payments: found.map(({ signature, openedAt }) => ({ signature, openedAt: openedAt.toISOString() })),
    next: placeCursor(found.at(-1) ?? after),
  }
}
