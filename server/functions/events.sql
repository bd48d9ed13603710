-- What the event streams carry. `…_event` makes the row of an event, for statements that insert several; `emit_…` inserts one.

create or replace function json_time(p_time timestamptz) returns text language sql stable as $$
  select to_char(p_time at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')
$$;

create or replace function emit_event(p_type text, p_audience text[], p_data json) returns void language sql as $$
  insert into events (type, audience, data) values (p_type, p_audience, p_data)
$$;

create or replace function listing_event(p_type text, l listings) returns table (type text, audience text[], data json) language sql stable as $$
  select p_type, null::text[], json_build_object('type', p_type, 'listing', l.reply_json::json)
$$;

create or replace function purchase_event(p purchases) returns table (type text, audience text[], data json) language sql stable as $$
  select 'purchase.changed', p.buyer || p.sellers, json_build_object('type', 'purchase.changed', 'purchaseId', p.id)
$$;

create or replace function balance_event(p_wallet text) returns table (type text, audience text[], data json) language sql stable as $$
  select 'balance.changed', array[p_wallet], json_build_object('type', 'balance.changed')
$$;

create or replace function emit_listing(p_type text, l listings) returns void language sql as $$
  insert into events (type, audience, data) select * from listing_event(p_type, l)
$$;

create or replace function emit_purchase(p purchases) returns void language sql as $$
  insert into events (type, audience, data) select * from purchase_event(p)
$$;

create or replace function emit_case(p_case uuid) returns void language sql as $$
  select emit_event('case.changed', array_remove(array[coalesce(p.buyer, c.buyer), c.seller], null),
    json_build_object('type', 'case.changed', 'caseId', c.id))
  from cases c left join purchases p on p.id = c.purchase_id where c.id = p_case
$$;
comment on function emit_case is 'Tells buyer and seller that a case changed, when the transaction commits.';

create or replace function emit_balance(p_wallet text) returns void language sql as $$
  insert into events (type, audience, data) select * from balance_event(p_wallet)
$$;
