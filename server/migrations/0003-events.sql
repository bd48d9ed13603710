-- The outbox of the event streams.

create table events (
  id bigint generated always as identity primary key,
  xid xid8 not null default pg_current_xact_id(),
  type text not null,
  audience text[],
  data json not null,
  created_at timestamptz not null default now()
);
create index events_in_order on events (xid, id);
create index events_by_age on events (created_at);
comment on table events is
  'The outbox: written in the transaction that makes the change, read by every server in the order (xid, id). Order by id alone would
lose events, because a lower id may commit after a higher one was read. Nothing can still appear below the oldest running
transaction, so readers stop there.';
comment on column events.audience is 'The wallets whose streams carry the event; null for all streams.';
comment on column events.data is 'The event as the stream sends it, its type included.';

create function emit_event(p_type text, p_audience text[], p_data json) returns void language sql as $$
  insert into events (type, audience, data) values (p_type, p_audience, p_data)
$$;

create function emit_balance(p_wallet text) returns void language sql as $$
  select emit_event('balance.changed', array[p_wallet], json_build_object('type', 'balance.changed'))
$$;
