import { MAX_CANDLES, MAX_LEVELS } from '@juicebar/contract/limits'
import { type TokenType } from '@juicebar/contract/catalogue'
import type pg from 'pg'
import { type Reads, type Database } from '../database/connect.ts'
import { type CandleQuery, type CandleRow, type LevelRow, type SummaryRow, type TradePosition, type TradeRow } from './figures.ts'
import { withRetry } from '../database/transact.ts'

/** The candles of a range, oldest first, for all sales that are rolled up. */
export async function readCandles(reads: Reads, { tokenType, step, from, to }: CandleQuery): Promise<CandleRow[]> {
  const { rows } = await reads.query<CandleRow>({
    name: 'candles',
    text: `
      select start, open, high, low, close, amount, lamports, trades
      from candles where token_type = $1 and step = $2 and start >= $3 and start < $4
      order by start limit ${MAX_CANDLES + 1}`,
    values: [tokenType, step, from, to],
  })
  return rows
}

/** The cheapest prices at which a token is for sale now: listings that are not held, of sellers who are not frozen. */
export async function readLevels(reads: Reads, tokenType: string): Promise<LevelRow[]> {
  const { rows } = await reads.query<LevelRow>({
    name: 'depth',
    text: `
      select unit_lamports as "unitLamports", sum(amount)::bigint as amount, count(*) as listings, sum(sum(amount)) over () as total
      from (
        select unit_lamports(l.price_lamports, l.amount), l.amount
        from listings l
        where l.status = 'active' and l.token_type = $1 and l.held_by is null and l.seller <> all ((select frozen_sellers())::text[])
      ) offers
      group by unit_lamports order by unit_lamports limit ${MAX_LEVELS}`,
    values: [tokenType],
  })
  return rows
}

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

/**
 * The figures of these tokens, in alphabetical order, for all sales that are rolled up. The volume of the last 24 hours is summed from
 * whole hours, from the 5-minute steps and from the single trades before them, so that few rows are read however much was traded.
 */
export async function readSummary(reads: Reads, tokenTypes: readonly TokenType[]): Promise<SummaryRow[]> {
  const { rows } = await reads.query<SummaryRow>({ name: 'summary', text: summarySql, values: [tokenTypes] })
  return rows
}

const trade = 'not s.is_reversal and s.token_type = t.token_type'
const isKept = 'not exists (select from sales undone where undone.purchase_id = s.purchase_id and undone.is_reversal)'
const candle = (step: string) => `c.token_type = t.token_type and c.step = '${step}'`

const summarySql = `
  with edges as (
    select day_ago, candle_start('5m', day_ago) as step, candle_start('5m', day_ago) + interval '5 minutes' as next_step,
      -- The first whole hour that does not begin before that.
      candle_start('1h', candle_start('5m', day_ago) + interval '1 hour 4 minutes') as hour
    from (select now() - interval '24 hours' as day_ago) today
  )
  select t.token_type as "tokenType", offers.floor, offers.amount, last.close as last,
    coalesce(before.unit_lamports, earlier.close) as "lastBefore", volume.lamports as "volumeLamports"
  from unnest($1::text[]) as t (token_type) cross join edges e
  cross join lateral (
    select min(unit_lamports(l.price_lamports, l.amount)) as floor, coalesce(sum(l.amount), 0)::text as amount
    from listings l
    where l.status = 'active' and l.token_type = t.token_type and l.held_by is null and l.seller <> all ((select frozen_sellers())::text[])
  ) offers
  left join lateral (select c.close from candles c where ${candle('5m')} order by c.start desc limit 1) last on true
  left join lateral (
    select unit_lamports(s.price_lamports, s.amount) from sales s
    where ${trade} and trade_time(s.settled_at) >= e.step and trade_time(s.settled_at) <= e.day_ago and ${isKept}
    order by trade_time(s.settled_at) desc, s.purchase_id desc, s.place desc limit 1
  ) before on true
  left join lateral (select c.close from candles c where ${candle('5m')} and c.start < e.step order by c.start desc limit 1) earlier on true
  cross join lateral (
    select coalesce(sum(part.lamports), 0)::text as lamports from (
      select s.price_lamports as lamports from sales s
        where ${trade} and trade_time(s.settled_at) > e.day_ago and trade_time(s.settled_at) < e.next_step and ${isKept}
      union all select c.lamports from candles c where ${candle('5m')} and c.start >= e.next_step and c.start < e.hour
      union all select c.lamports from candles c where ${candle('1h')} and c.start >= e.hour
    ) part
  ) volume
  order by t.token_type`

/** The most sales that one page scans, including those whose payment the chain has undone. */
const SCAN_LIMIT = 1_000

/**
 * Whether a payment is a message that the market has reserved and signed, under whichever of its buyer's signatures. Not whether the purchase
 * was made so: its buyer may pay late without the market. A message begins behind the two signatures and their number.
 */
const IS_CO_SIGNED = `
      exists (
        select from payments paid join payments reserved on reserved.message_hash = sha256(substring(paid.transaction_bytes from 130))
        where paid.signature = numbered.signature
      )`

export interface TradesQuery {
  tokenType: string | undefined
  limit: number
  after: TradePosition | undefined
}

export interface TradesPage {
  trades: TradeRow[]
  /** Where the next page starts; undefined after the last. A page can be short and still have a next one. */
  next: TradePosition | undefined
}

/** A page of trades, the newest first. Following `next` neither skips nor repeats one. */
export async function readTrades(reads: Reads, query: TradesQuery): Promise<TradesPage> {
  const { rows } = await reads.query<TradeRow & { isKept: boolean }>(tradesStatement(query))
  const trades = rows.filter(({ isKept }) => isKept)
  if (trades.length > query.limit) return { trades: trades.slice(0, query.limit), next: trades[query.limit - 1] }
  const scanEnd = rows.at(-1)
  return { trades, next: scanEnd?.isKept === false ? scanEnd : undefined }
}

/**
 * One walk along an index, which ends at its limit however many rows are filtered out. Its last sale is returned even if it is not a trade.
 */
function tradesStatement({ tokenType, limit, after }: TradesQuery): pg.QueryConfig<unknown[]> {
  const values: unknown[] = [limit]
  const parameter = (value: unknown, type: string) => `$${values.push(value)}::${type}`
  const ofToken = tokenType === undefined ? '' : `and s.token_type = ${parameter(tokenType, 'text')}`
  const afterCursor = after
    ? `and (trade_time(s.settled_at), s.purchase_id, s.place) < (${parameter(after.settledAt, 'timestamptz')}, ${parameter(after.purchaseId, 'uuid')}, ${parameter(after.place, 'smallint')})`
    : ''
  const text = `
    select purchase_id as "purchaseId", place, token_type as "tokenType", amount, price_lamports as "priceLamports",
      unit_lamports as "unitLamports", fee_lamports as "feeLamports", signature, settled_at as "settledAt", is_kept as "isKept",
      ${IS_CO_SIGNED} as "coSigned"
    from (
      select purchase_id, place, token_type, amount, price_lamports, unit_lamports(price_lamports, amount), fee_lamports, signature, settled_at,
        is_kept, row_number() over (order by settled_at desc, purchase_id desc, place desc) = ${SCAN_LIMIT} as is_scan_end
      from (
        select s.purchase_id, s.place, s.token_type, s.amount, s.price_lamports, s.fee_lamports, s.signature, trade_time(s.settled_at) as settled_at,
          coalesce((select false from sales undone where undone.purchase_id = s.purchase_id and undone.is_reversal limit 1), true) as is_kept
        from sales s
        where not s.is_reversal ${ofToken} ${afterCursor}
        order by trade_time(s.settled_at) desc, s.purchase_id desc, s.place desc
        limit ${SCAN_LIMIT}
      ) scanned
    ) numbered
    where is_kept or is_scan_end
    order by settled_at desc, purchase_id desc, place desc
    limit $1::int + 1`
  return { name: `trades${tokenType === undefined ? '' : ' of token'}${after ? ' after' : ''}`, text, values }
}
