import { type TokenType } from '@juicebar/contract/catalogue'

import { type Reads } from '../../database/connect.ts'
import { type SummaryRow } from './summary.ts'

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
