-- Delivering the items of a purchase in one statement, however many there are. Replaces functions of 0017-holds-of-several-items.sql.

drop function deliver_item;

create or replace function lock_listings_of(p_purchase uuid) returns void language plpgsql as $$
begin
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
comment on function lock_listings_of is 'As lock_listings, the items of a purchase.';

create function row_to_sell(item purchase_items, p_taken uuid[]) returns uuid language plpgsql as $$
declare
  l listings;
begin
  select * into l from listings where id = item.listing_id;
  if l.status = 'merged' then
    select * into l from listings where id = l.part_of;
  end if;
  if l.held_by is not null or l.status <> 'active' or l.id = any (p_taken) or l.amount < item.amount
      or part_cost(l, item.amount) > item.price_lamports then
    return null;
  end if;
  if l.amount > item.amount then
    l := split_listing(l, item.amount, 'sold', null, null);
  end if;
  if l.id <> item.listing_id then
    update purchase_items set listing_id = l.id, part_of = l.part_of where purchase_id = item.purchase_id and place = item.place;
  end if;
  return l.id;
end
$$;
comment on function row_to_sell is
  'The row to sell for an item of an ended purchase that is paid after all; null if somebody else holds or has it, if that much is not left, or '
  'if it would cost more now: after the end, prices and amounts may have changed by parts. Of a part that was merged, the listing pays: as much '
  'of it is split off, or all that is left of it is sold. p_taken: the rows that other items of the purchase take.';

create function rows_to_sell(purchase purchases) returns uuid[] language plpgsql as $$
declare
  item purchase_items;
  sold uuid;
  taken uuid[] := '{}';
begin
  if purchase.status = 'held' then
    return array(select id from held_listings(purchase.id));
  end if;
  for item in select * from purchase_items where purchase_id = purchase.id order by place loop
    sold := row_to_sell(item, taken);
    exit when sold is null;
    taken := taken || sold;
  end loop;
  return taken;
end
$$;
comment on function rows_to_sell is
  'The rows that deliver the items of a paid purchase, fewer than it has items if one of them cannot be delivered. A purchase that holds its '
  'items holds exactly what was agreed.';

create or replace function deliver_items(
  purchase purchases, p_signature text, p_slot bigint, p_transaction_bytes bytea, p_expiry_height bigint
) returns text language plpgsql as $$
declare
  to_sell uuid[];
begin
  insert into payments (signature, kind, purchase_id, genesis_hash, transaction_bytes, expiry_height, status, confirmed_at, slot)
  values (p_signature, 'purchase', purchase.id, purchase.genesis_hash, p_transaction_bytes, p_expiry_height, 'settled', now(), p_slot)
  on conflict (signature) do update
    set status = 'settled', slot = excluded.slot, confirmed_at = coalesce(payments.confirmed_at, excluded.confirmed_at)
    where payments.purchase_id = excluded.purchase_id and payments.kind = 'purchase';
  if not found then
    return 'signature_used';
  end if;
  to_sell := rows_to_sell(purchase);
  if cardinality(to_sell) <> (select count(*) from purchase_items where purchase_id = purchase.id) then
    raise exception 'an item of purchase % cannot be delivered', purchase.id using errcode = 'JB004';
  end if;
  with sold as (
    update listings l set status = 'sold', closed_at = now(), held_by = null, held_until = null where id = any (to_sell)
    returning l.id, l.token_type, l.amount, l as listing
  ), transferred as (
    insert into transfers (kind, token_type, amount, wallet_address, listing_id)
      select 'sale', token_type, amount, purchase.buyer, id from sold
  ), received as (
    -- In the order in which every transaction locks balances.
    insert into balances (wallet_address, token_type, amount)
      select purchase.buyer, token_type, sum(amount) from sold group by token_type order by token_type
      on conflict (wallet_address, token_type) do update set amount = balances.amount + excluded.amount
  )
  insert into events (type, audience, data) select event.* from sold, listing_event('listing.sold', listing) event;
  return 'settled';
end
$$;
comment on function deliver_items is
  'Records the payment of a purchase and moves its tokens. Returns settled, or signature_used with nothing changed. Raises JB004 if one item '
  'cannot be delivered: its caller then rolls back to before the call.';

comment on function post_transfer is
  'The only writer of balances and transfers but for deliver_items. Returns the transfer''s id. Raises JB001 if the wallet has fewer tokens than '
  'it would pay.';
