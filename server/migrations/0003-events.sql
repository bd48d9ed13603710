-- The outbox: written in the transaction that changes something, read by every node in the order (xid, id).
-- A sequence alone would lose events: a lower id may commit after a higher one was read. Below the oldest running
-- transaction nothing can appear any more, so readers stop there.

create table events (
  id bigint generated always as identity primary key,
  xid xid8 not null default pg_current_xact_id(),
  type text not null,
  -- Whose streams carry it; null for everybody's.
  audience text[],
  -- What the event stream carries, its type included.
  data json not null,
  created_at timestamptz not null default now()
);
create index events_in_order on events (xid, id);
create index events_by_age on events (created_at);

create function emit_event(p_type text, p_audience text[], p_data json) returns void language sql as $$
  insert into events (type, audience, data) values (p_type, p_audience, p_data)
$$;

create function emit_balance(p_wallet text) returns void language sql as $$
  select emit_event('balance.changed', array[p_wallet], json_build_object('type', 'balance.changed'))
$$;
