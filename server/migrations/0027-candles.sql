-- compatible: older servers may run on it
-- What the market traded: trades, and candles that are rolled up from them. Nothing of it is written when a purchase is delivered: it is all
-- derived from the order of sales, up to a watermark. Older servers go on putting sales in order, and leave the candles to newer ones.

create function trade_time(p_time timestamptz) returns timestamptz language sql immutable as $$
  select date_bin('1 millisecond', p_time, '2000-01-01 00:00:00+00'::timestamptz)
$$;
comment on function trade_time is
  'A time as replies show it, in whole milliseconds: whoever sorts trades by what was shown gets the order in which candles open and close.';

create function unit_lamports(p_lamports bigint, p_amount bigint) returns bigint language sql immutable as $$
  select (2 * p_lamports + p_amount) / (2 * p_amount)
$$;
comment on function unit_lamports is 'What one costs, in whole lamports (nine decimals of SOL); a half is rounded up. Exact: only integers.';

create function candle_length(p_step text) returns interval language sql immutable as $$
  select case p_step when '5m' then interval '5 minutes' when '1h' then interval '1 hour' when '1d' then interval '24 hours' end
$$;

create function candle_start(p_step text, p_time timestamptz) returns timestamptz language sql immutable as $$
  select date_bin(candle_length(p_step), p_time, '2000-01-01 00:00:00+00'::timestamptz)
$$;
comment on function candle_start is 'When the candle begins that a time belongs to: a whole step in UTC, whatever the time zone of the session.';

create index sales_as_trades on sales (trade_time(settled_at), purchase_id, place) where not is_reversal;
create index sales_as_trades_of_token on sales (token_type, trade_time(settled_at), purchase_id, place) where not is_reversal;
comment on index sales_as_trades is 'Trades in their order, which is that of their times and then of their ids; of one token by the next index.';

create view trades as
  select s.purchase_id, s.place, s.token_type, s.amount, s.price_lamports, unit_lamports(s.price_lamports, s.amount) as unit_lamports,
    s.signature, trade_time(s.settled_at) as settled_at
  from sales s
  where not s.is_reversal and not exists (select from sales undone where undone.purchase_id = s.purchase_id and undone.is_reversal);
comment on view trades is 'The sales whose payment the chain has kept.';

create table candles (
  token_type text not null,
  step text not null check (step in ('5m', '1h', '1d')),
  start timestamptz not null,
  open bigint not null,
  high bigint not null,
  low bigint not null,
  close bigint not null,
  amount bigint not null,
  lamports numeric not null,
  trades bigint not null check (trades > 0),
  primary key (token_type, step, start)
) with (fillfactor = 80);
comment on table candles is
  'What was traded of a token in a step of time, from its start up to the next. Steps without a trade have none. Written by roll_up_sales alone, '
  'which never adds to one: it derives those again in which something was sold or undone. open, high, low and close are unit_lamports.';
comment on column candles.lamports is 'What was paid in all, without fees. In numeric, as the sum of the highest prices is no bigint.';

create table candles_head (
  only_row boolean primary key default true check (only_row),
  ordinal bigint not null
);
comment on table candles_head is
  'The watermark: candles show all sales up to this ordinal, and none after it. Its row is also the lock that lets one roll_up_sales work at a time.';
insert into candles_head (ordinal) values (0);

create function derive_candle(
  p_step text, p_token_type text, p_start timestamptz,
  out open bigint, out high bigint, out low bigint, out close bigint, out amount bigint, out lamports numeric, out trades bigint
) language plpgsql stable as $$
begin
  if p_step = '5m' then
    select (array_agg(t.unit_lamports order by t.settled_at, t.purchase_id, t.place))[1], max(t.unit_lamports), min(t.unit_lamports),
      (array_agg(t.unit_lamports order by t.settled_at desc, t.purchase_id desc, t.place desc))[1], sum(t.amount), sum(t.price_lamports), count(*)
    into open, high, low, close, amount, lamports, trades
    from trades t where t.token_type = p_token_type and t.settled_at >= p_start and t.settled_at < p_start + candle_length(p_step);
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
comment on function derive_candle is 'A candle from all its trades, or from the candles of the next shorter step. trades is 0 if there is nothing in it.';

create function renew_candles(p_step text, p_tokens text[], p_times timestamptz[]) returns void language plpgsql as $$
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

create function roll_up_sales(p_limit integer) returns integer language plpgsql as $$
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
  perform renew_candles('5m', tokens, times);
  perform renew_candles('1h', tokens, times);
  perform renew_candles('1d', tokens, times);
  update candles_head set ordinal = reached;
  return reached - head;
end
$$;
comment on function roll_up_sales is
  'Has the candles show the next sales in their order, at most p_limit, and returns how many it went on by. Only one at a time works, and nothing '
  'that lists, holds or delivers waits for it.';
