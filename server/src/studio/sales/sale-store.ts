import { sql } from 'kysely'
import { columnsSql, type Place } from '../../database/columns.ts'
import { type Database } from '../../database/connect.ts'
import { type Tx, withRetry } from '../../database/transact.ts'
import { type SaleRow } from './sale.ts'

/** A row of `sales_of` in functions/sales.sql. */
const itemColumns = [
  'place',
  'listingId',
  'buyer',
  'seller',
  'tokenType',
  'amount',
  'priceLamports',
  'feeLamports',
  'feeBasisPoints',
  'signature',
  'settledAt',
] as const satisfies (keyof SaleRow)[]
const saleColumns = ['purchaseId', 'isReversal', ...itemColumns] as const satisfies (keyof SaleRow)[]

/**
 * Gives a place to everything settled before the call, for at most this many purchases. `stamp_sales` in functions/sales.sql explains
 * why no sale can get a place below one that was read.
 * @returns how many places it gave
 */
export async function stampSales(database: Database, purchases: number): Promise<number> {
  const [row] = await withRetry(() => database.runStatement<{ stamped: number }>('select stamp_sales($1) as stamped', [purchases]))
  return row?.stamped ?? 0
}

export type PlacedSale = SaleRow & Place

/**
 * The sale at a position and those after it, in order, at most `limit` in total. If the first is missing, the database has no sale there,
 * or a different one.
 */
export async function listSalesFrom(database: Database, { ordinal }: Place, limit: number): Promise<PlacedSale[]> {
  const { rows } = await sql<PlacedSale>`
    select s.ordinal, (extract(epoch from s.stamped_at) * 1000000)::bigint as stamped_at, ${sql.raw(columnsSql('s', saleColumns))}
    from sales s where s.ordinal >= ${ordinal} order by s.ordinal limit ${limit}
  `.execute(database)
  return rows
}

/** The sales of settled purchases, by the purchase. */
export async function findSalesOf(tx: Tx, purchaseIds: readonly string[]): Promise<Map<string, SaleRow[]>> {
  const sales = new Map(purchaseIds.map((id): [string, SaleRow[]] => [id, []]))
  if (sales.size === 0) return sales
  const { rows } = await sql<SaleRow>`
    select purchase_id, false as is_reversal, ${sql.raw(columnsSql('s', itemColumns))}
    from unnest(${[...sales.keys()]}::uuid[]) purchase_id cross join lateral sales_of(purchase_id) s order by purchase_id, s.place
  `.execute(tx)
  for (const sale of rows) sales.get(sale.purchaseId)?.push(sale)
  return sales
}
