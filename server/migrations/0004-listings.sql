-- Identifiers that sort by age: UUID version 7, by the database's clock. PostgreSQL has its own from version 18 on.
create function new_id() returns uuid language sql volatile as $$
  select encode(
    set_bit(set_bit(
      overlay(uuid_send(gen_random_uuid())
        placing substring(int8send((extract(epoch from clock_timestamp()) * 1000)::bigint) from 3) from 1 for 6),
      52, 1), 53, 1),
    'hex')::uuid
$$;

create function json_time(p_time timestamptz) returns text language sql stable as $$
  select to_char(p_time at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')
$$;

create table listings (
  id uuid primary key default new_id(),
  seller text not null,
  token_type text not null references token_types,
  -- While the listing is active, these tokens are its escrow.
  amount bigint not null check (amount between 1 and 1000000000),
  price_lamports bigint not null
    check (price_lamports between 1000000 and 1000000000000000 and price_lamports % 1000000 = 0),
  unit_lamports numeric not null generated always as (round(price_lamports::numeric / amount, 9)) stored,
  status text not null default 'active' check (status in ('active', 'sold', 'removed')),
  -- The purchase that holds the listing, and until when its buyer may pay.
  held_by uuid,
  held_until timestamptz,
  created_at timestamptz not null default now(),
  closed_at timestamptz,
  -- The listing as replies and events carry it, rendered when the row is written: rendering fifty rows for each reader
  -- costs more than everything else in a page of the market.
  reply_json text not null default '',
  check ((held_by is null) = (held_until is null)),
  check (held_by is null or status = 'active'),
  check ((status = 'active') = (closed_at is null))
);

-- The only place that says how a listing looks in the API. The unit price is worked out from its parts, because the generated
-- column is still empty while the row is being written.
create function render_listing(l listings) returns text language sql stable as $$
  select json_build_object(
    '_id', l.id,
    'seller', l.seller,
    'tokenName', (select name from token_types where token_type = l.token_type),
    'tokenType', l.token_type,
    'amount', l.amount,
    'price', trim_scale(l.price_lamports * 0.000000001),
    'unitPrice', trim_scale(round(l.price_lamports::numeric / l.amount, 9) * 0.000000001),
    'status', l.status,
    'heldUntil', json_time(l.held_until),
    'createdAt', json_time(l.created_at))::text
$$;

create function emit_listing(p_type text, l listings) returns void language sql as $$
  select emit_event(p_type, null, json_build_object('type', p_type, 'listing', l.reply_json::json))
$$;

-- Everyone who ever listed anything: a search by seller reads some thousand addresses instead of a million listings.
create extension if not exists pg_trgm;

create table sellers (
  seller text primary key
);
-- Without a list of pending entries, which every search would have to read through.
create index sellers_by_part on sellers using gin (lower(seller) gin_trgm_ops) with (fastupdate = off);

create function keep_listing() returns trigger language plpgsql as $$
begin
  new.reply_json := render_listing(new);
  if tg_op = 'INSERT' then
    insert into sellers (seller) values (new.seller) on conflict do nothing;
  end if;
  return new;
end
$$;
create trigger listings_kept before insert or update on listings for each row execute function keep_listing();

-- One index for each order and filter of the market, so that every page is one walk along an index.
create index listings_newest on listings (id) where status = 'active';
create index listings_by_price on listings (price_lamports, id) where status = 'active';
create index listings_by_unit_price on listings (unit_lamports, id) where status = 'active';
-- These include the seller, because a search may walk far along them: it then reads the index alone.
create index listings_by_token on listings (token_type, id) include (seller) where status = 'active';
create index listings_by_token_price on listings (token_type, price_lamports, id) include (seller) where status = 'active';
create index listings_by_token_unit_price on listings (token_type, unit_lamports, id) include (seller) where status = 'active';
create index listings_by_seller on listings (seller, id);
create index listings_by_seller_token on listings (seller, token_type, id) where status = 'active';
create index listings_by_seller_token_price on listings (seller, token_type, price_lamports, id) where status = 'active';
create index listings_by_seller_token_unit_price on listings (seller, token_type, unit_lamports, id) where status = 'active';
