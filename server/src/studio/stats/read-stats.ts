import { type Query } from '@juicebar/contract/calls'
import { type StatsRow } from '@juicebar/contract/schemas'

import { type Database } from '../../database/connect.ts'
import { stampSales } from '../sales/sale-store.ts'
import { readRange } from './stats.ts'
import { readFigures, readNow } from './stats-store.ts'

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
