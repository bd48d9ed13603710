import { type Query, type Reply } from '@juicebar/contract/calls'
import { Failure } from '@juicebar/contract/errors'
import { SALES_PAGE } from '@juicebar/contract/limits'

import { type Database } from '../../database/connect.ts'
import { parseSaleCursor, saleCursor, type SalePosition, saleReply, start } from './sale.ts'
import { listSalesFrom, type PlacedSale, stampSales } from './sale-store.ts'
import { STAMPED_AT_ONCE } from './run-stamping.ts'

/**
 * The sales after a place in their order, including everything settled before the call.
 * @throws CURSOR_INVALID, or CURSOR_EPOCH if the database has gone back behind that place
 */
export async function readSales(
  database: Database,
  { after: cursor, limit = SALES_PAGE }: Query<'studioSales'>,
): Promise<Reply<'studioSales'>> {
  const after = cursor === undefined ? start : parseSaleCursor(cursor)
  await stampSales(database, STAMPED_AT_ONCE)
  const found = salesAfter(after, await listSalesFrom(database, after, limit + 1)).slice(0, limit)
  return { sales: found.map(saleReply), next: saleCursor(found.at(-1) ?? after) }
}

function salesAfter(after: SalePosition, found: readonly PlacedSale[]): readonly PlacedSale[] {
  if (after.ordinal === start.ordinal) return found
  const [last, ...others] = found
  if (last?.ordinal !== after.ordinal || last.stampedAt !== after.stampedAt) throw new Failure('CURSOR_EPOCH')
  return others
}
