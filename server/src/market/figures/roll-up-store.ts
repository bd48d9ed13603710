import { type Database, type Reads } from '../../database/connect.ts'
import { withRetry } from '../../database/transact.ts'

/** Per short statement: purchases that get their places, or sales that are rolled up. */
const AT_ONCE = 1_000

/**
 * Updates the candles with sales settled before the call, as many as one short statement each can handle. `roll_up_sales` in
 * functions/figures.sql explains why no sale is left out or counted twice, however many servers do this and whenever one of them is killed.
 * @returns how many it processed; 0 if nothing is left
 */
export async function rollUpSales(database: Database): Promise<number> {
  return (await stampSales(database)) + (await run(database, 'roll_up_sales'))
}

/**
 * Puts sales settled before the call into the order of sales, as many as one short statement can handle.
 * @returns how many it processed; 0 if nothing is left
 */
export function stampSales(database: Database): Promise<number> {
  return run(database, 'stamp_sales')
}

async function run(database: Database, name: 'stamp_sales' | 'roll_up_sales'): Promise<number> {
  const [row] = await withRetry(() => database.runStatement<{ count: number }>(`select ${name}($1) as count`, [AT_ONCE]))
  return row?.count ?? 0
}

/** The last place in the order of sales: nothing is added at or below it any more. */
export async function readLastOrdinal(reads: Reads): Promise<bigint> {
  const { rows } = await reads.query<{ ordinal: bigint }>({ name: 'last sale', text: 'select ordinal from sales_head', values: [] })
  const [row] = rows
  if (!row) throw new Error('the order of sales has no head')
  return row.ordinal
}
