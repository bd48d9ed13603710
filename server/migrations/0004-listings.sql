-- What is for sale.

create function new_id() returns uuid language sql volatile as $$
  select encode(
    set_bit(set_bit(
      overlay(uuid_send(gen_random_uuid())
        placing substring(int8send((extract(epoch from clock_timestamp()) * 1000)::bigint) from 3) from 1 for 6),
      52, 1), 53, 1),
    'hex')::uuid
$$;
comment on function new_id is 'A UUID version 7 by the database''s clock: ids sort by age. PostgreSQL has uuidv7() only from version 18.';

create function json_time(p_time timestamptz) returns text language sql stable as $$
  select to_char(p_time at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')
$$;

create table listings (
  id uuid primary key default new_id(),
  seller text not null,
  token_type text not null references token_types,
  amount bigint not null check (amount between 1 and 1000000000),
  price_lamports bigint not null
    check (price_lamports between 1000000 and 1000000000000000 and price_lamports % 1000000 = 0),
  unit_lamports numeric not null generated always as (round(price_lamports::numeric / amount, 9)) stored,
  status text not null default 'active' check (status in ('active', 'sold', 'removed')),
  held_by uuid,
  held_until timestamptz,
  created_at timestamptz not null default now(),
  closed_at timestamptz,
  reply_json text not null default '',
  check ((held_by is null) = (held_until is null)),
  check (held_by is null or status = 'active'),
  check ((status = 'active') = (closed_at is null))
) with (fillfactor = 90);
comment on column listings.amount is 'While the listing is active, these tokens are in escrow here.';
comment on column listings.held_by is 'The purchase that holds the listing.';
comment on column listings.held_until is 'When the payment window of that purchase closes.';
comment on column listings.reply_json is
  'The listing as replies and events carry it, rendered on write: rendering fifty rows on every read would cost more than the rest of '
  'a market page.';

create function render_listing(l listings) returns text language sql stable as $$
  select json_build_object(
    '_id', l.id,
    'seller', l.seller,
    'tokenName', (select name from token_types where token_type = l.token_type),
    'tokenType', l.token_type,
    'amount', l.amount,
    'price', trim_scale(l.price_lamports * 0.000000001),
    -- Computed here, because the generated column is still empty in a before-trigger.
    'unitPrice', trim_scale(round(l.price_lamports::numeric / l.amount, 9) * 0.000000001),
    'status', l.status,
    'heldUntil', json_time(l.held_until),
    'createdAt', json_time(l.created_at))::text
$$;
comment on function render_listing is 'A listing as the API shows it: the only place that says so.';

create function emit_listing(p_type text, l listings) returns void language sql as $$
  select emit_event(p_type, null, json_build_object('type', p_type, 'listing', l.reply_json::json))
$$;

create extension if not exists pg_trgm;

create table sellers (
  seller text primary key
);
create index sellers_by_substring on sellers using gin (lower(seller) gin_trgm_ops) with (fastupdate = off);
comment on table sellers is
  'Everyone who has ever listed anything: a search by seller reads a few thousand addresses instead of a million listings.';
comment on index sellers_by_substring is 'Without fastupdate: its list of pending entries would have to be read by every search.';

create function before_listing_write() returns trigger language plpgsql as $$
begin
  new.reply_json := render_listing(new);
  if tg_op = 'INSERT' then
    insert into sellers (seller) values (new.seller) on conflict do nothing;
  end if;
  return new;
end
$$;
create trigger listings_before_write before insert or update on listings for each row execute function before_listing_write();

create index listings_newest on listings (id) where closed_at is null;
create index listings_by_price on listings (price_lamports, id) where closed_at is null;
create index listings_by_unit_price on listings (unit_lamports, id) where closed_at is null;
create index listings_by_token on listings (token_type, id) include (seller) where status = 'active';
create index listings_by_token_price on listings (token_type, price_lamports, id) include (seller) where status = 'active';
create index listings_by_token_unit_price on listings (token_type, unit_lamports, id) include (seller) where status = 'active';
create index listings_by_seller on listings (seller, id);
create index listings_by_seller_token on listings (seller, token_type, id) where status = 'active';
create index listings_by_seller_token_price on listings (seller, token_type, price_lamports, id) where status = 'active';
create index listings_by_seller_token_unit_price on listings (seller, token_type, unit_lamports, id) where status = 'active';
comment on table listings is
  'Offers of tokens for SOL. Each order and filter of the market has its index, so that every page is one walk along an index. The
fillfactor leaves room on each page for the new row of a hold, which then needs no entry in any of them (HOT).';
comment on index listings_newest is
  'This and the next two say "active" as "closed_at is null", those of one token or seller as "status = ''active''". A query uses one of
the two, so that the planner cannot read the whole market for one token and discard the rest.';
comment on index listings_by_token is
  'Includes the seller, as the next two do: a search may walk far along these indexes and then reads nothing else.';
