import { type Query, type Reply } from '@juicebar/contract/calls'
import { SALES_PAGE } from '@juicebar/contract/limits'
import { type StatsRow } from '@juicebar/contract/schemas'
import { type Database } from '../../database/connect.ts'
import { entriesAfter, parsePlaceCursor, placeCursor, start } from '../../database/columns.ts'
import { saleReply } from './sale.ts'
import { listSalesFrom, stampSales, readFigures, readNow } from './sale-store.ts'
import { readRange } from './stats.ts'
import { type Job } from '../../runtime/repeat.ts'

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

/** Settled a moment ago; all others already have their place. */
const LATEST = 1_000

/**
 * What was sold, credited and debited, by day, hour or drink.
 * @throws BAD_REQUEST
 */
export async function readStats(database: Database, { from, to, group = 'day' }: Query<'studioStats'>): Promise<StatsRow[]> {
  const range = readRange({ ...(from !== undefined && { from }), ...(to !== undefined && { to }) }, await readNow(database), group)
  await stampSales(database, LATEST)
  return readFigures(database, range, group)
}

/** Purchases of one short statement: more than the longest page of sales has. */
const STAMPED_AT_ONCE = 1_000
const EVERY_MILLIS = 1_000

/**
 * Gives every sale its place within about a second, even if nobody reads them; every server does this.
 */
export function stampingJob(database: Database): Job {
  return {
    name: 'order of sales',
    everyMillis: EVERY_MILLIS,
    failure: 'sales cannot be put in order; trying again',
    run: async (signal) => {
      while (!signal.aborted && (await stampSales(database, STAMPED_AT_ONCE)) > 0);
    },
  }
}
