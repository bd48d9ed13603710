import { type Query, type Reply } from '@juicebar/contract/calls'
import { SALES_PAGE } from '@juicebar/contract/limits'
import { type StatsRow } from '@juicebar/contract/schemas'
import { type Database } from '../../database/connect.ts'
import { entriesAfter, parsePlaceCursor, placeCursor, start } from '../../database/columns.ts'
import { saleReply } from './sale.ts'
import { listSalesFrom, stampSales, readFigures, readNow } from './sale-store.ts'
import { readRange } from './stats.ts'

/** Purchases of one short statement: more than the longest page of sales has. What was settled before the last second has its place already. */
const STAMPED_AT_ONCE = 1_000

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

/**
 * What was sold, credited and debited, by day, hour or drink.
 * @throws BAD_REQUEST
 */
export async function readStats(database: Database, { from, to, group = 'day' }: Query<'studioStats'>): Promise<StatsRow[]> {
  const range = readRange({ ...(from !== undefined && { from }), ...(to !== undefined && { to }) }, await readNow(database), group)
  await stampSales(database, STAMPED_AT_ONCE)
  return readFigures(database, range, group)
}
