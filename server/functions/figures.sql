-- What the market traded, rolled up into candles. Nothing of it is written when a purchase is delivered: it is all derived from the order of
-- sales, up to a watermark.

create or replace function candle_length(p_step text) returns interval language sql immutable as $$
  select case p_step when '5m' then interval '5 minutes' when '1h' then interval '1 hour' when '1d' then interval '24 hours' end
$$;

create or replace function candle_start(p_step text, p_time timestamptz) returns timestamptz language sql immutable as $$
  select date_bin(candle_length(p_step), p_time, '2000-01-01 00:00:00+00'::timestamptz)
$$;
comment on function candle_start is 'When the candle begins that a time belongs to: a whole step in UTC, whatever the time zone of the session.';

create or replace function derive_candle(
  p_step text, p_token_type text, p_start timestamptz,
  out open bigint, out high bigint, out low bigint, out close bigint, out amount bigint, out lamports numeric, out trades bigint
) language plpgsql stable as $$
begin
  if p_step = '5m' then
    select (array_agg(t.unit_lamports order by t.settled_at, t.purchase_id, t.place))[1], max(t.unit_lamports), min(t.unit_lamports),
      (array_agg(t.unit_lamports order by t.settled_at desc, t.purchase_id desc, t.place desc))[1], sum(t.amount), sum(t.price_lamports), count(*)
    into open, high, low, close, amount, lamports, trades
    from (
      select trade_time(s.settled_at) as settled_at, s.purchase_id, s.place, s.amount, s.price_lamports, unit_lamports(s.price_lamports, s.amount)
      from sales s cross join candles_head head
      where s.token_type = p_token_type and not s.is_reversal and s.ordinal <= head.ordinal
        and trade_time(s.settled_at) >= p_start and trade_time(s.settled_at) < p_start + candle_length(p_step)
        and not exists (
          select from sales undone
          where undone.purchase_id = s.purchase_id and undone.place = s.place and undone.is_reversal and undone.ordinal <= head.ordinal
        )
    ) t;
  else
    select (array_agg(c.open order by c.start))[1], max(c.high), min(c.low), (array_agg(c.close order by c.start desc))[1], sum(c.amount),
      sum(c.lamports), coalesce(sum(c.trades), 0)
    into open, high, low, close, amount, lamports, trades
    from candles c
    where c.token_type = p_token_type and c.step = case p_step when '1h' then '5m' else '1h' end
      and c.start >= p_start and c.start < p_start + candle_length(p_step);
  end if;
end
$$;
comment on function derive_candle is
  'A candle from all its trades up to the watermark, or from the candles of the next shorter step. trades is 0 if there is nothing in it.';

create or replace function renew_candles(p_step text, p_tokens text[], p_times timestamptz[]) returns void language plpgsql as $$
begin
  with touched as (
    select distinct t.token_type, candle_start(p_step, t.time) as start from unnest(p_tokens, p_times) t (token_type, time)
  ), derived as (
    select t.token_type, t.start, d.open, d.high, d.low, d.close, d.amount, d.lamports, d.trades
    from touched t cross join lateral derive_candle(p_step, t.token_type, t.start) d
  ), emptied as (
    delete from candles c using derived d
      where d.trades = 0 and c.token_type = d.token_type and c.step = p_step and c.start = d.start
  )
  insert into candles (token_type, step, start, open, high, low, close, amount, lamports, trades)
    select token_type, p_step, start, open, high, low, close, amount, lamports, trades from derived where trades > 0
    on conflict (token_type, step, start) do update set open = excluded.open, high = excluded.high, low = excluded.low, close = excluded.close,
      amount = excluded.amount, lamports = excluded.lamports, trades = excluded.trades;
end
$$;
comment on function renew_candles is 'Derives the candles again that these times of these tokens belong to.';

create or replace function roll_up_sales(p_limit integer) returns integer language plpgsql as $$
declare
  head bigint;
  reached bigint;
  tokens text[];
  times timestamptz[];
begin
  if (select h.ordinal from candles_head h) >= (select h.ordinal from sales_head h) then
    return 0;
  end if;
  select ordinal into head from candles_head for update;
  -- Each statement sees what was committed before it began: under the lock, all that others have rolled up.
  select max(next.ordinal) into reached from (select ordinal from sales where ordinal > head order by ordinal limit p_limit) next;
  if reached is null then
    return 0;
  end if;
  -- Of a reversal, the time of what was undone.
  select array_agg(touched.token_type), array_agg(touched.start) into tokens, times from (
    select distinct s.token_type, candle_start('5m', s.settled_at) as start
    from sales told join sales s on s.purchase_id = told.purchase_id and s.place = told.place and not s.is_reversal
    where told.ordinal > head and told.ordinal <= reached
  ) touched;
  update candles_head set ordinal = reached;
  perform renew_candles('5m', tokens, times);
  perform renew_candles('1h', tokens, times);
  perform renew_candles('1d', tokens, times);
  return reached - head;
end
$$;
comment on function roll_up_sales is
  'Has the candles show the next sales in their order, at most p_limit, and returns how many it went on by. Only one at a time works, and nothing '
  'that lists, holds or delivers waits for it.';
