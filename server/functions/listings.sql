-- What is for sale: rows as replies show them, their locks, and the parts that are split off and merge again.

-- In PL/pgSQL, which plans its queries once per connection.
create or replace function render_listing(l listings) returns text language plpgsql stable as $$
begin
  return rtrim(json_build_object(
    '_id', l.id,
    'seller', l.seller,
    'tokenName', (select name from token_types where token_type = l.token_type),
    'tokenType', l.token_type,
    'amount', l.amount,
    'price', trim_scale(l.price_lamports * 0.000000001),
    'lamports', l.price_lamports::text,
    -- Computed here, because the generated column is still empty in a before-trigger.
    'unitPrice', trim_scale(round(l.price_lamports::numeric / l.amount, 9) * 0.000000001),
    'divisible', l.divisible,
    'status', case l.status when 'reserved' then 'active' when 'merged' then 'removed' else l.status end,
    'heldUntil', json_time(l.held_until),
    'createdAt', json_time(l.created_at))::text, '}')
    -- Left out unless they say something, as in the listings that were rendered before there were such fields.
    || case when l.part_of is null then '' else ', "partOf" : "' || l.part_of || '"' end
    || case when l.waits_for_studio then ', "waitsForStudio" : true}' else '}' end;
end
$$;
comment on function render_listing is 'A listing as the API shows it: the only place that says so.';

create or replace function before_listing_write() returns trigger language plpgsql as $$
begin
  if new.held_by is null then
    new.waits_for_studio := false;
  end if;
  new.reply_json := render_listing(new);
  if tg_op = 'INSERT' then
    insert into sellers (seller) values (new.seller) on conflict do nothing;
  elsif old.held_by <> new.held_by then
    raise exception 'listing % is held by another purchase', new.id using errcode = 'JB003';
  end if;
  return new;
end
$$;
comment on function before_listing_write is 'Raises JB003 if a purchase would take over a listing that another one holds.';

create or replace trigger listings_before_write before insert or update on listings for each row execute function before_listing_write();

-- Locks

create or replace function lock_listings(p_ids uuid[]) returns void language plpgsql as $$
declare
  listing uuid;
  family uuid[] := p_ids;
begin
  -- One by one, each along an index. A single statement for all is planned again at each call, which takes longer than to lock them.
  foreach listing in array p_ids loop
    family := family || array(select part_of from listings where id = listing and part_of is not null)
      || array(select id from listings where part_of = listing and status in ('active', 'reserved'));
  end loop;
  for listing in select distinct id from unnest(family) id order by id loop
    perform from listings where id = listing for update;
  end loop;
end
$$;
comment on function lock_listings is
  'Locks listings with all that may be split from them, or merge into them, in the one order in which every transaction locks listings.';

create or replace function lock_listings_of(p_purchase uuid) returns void language plpgsql as $$
begin
  perform from checkouts where id = (select checkout_id from purchases where id = p_purchase) for update;
  perform from listings where id in (
    select family.id from purchase_items item cross join lateral (
      select item.listing_id as id
      union all select item.part_of
      union all select part.id from listings part where part.part_of = item.listing_id and part.status in ('active', 'reserved')
    ) family
    where item.purchase_id = p_purchase
  ) order by id for update;
end
$$;
comment on function lock_listings_of is 'As lock_listings, the items of a purchase; before them, its checkout.';

-- What a seller changes

create or replace function reprice_listing(p_id uuid, p_lamports bigint) returns void language plpgsql as $$
declare
  l listings;
begin
  update listings set price_lamports = p_lamports, priced_amount = amount, priced_lamports = p_lamports, priced_at = clock_timestamp(),
      -- What was listed stays known. A part was never listed.
      whole_amount = case when part_of is null then coalesce(whole_amount, amount) end,
      whole_lamports = case when part_of is null then coalesce(whole_lamports, price_lamports) end
    where id = p_id returning * into l;
  perform emit_listing('listing.changed', l);
end
$$;
comment on function reprice_listing is
  'Changes the price of all that is left of a listing, under its lock. Parts that come back to it cost as much for each from then on.';

create or replace function return_to_seller(p_seller text, p_ids uuid[]) returns void language plpgsql as $$
begin
  with removed as (
    update listings l set status = 'removed', closed_at = now() where id = any (p_ids)
    returning l.id, l.token_type, l.amount, l as listing
  ), transferred as (
    insert into transfers (kind, token_type, amount, wallet_address, listing_id)
      select 'return', token_type, amount, p_seller, id from removed
  ), returned as (
    -- In the order in which every transaction locks balances.
    insert into balances (wallet_address, token_type, amount)
      select p_seller, token_type, sum(amount) from removed group by token_type order by token_type
      on conflict (wallet_address, token_type) do update set amount = balances.amount + excluded.amount
  )
  insert into events (type, audience, data)
    select event.* from removed, listing_event('listing.removed', listing) event union all select * from balance_event(p_seller);
end
$$;
comment on function return_to_seller is 'As take_back, many listings of a seller at once, under their locks. Its balances must have room for all of them.';

create or replace function remove_listings(p_seller text, p_ids uuid[], out removed integer, out kept json) language plpgsql as $$
declare
  frozen boolean;
  free uuid[];
  l listings;
  code text;
  stay json[] := '{}';
begin
  perform from listings where id = any (p_ids) order by id for update;
  -- Statements of their own, which see what was committed while the locks were waited for.
  frozen := is_frozen(p_seller);
  perform from balances where wallet_address = p_seller order by token_type for update;
  free := array(
    select id from (
      select id, coalesce(b.amount, 0) + sum(f.amount) over (partition by f.token_type order by id) as balance
      from listings f left join balances b on b.wallet_address = p_seller and b.token_type = f.token_type
      where id = any (p_ids) and seller = p_seller and status = 'active' and held_by is null and not frozen
    ) fitting
    -- MAX_BALANCE.
    where balance <= 9000000000000000
  );
  perform return_to_seller(p_seller, free);
  removed := cardinality(free);
  -- One that has no room does not keep a smaller one that has.
  for l in
    select * from listings where id = any (p_ids) and seller = p_seller and status in ('active', 'reserved') order by token_type, id
  loop
    code := case when l.held_by is not null then 'LISTING_HELD_BY_BUYER' when frozen then 'LISTING_FROZEN' else 'BALANCE_LIMIT' end;
    if code = 'BALANCE_LIMIT' and take_back(l) then
      removed := removed + 1;
    else
      stay := stay || json_build_object('listingId', l.id, 'code', code);
    end if;
  end loop;
  kept := array_to_json(stay);
end
$$;
comment on function remove_listings is
  'Returns those of a seller''s listings to it that nobody holds. kept: those that stay on the market, each with the code of an error that says why.';

-- Splitting and merging, under the locks of lock_listings

create or replace function share_cost(l listings, p_amount bigint) returns bigint language sql immutable as $$
  select ceil(
    coalesce(l.priced_lamports, l.whole_lamports, l.price_lamports)::numeric * p_amount / coalesce(l.priced_amount, l.whole_amount, l.amount)
  )::bigint
$$;
comment on function share_cost is
  'What so much of a listing costs as its seller last priced it, whatever was sold of it since. Rounded up: each drink costs at least a lamport.';

create or replace function part_cost(l listings, p_amount bigint) returns bigint language sql immutable as $$
  select case when p_amount < l.amount then share_cost(l, p_amount) else l.price_lamports end
$$;
comment on function part_cost is 'What so much of a listing costs, all that is left of it included.';

create or replace function split_listing(
  l listings, p_amount bigint, p_lamports bigint, p_status text, p_held_by uuid, p_held_until timestamptz
) returns listings language plpgsql as $$
declare
  part listings;
begin
  insert into listings (seller, token_type, amount, price_lamports, part_of, status, closed_at, held_by, held_until)
    values (l.seller, l.token_type, p_amount, p_lamports, l.id, p_status, now(), p_held_by, p_held_until)
    returning * into part;
  update listings
    set amount = amount - part.amount, price_lamports = share_cost(l, amount - part.amount),
      whole_amount = coalesce(whole_amount, amount), whole_lamports = coalesce(whole_lamports, price_lamports)
    where id = l.id returning * into l;
  perform post_transfer('split', part.token_type, part.amount, part.seller, part.id, null, l.id);
  insert into events (type, audience, data) select * from listing_event('listing.changed', l);
  return part;
end
$$;
comment on function split_listing is
  'Splits a part off a listing, which keeps the rest and stays for sale, priced in the same way. p_status: reserved, with the purchase that holds the part, or sold.';

create or replace function merge_part(part listings) returns listings language plpgsql as $$
declare
  parent listings;
begin
  update listings set status = 'merged', closed_at = now(), held_by = null, held_until = null where id = part.id;
  update listings l set amount = amount + part.amount, price_lamports = share_cost(l, amount + part.amount)
    where id = part.part_of returning * into parent;
  perform post_transfer('merge', part.token_type, part.amount, part.seller, part.id, null, part.part_of);
  return parent;
end
$$;
comment on function merge_part is 'Returns a part to its listing, which is active. Returns that listing.';

create or replace function free_part(part listings) returns void language plpgsql as $$
declare
  parent listings;
  was_on_market constant boolean := part.status = 'active';
begin
  select * into parent from listings where id = part.part_of;
  if parent.status = 'active' and parent.held_by is null then
    parent := merge_part(part);
    insert into events (type, audience, data) select * from listing_event('listing.changed', parent);
  elsif parent.status <> 'removed' or not take_back(part, false) then
    update listings set status = 'active', closed_at = null, held_by = null, held_until = null where id = part.id returning * into part;
    perform emit_listing(case when was_on_market then 'listing.released' else 'listing.created' end, part);
    return;
  end if;
  if was_on_market then
    select * into part from listings where id = part.id;
    perform emit_listing('listing.removed', part);
  end if;
end
$$;
comment on function free_part is
  'What becomes of a part that nobody holds any more: it merges into its listing; if that was removed, its tokens return to the seller; if '
  'that is held or sold, or the seller''s balance has no room for them, it is for sale by itself.';

create or replace function free_listing(l listings) returns void language plpgsql as $$
declare
  part listings;
begin
  if l.part_of is not null then
    perform free_part(l);
    return;
  end if;
  update listings set held_by = null, held_until = null where id = l.id returning * into l;
  insert into events (type, audience, data) select * from listing_event('listing.released', l);
  for part in select * from listings where part_of = l.id and status = 'active' and held_by is null order by id loop
    perform free_part(part);
  end loop;
end
$$;
comment on function free_listing is 'Ends the hold on a row. Parts that were for sale by themselves merge into their listing now that it is free.';
