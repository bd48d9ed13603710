import { type Database } from '../../database/connect.ts'
import { withRetry } from '../../database/transact.ts'

/** Of one short statement: purchases that get their places, or sales that are rolled up. */
const AT_ONCE = 1_000

/**
 * Has the candles show what was settled before the call, as far as one short statement each reaches. `roll_up_sales` in 0027-candles.sql
 * explains why no sale is left out or counted twice, however many servers do this and whenever one of them is killed.
 * @returns how much it went on; 0 if nothing is left
 */
export async function rollUpSales(database: Database): Promise<number> {
  const run = async (name: string) => {
    const [row] = await withRetry(() => database.runStatement<{ count: number }>(`select ${name}($1) as count`, [AT_ONCE]))
    return row?.count ?? 0
  }
  return (await run('stamp_sales')) + (await run('roll_up_sales'))
}
