import { sql } from 'kysely'
import { type StatsGroup, type StatsRow } from '@juicebar/contract/schemas'
import { columnsSql, type Place } from '../../database/columns.ts'
import { type Database } from '../../database/connect.ts'
import { type Tx, withRetry } from '../../database/transact.ts'
import { type SaleRow } from './sale.ts'
import { type StatsRange } from './stats.ts'

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
  'checkoutId',
  'clientReference',
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

/** The row for an event at the time in this column. */
const keys = {
  day: (time: string) => sql`to_char(${sql.ref(time)} at time zone 'utc', 'YYYY-MM-DD')`,
  hour: (time: string) => sql`to_char(${sql.ref(time)} at time zone 'utc', 'YYYY-MM-DD"T"HH24:00:00"Z"')`,
  tokenType: () => sql`token_type`,
} as const

/** What was sold, credited and debited, in order of the days, hours or tokens. A sale whose payment the chain has undone does not count. */
export async function readFigures(database: Database, { from, to }: StatsRange, group: StatsGroup): Promise<StatsRow[]> {
  const keyOf = keys[group]
  const { rows } = await sql<StatsRow>`
    with sold as (
      select ${keyOf('settled_at')} as key, count(*) as sales, sum(amount) as amount, count(distinct buyer) as buyers,
        sum(price_lamports) as volume, sum(fee_lamports) as fees,
        percentile_cont(0.5) within group (order by price_lamports::float8 / amount) as median
      from sales s where not is_reversal and settled_at >= ${from} and settled_at < ${to}
        and not exists (select from sales r where r.purchase_id = s.purchase_id and r.is_reversal)
      group by key
    ), moved as (
      select ${keyOf('created_at')} as key, sum(amount) filter (where kind = 'credit') as credited, sum(amount) filter (where kind = 'debit') as debited
      from transfers where kind in ('credit', 'debit') and created_at >= ${from} and created_at < ${to}
      group by key
    )
    select key as ${sql.ref(group)}, coalesce(sales, 0)::float8 as sales, coalesce(amount, 0)::float8 as amount,
      coalesce(buyers, 0)::float8 as buyers,
      coalesce(volume, 0)::text as volume_lamports, (round(median::numeric, 9) * 0.000000001)::float8 as median_unit_price,
      coalesce(fees, 0)::text as fees_lamports, coalesce(credited, 0)::float8 as credited, coalesce(debited, 0)::float8 as debited
    from sold full join moved using (key) order by key
  `.execute(database)
  return rows
}

/** By the database's clock. */
export async function readNow(database: Database): Promise<Date> {
  const { rows } = await sql<{ now: Date }>`select now() as now`.execute(database)
  return rows[0]?.now ?? new Date()
}
