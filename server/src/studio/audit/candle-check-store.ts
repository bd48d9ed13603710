import { sql } from 'kysely'

/**
 * The sales of each token in each 5-minute step, according to the purchases themselves: neither the order of sales nor the figures rolled
 * up from it are trusted. Sales that are still waiting there, in this same snapshot, are not expected in the candles yet.
 */
const derived = sql`
  with ahead as (
    select purchase_id, i.place, s.is_reversal from sales_to_stamp s join purchase_items i using (purchase_id)
    union select purchase_id, place, is_reversal from sales where ordinal > (select ordinal from candles_head)
  ), sold as (
    select i.token_type, candle_start('5m', p.settled_at) as start, trade_time(p.settled_at) as at, p.id, i.place, i.amount, i.price_lamports,
      unit_lamports(i.price_lamports, i.amount)
    from purchases p join purchase_items i on i.purchase_id = p.id
    where p.status = 'settled' and not exists (select from ahead a where a.purchase_id = p.id and a.place = i.place and not a.is_reversal)
      and (
        not exists (select from cases c where c.purchase_id = p.id and c.kind = 'vanished')
        or exists (select from ahead a where a.purchase_id = p.id and a.place = i.place and a.is_reversal)
      )
  ), expected as (
    select token_type, start, (array_agg(unit_lamports order by at, id, place))[1] as open, max(unit_lamports) as high, min(unit_lamports) as low,
      (array_agg(unit_lamports order by at desc, id desc, place desc))[1] as close, sum(amount) as amount, sum(price_lamports) as lamports,
      count(*) as trades
    from sold group by token_type, start
  )`

/** The candles of a longer step, by those of the shortest. */
const summed = (step: string) => sql`
  with expected as (
    select token_type, candle_start(${step}, c.start) as start, (array_agg(open order by c.start))[1] as open, max(high) as high, min(low) as low,
      (array_agg(close order by c.start desc))[1] as close, sum(amount) as amount, sum(lamports) as lamports, sum(trades) as trades
    from candles c where step = '5m' group by 1, 2
  )`

const figures = (row: string) =>
  sql.raw(
    `(${['open', 'high', 'low', 'close', 'amount', 'lamports', 'trades'].map((column) => `coalesce(${row}.${column}, -1)`).join(', ')})`,
  )

const differences = (expected: typeof derived, step: string) => sql<{ detail: string }>`
  ${expected}
  select 'the ' || ${step} || ' candle of ' || token_type || ' at ' || json_time(start) || ' is not what was sold' as detail
  from expected e full join (
    select token_type, start, open, high, low, close, amount, lamports, trades from candles where step = ${step}
  ) c using (token_type, start)
  where ${figures('e')} <> ${figures('c')}
  order by start, token_type limit 20`

/** Each finds candles that differ from the ledger; `detail` names one. */
export const candleChecks = [differences(derived, '5m'), differences(summed('1h'), '1h'), differences(summed('1d'), '1d')].map((query) => ({
  invariant: 'I6',
  query,
}))
