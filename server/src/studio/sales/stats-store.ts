import { type StatsGroup } from '@juicebar/contract/schemas'
import { type TokenType } from '@juicebar/contract/catalogue'
import { sql } from 'kysely'
import { type Database } from '../../database/connect.ts'
import { type StatsRange } from './stats.ts'

/** Of one day, hour or token. */
export interface Figures {
  day?: string
  hour?: string
  tokenType?: TokenType
  sales: number
  buyers: number
  volumeLamports: string
  /** In SOL. */
  medianUnitPrice: number | null
  feesLamports: string
  credited: number
  debited: number
}

/** The row for an event at the time in this column. */
const keys = {
  day: (time: string) => sql`to_char(${sql.ref(time)} at time zone 'utc', 'YYYY-MM-DD')`,
  hour: (time: string) => sql`to_char(${sql.ref(time)} at time zone 'utc', 'YYYY-MM-DD"T"HH24:00:00"Z"')`,
  tokenType: () => sql`token_type`,
} as const

/** What was sold, credited and debited, in order of the days, hours or tokens. A sale whose payment the chain has undone does not count. */
export async function readFigures(database: Database, { from, to }: StatsRange, group: StatsGroup): Promise<Figures[]> {
  const keyOf = keys[group]
  const { rows } = await sql<Figures>`
    with sold as (
      select ${keyOf('settled_at')} as key, count(*) as sales, count(distinct buyer) as buyers, sum(price_lamports) as volume, sum(fee_lamports) as fees,
        percentile_cont(0.5) within group (order by price_lamports::float8 / amount) as median
      from sales s where not is_reversal and settled_at >= ${from} and settled_at < ${to}
        and not exists (select from sales r where r.purchase_id = s.purchase_id and r.is_reversal)
      group by key
    ), moved as (
      select ${keyOf('created_at')} as key, sum(amount) filter (where kind = 'credit') as credited, sum(amount) filter (where kind = 'debit') as debited
      from transfers where kind in ('credit', 'debit') and created_at >= ${from} and created_at < ${to}
      group by key
    )
    select key as ${sql.ref(group)}, coalesce(sales, 0)::float8 as sales, coalesce(buyers, 0)::float8 as buyers,
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
