-- UUID version 7 by the database's clock: identifiers that sort by age. PostgreSQL has its own from version 18 on.
create function new_id() returns uuid language sql volatile as $$
  select encode(
    set_bit(set_bit(
      overlay(uuid_send(gen_random_uuid())
        placing substring(int8send((extract(epoch from clock_timestamp()) * 1000)::bigint) from 3) from 1 for 6),
      52, 1), 53, 1),
    'hex')::uuid
$$;

create function wire_time(p_time timestamptz) returns text language sql stable as $$
  select to_char(p_time at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')
$$;

create table listings (
  id uuid primary key default new_id(),
  seller text not null,
  token_type text not null references token_types,
  -- While the listing is active these tokens are its escrow.
  amount bigint not null check (amount between 1 and 1000000000),
  price_lamports bigint not null
    check (price_lamports between 1000000 and 1000000000000000 and price_lamports % 1000000 = 0),
  unit_lamports numeric not null generated always as (round(price_lamports::numeric / amount, 9)) stored,
  status text not null default 'active' check (status in ('active', 'sold', 'removed')),
  -- The purchase that holds the lot, and until when its buyer may pay.
  held_by uuid,
  held_until timestamptz,
  created_at timestamptz not null default now(),
  closed_at timestamptz,
  check ((held_by is null) = (held_until is null)),
  check (held_by is null or status = 'active'),
  check ((status = 'active') = (closed_at is null))
);
create index listings_newest on listings (id) where status = 'active';
create index listings_by_price on listings (price_lamports, id) where status = 'active';
create index listings_by_unit_price on listings (unit_lamports, id) where status = 'active';
-- With the seller in it, since a search walks along it for a long way: it then reads the index alone.
create index listings_by_token on listings (token_type, id) include (seller) where status = 'active';
create index listings_by_seller on listings (seller, id);

-- A listing as it goes over the wire, in replies and in events alike.
create function listing_json(l listings) returns json language sql stable as $$
  select json_build_object(
    '_id', l.id,
    'seller', l.seller,
    'tokenName', (select name from token_types where token_type = l.token_type),
    'tokenType', l.token_type,
    'amount', l.amount,
    'price', trim_scale(l.price_lamports * 0.000000001),
    'unitPrice', trim_scale(l.unit_lamports * 0.000000001),
    'status', l.status,
    'heldUntil', wire_time(l.held_until),
    'createdAt', wire_time(l.created_at))
$$;

create function emit_listing(p_type text, l listings) returns void language sql as $$
  select emit_event(p_type, null, json_build_object('type', p_type, 'listing', listing_json(l)))
$$;
