-- Delivering what the chain has paid for, all items of a purchase or none.

create or replace function row_to_sell(item purchase_items, p_taken uuid[]) returns uuid language plpgsql as $$
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
    l := split_listing(l, item.amount, part_cost(l, item.amount), 'sold', null, null);
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

create or replace function rows_to_sell(purchase purchases) returns uuid[] language plpgsql as $$
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

create or replace function record_settled(
  purchase purchases, p_signature text, p_slot bigint, p_transaction_bytes bytea, p_expiry_height bigint
) returns boolean language plpgsql as $$
begin
  insert into payments (signature, kind, purchase_id, genesis_hash, transaction_bytes, expiry_height, status, confirmed_at, slot)
  values (p_signature, 'purchase', purchase.id, purchase.genesis_hash, p_transaction_bytes, p_expiry_height, 'settled', now(), p_slot)
  on conflict (signature) do update
    set status = 'settled', slot = excluded.slot, confirmed_at = coalesce(payments.confirmed_at, excluded.confirmed_at)
    where payments.purchase_id = excluded.purchase_id and payments.kind = 'purchase';
  return found;
end
$$;
comment on function record_settled is 'Records the payment that settles a purchase. False, with nothing changed, if its transaction serves another purpose.';

create or replace function cases_to_close(p_purchase uuid, p_signature text) returns uuid[] language plpgsql as $$
declare
  c cases;
  open_cases uuid[] := '{}';
begin
  for c in
    select * from cases where purchase_id = p_purchase
      and (signature = p_signature or id in (select case_id from small_payments where signature = p_signature))
    order by id for update
  loop
    if c.status in ('refunding', 'refunded', 'closed') or c.status = 'open' and c.refund_expiry_height is not null
        or exists (select from refunds_seen where case_id = c.id) or exists (select from small_payments where case_id = c.id) then
      return null;
    end if;
    if c.status = 'open' then
      open_cases := open_cases || c.id;
    end if;
  end loop;
  return open_cases;
end
$$;
comment on function cases_to_close is
  'Locks the cases of a payment. Returns those that are over once it counts; null if it is being paid back, or may be: a refund is reserved or was '
  'prepared, or a server has seen one on the chain; or if it adds up with other small payments in a case.';

create or replace function close_delivered(p_cases uuid[]) returns void language plpgsql as $$
begin
  update cases set status = 'delivered', closed_at = now(), reconcile_at = null where id = any (p_cases);
  perform emit_case(id) from unnest(p_cases) id;
end
$$;

create or replace function deliver_items(
  purchase purchases, p_signature text, p_slot bigint, p_transaction_bytes bytea, p_expiry_height bigint
) returns text language plpgsql as $$
declare
  to_sell uuid[];
begin
  if not record_settled(purchase, p_signature, p_slot, p_transaction_bytes, p_expiry_height) then
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

create or replace function settle_purchase(
  p_purchase uuid, p_signature text, p_slot bigint, p_transaction_bytes bytea, p_expiry_height bigint, p_referenced boolean,
  out outcome text, out settled_at timestamptz
) language plpgsql as $$
declare
  purchase purchases;
  open_cases uuid[];
begin
  perform lock_listings_of(p_purchase);
  select * into purchase from purchases where id = p_purchase for update;
  if purchase.status = 'settled' then
    outcome := case when purchase.signature = p_signature then 'settled' else 'paid_before' end;
    settled_at := purchase.settled_at;
    return;
  end if;
  -- A late payment is delivered only if it carries the reference and all items are free.
  if purchase.status = 'ended' and not p_referenced then
    outcome := 'listing_gone';
    return;
  end if;
  open_cases := cases_to_close(purchase.id, p_signature);
  if open_cases is null then
    outcome := 'refunding';
    return;
  end if;

  if purchase.status = 'held' then
    outcome := deliver_items(purchase, p_signature, p_slot, p_transaction_bytes, p_expiry_height);
  else
    begin
      outcome := deliver_items(purchase, p_signature, p_slot, p_transaction_bytes, p_expiry_height);
    exception when sqlstate 'JB004' then
      outcome := 'listing_gone';
    end;
  end if;
  if outcome <> 'settled' then
    return;
  end if;
  -- What else was recorded for it may land as well, and is a second payment then.
  update payments set status = 'void' where purchase_id = purchase.id and kind = 'purchase' and status = 'recorded';
  -- A payment is finalized some 32 slots, about 13 s, after it was confirmed: until then there is nothing new to learn.
  settled_at := now();
  update purchases set status = 'settled', end_reason = null, signature = p_signature, settled_at = now(), reconcile_at = now() + interval '12 s'
    where id = purchase.id returning * into purchase;
  if open_cases <> '{}' then
    perform close_delivered(open_cases);
  end if;
  insert into events (type, audience, data)
    select * from purchase_event(purchase) union all select * from balance_event(purchase.buyer);
end
$$;
comment on function settle_purchase is
  'Delivers all items for a payment that the chain accepted, or none. Idempotent. Returns when, and
  settled: delivered, by this call or an earlier one;    paid_before: another payment settled this purchase;
  listing_gone: an item is sold, removed or held by someone else, or would cost more now;
  signature_used: the transaction served another purpose;
  refunding: a seller is paying it back, or may be: see cases_to_close.';

create or replace function replace_payment(
  p_purchase uuid, p_dropped text, p_signature text, p_slot bigint, p_transaction_bytes bytea, p_expiry_height bigint
) returns uuid[] language plpgsql as $$
declare
  purchase purchases;
  open_cases uuid[];
begin
  select * into purchase from purchases where id = p_purchase for update;
  if purchase.status <> 'settled' or purchase.signature <> p_dropped or purchase.finalized_at is not null
      or exists (select from cases where purchase_id = p_purchase and kind = 'vanished')
      -- Whether the other one was paid back since then may be lost.
      or is_in_doubt() or exists (select from rewinds where coalesce(ended_at, 'infinity') > purchase.settled_at) then
    return null;
  end if;
  open_cases := cases_to_close(p_purchase, p_signature);
  if open_cases is null or not record_settled(purchase, p_signature, p_slot, p_transaction_bytes, p_expiry_height) then
    return null;
  end if;
  update payments set status = 'void' where signature = p_dropped;
  perform close_delivered(open_cases);
  update purchases set signature = p_signature, reconcile_at = now() where id = p_purchase returning * into purchase;
  -- Whoever stamps the sale now does so with the one or the other payment, and then it is there to be changed.
  perform from sales_head for update;
  update sales set signature = p_signature where purchase_id = p_purchase and not is_reversal;
  insert into events (type, audience, data) select * from purchase_event(purchase);
  return open_cases;
end
$$;
comment on function replace_payment is
  'The payment that settled a purchase was dropped by the chain for good, and another one pays for it: that one counts from now on. Returns the '
  'cases that are over with that; null, with nothing changed, if the other one serves another purpose, is being paid back, or may be.';
