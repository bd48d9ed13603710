import { type Query, type Reply } from '@juicebar/contract/calls'
import { SALES_PAGE } from '@juicebar/contract/limits'

import { type Database } from '../../database/connect.ts'
import { entriesAfter, parsePlaceCursor, placeCursor, start } from '../../database/place.ts'
import { saleReply } from './sale.ts'
import { listSalesFrom, stampSales } from './sale-store.ts'
import { STAMPED_AT_ONCE } from './run-stamping.ts'

/**
 * The sales after a place in their order, including everything settled before the call.
 * @throws CURSOR_INVALID, or CURSOR_EPOCH if the database has gone back behind that place
 */
export async function readSales(
  database: Database,
  { after: cursor, limit = SALES_PAGE }: Query<'studioSales'>,
): Promise<Reply<'studioSales'>> {
  const after = cursor === undefined ? start : parsePlaceCursor(cursor)
  await stampSales(database, STAMPED_AT_ONCE)
  const found = entriesAfter(after, await listSalesFrom(database, after, limit + 1)).slice(0, limit)
  return { sales: found.map(saleReply), next: placeCursor(found.at(-1) ?? after) }
}
