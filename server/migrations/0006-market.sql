-- The market's pages at any size. Every order and filter walks along an index, and a row goes out as the text that it was
-- given when it was written: rendering fifty rows for each reader cost more than everything else of a page.

create extension if not exists pg_trgm;

alter table listings add column wire text not null default '';

-- A listing as it goes over the wire. The unit price is worked out anew: while a row is being written its generated column is empty.
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
    'heldUntil', wire_time(l.held_until),
    'createdAt', wire_time(l.created_at))::text
$$;

update listings l set wire = render_listing(l);

create or replace function listing_json(l listings) returns json language sql stable as $$
  select l.wire::json
$$;

-- Whoever ever had a lot for sale: a search looks through some thousand addresses here, not through a million listings.
create table sellers (
  seller text primary key
);
insert into sellers (seller) select distinct seller from listings;
-- Without a list of pending entries, which every search would have to read through.
create index sellers_by_part on sellers using gin (lower(seller) gin_trgm_ops) with (fastupdate = off);

create function keep_listing() returns trigger language plpgsql as $$
begin
  new.wire := render_listing(new);
  if tg_op = 'INSERT' then
    insert into sellers (seller) values (new.seller) on conflict do nothing;
  end if;
  return new;
end
$$;
create trigger listings_kept before insert or update on listings for each row execute function keep_listing();

-- As in listings_by_token.
create index listings_by_token_price on listings (token_type, price_lamports, id) include (seller) where status = 'active';
create index listings_by_token_unit_price on listings (token_type, unit_lamports, id) include (seller) where status = 'active';
create index listings_by_seller_token on listings (seller, token_type, id) where status = 'active';
create index listings_by_seller_token_price on listings (seller, token_type, price_lamports, id) where status = 'active';
create index listings_by_seller_token_unit_price on listings (seller, token_type, unit_lamports, id) where status = 'active';
