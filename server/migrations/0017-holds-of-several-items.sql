-- Holding, ending, extending and settling a purchase of several items. Replaces the functions of 0006-holds.sql and 0013-outages.sql.

drop function cooldown_until, abandoned_holds, allowed_holds, wallet_refusal, hold_refusal, check_hold, place_hold, repeat_hold,
  listing_refusal, end_hold, extend_hold, extend_holds, purchase_event, emit_purchase, settle_purchase, post_transfer;

create function post_transfer(
  p_kind text, p_token_type text, p_amount bigint, p_wallet text, p_listing uuid, p_idempotency_key text default null,
  p_parent uuid default null
) returns bigint language plpgsql as $$
declare
  transfer_id bigint;
begin
  if p_kind in ('credit', 'return', 'sale') then
    insert into balances (wallet_address, token_type, amount) values (p_wallet, p_token_type, p_amount)
    on conflict (wallet_address, token_type) do update set amount = balances.amount + excluded.amount;
  elsif p_kind in ('debit', 'escrow') then
    update balances set amount = amount - p_amount
    where wallet_address = p_wallet and token_type = p_token_type and amount >= p_amount;
    if not found then
      raise exception 'insufficient tokens' using errcode = 'JB001';
    end if;
  end if;
  insert into transfers (kind, token_type, amount, wallet_address, listing_id, idempotency_key, parent_id)
  values (p_kind, p_token_type, p_amount, p_wallet, p_listing, p_idempotency_key, p_parent)
  returning id into transfer_id;
  return transfer_id;
end
$$;
comment on function post_transfer is
  'The only writer of balances and transfers. Returns the transfer''s id. Raises JB001 if the wallet has fewer tokens than it would pay.';

create or replace function render_listing(l listings) returns text language plpgsql stable as $$
begin
  return rtrim(json_build_object(
    '_id', l.id,
    'seller', l.seller,
    'tokenName', (select name from token_types where token_type = l.token_type),
    'tokenType', l.token_type,
    'amount', l.amount,
    'price', trim_scale(l.price_lamports * 0.000000001),
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

create function purchase_event(p purchases) returns table (type text, audience text[], data json) language sql stable as $$
  select 'purchase.changed', p.buyer || p.sellers, json_build_object('type', 'purchase.changed', 'purchaseId', p.id)
$$;

create function emit_purchase(p purchases) returns void language sql as $$
  insert into events (type, audience, data) select * from purchase_event(p)
$$;

-- Locks and rows

create function items_of(p_purchase uuid) returns json language plpgsql stable as $$
begin
  return (
    select json_agg(
      json_build_object('listingId', listing_id, 'partOf', part_of, 'seller', seller, 'tokenType', token_type, 'amount', amount,
        'lamports', price_lamports::text)
      order by place
    ) from purchase_items where purchase_id = p_purchase
  );
end
$$;
comment on function items_of is 'The items of a purchase, in their order, as the server reads them.';

create function held_listings(p_purchase uuid) returns setof listings language sql stable as $$
  select l.* from purchase_items i join listings l on l.id = i.listing_id where i.purchase_id = p_purchase and l.held_by = p_purchase
$$;
comment on function held_listings is 'The rows that an open purchase holds.';

create function lock_listings(p_ids uuid[]) returns void language plpgsql as $$
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

create function lock_listings_of(p_purchase uuid) returns void language plpgsql as $$
begin
  perform lock_listings(array(select listing_id from purchase_items where purchase_id = p_purchase));
end
$$;

-- Splitting and merging, under the locks of lock_listings

create function part_cost(l listings, p_amount bigint) returns bigint language sql immutable as $$
  select case when p_amount < l.amount then ceil(l.price_lamports::numeric * p_amount / l.amount)::bigint else l.price_lamports end
$$;
comment on function part_cost is 'What so much of a listing costs. Rounded up: the rest of a divisible listing keeps at least a lamport a drink.';

create function split_listing(l listings, p_amount bigint, p_status text, p_held_by uuid, p_held_until timestamptz) returns listings
language plpgsql as $$
declare
  part listings;
begin
  insert into listings (seller, token_type, amount, price_lamports, part_of, status, closed_at, held_by, held_until)
    values (l.seller, l.token_type, p_amount, part_cost(l, p_amount), l.id, p_status, now(), p_held_by, p_held_until)
    returning * into part;
  update listings
    set amount = amount - part.amount, price_lamports = price_lamports - part.price_lamports,
      whole_amount = coalesce(whole_amount, amount), whole_lamports = coalesce(whole_lamports, price_lamports)
    where id = l.id returning * into l;
  perform post_transfer('split', part.token_type, part.amount, part.seller, part.id, null, l.id);
  insert into events (type, audience, data) select * from listing_event('listing.changed', l);
  return part;
end
$$;
comment on function split_listing is
  'Splits a part off a listing, which keeps the rest and stays for sale. p_status: reserved, with the purchase that holds the part, or sold.';

create function merge_part(part listings) returns listings language plpgsql as $$
declare
  parent listings;
begin
  update listings set status = 'merged', closed_at = now(), held_by = null, held_until = null where id = part.id;
  update listings set amount = amount + part.amount, price_lamports = price_lamports + part.price_lamports
    where id = part.part_of returning * into parent;
  perform post_transfer('merge', part.token_type, part.amount, part.seller, part.id, null, part.part_of);
  return parent;
end
$$;
comment on function merge_part is 'Returns a part to its listing, which is active. Returns that listing.';

create function free_part(part listings) returns void language plpgsql as $$
declare
  parent listings;
  was_on_market constant boolean := part.status = 'active';
begin
  select * into parent from listings where id = part.part_of;
  if parent.status = 'active' and parent.held_by is null then
    parent := merge_part(part);
    insert into events (type, audience, data) select * from listing_event('listing.changed', parent);
  elsif parent.status = 'removed' then
    update listings set status = 'removed', closed_at = now(), held_by = null, held_until = null where id = part.id returning * into part;
    perform post_transfer('return', part.token_type, part.amount, part.seller, part.id);
    perform emit_balance(part.seller);
  else
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
  'that is held or sold, it is for sale by itself.';

create function free_listing(l listings) returns void language plpgsql as $$
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

-- What a wallet may hold

create function abandoned_holds(p_buyer text)
returns table (purchase_id uuid, abandoned_at timestamptz) language sql stable as $$
  select p.id, coalesce(p.ended_at, now())
  from (
    select * from purchases
    where buyer = p_buyer and end_reason in ('cancelled', 'lapsed') and ended_at > now() - interval '48 hours'
    union all
    select * from purchases where buyer = p_buyer and status = 'held' and ends_unsent(purchases)
  ) p
  where not exists (select from outages_so_far() o where o.began_at < p.pay_before and o.ended_at > p.created_at)
$$;
comment on function abandoned_holds is
  'The purchases that a wallet cancelled or let lapse in the last 48 hours, those included that may end now. One during which there was an '
  'outage does not count. Nor does one whose recorded payment expired: its buyer meant to pay.';

create function cooldown_until(p_buyer text, p_listing uuid) returns timestamptz language sql stable as $$
  select max(abandoned_at) + interval '10 minutes' * power(2, least(count(*), 9) - 2)
  from (
    select abandoned_at, max(abandoned_at) over () as last_at from abandoned_holds(p_buyer) a
    where exists (select from purchase_items i where i.purchase_id = a.purchase_id and p_listing in (i.listing_id, i.part_of))
  ) abandoned
  where abandoned_at > last_at - interval '24 hours'
  having count(*) >= 2
$$;
comment on function cooldown_until is
  'Until when a wallet may not hold a listing again, or a part of it: for 10 minutes after the second purchase of it that the wallet abandons '
  'within 24 hours, doubled by each further one. Null if it has abandoned fewer. No more than nine fit into 24 hours.';

create function allowed_items(p_buyer text, p_max_items integer) returns integer language sql stable as $$
  select case when count(*) < 3 then p_max_items else 1 end from abandoned_holds(p_buyer) where abandoned_at > now() - interval '1 hour'
$$;
comment on function allowed_items is 'How many items a wallet may hold in all: one after it abandoned three purchases within an hour.';

create function listing_refusal(p_buyer text, l listings, p_amount bigint) returns text language plpgsql stable as $$
declare
  holder purchases;
begin
  if l.id is null then
    return 'LISTING_NOT_FOUND';
  elsif l.seller = p_buyer then
    return 'OWN_LISTING';
  elsif l.status = 'reserved' then
    return 'LISTING_HELD';
  elsif l.status <> 'active' then
    return 'LISTING_NOT_ACTIVE';
  end if;
  if l.held_by is not null then
    select * into holder from purchases where id = l.held_by;
    if not ends_unsent(holder) then
      return case when holder.buyer = p_buyer then 'HELD_BY_YOU' else 'LISTING_HELD' end;
    end if;
  end if;
  if p_amount > l.amount then
    return 'AMOUNT_NOT_LEFT';
  elsif p_amount < l.amount and not l.divisible then
    return 'NOT_DIVISIBLE';
  end if;
  return null;
end
$$;
comment on function listing_refusal is
  'Why nobody, or not this wallet, may hold so much of a listing now; null if it may. p_amount: null for all that is left.';

create function hold_plan(p_buyer text, p_listings uuid[], p_amounts bigint[])
returns table (id uuid, seller text, token_type text, is_part boolean, amount bigint, lamports bigint, refusal text)
language sql stable as $$
  select asked.listing_id, l.seller, l.token_type, coalesce(asked.amount < l.amount, false), coalesce(asked.amount, l.amount),
    part_cost(l, coalesce(asked.amount, l.amount)), listing_refusal(p_buyer, l, asked.amount)
  from unnest(p_listings, p_amounts) with ordinality as asked (listing_id, amount, place)
  left join listings l on l.id = asked.listing_id
  order by asked.place
$$;
comment on function hold_plan is
  'What a purchase of these listings would hold now, in their order: all that is left of each, or so much of it.';

create function decide_hold(
  p_buyer text, p_listings uuid[], p_amounts bigint[], p_most_lamports bigint, p_transfers boolean,
  p_max_holds integer, p_max_items integer, p_max_sellers integer, p_fee_basis_points integer, p_fee_wallet text,
  out refusal text, out refused uuid, out retry_seconds integer, out allowed integer,
  out lamports bigint, out fee bigint, out sellers text[], out received bigint[]
) language plpgsql stable as $$
declare
  item record;
  cooldown timestamptz;
  abandons boolean;
  holds bigint;
  held_items bigint;
  place integer;
begin
  lamports := 0;
  fee := 0;
  sellers := '{}';
  received := '{}';
  for item in select * from hold_plan(p_buyer, p_listings, p_amounts) loop
    if item.refusal is not null then
      refusal := item.refusal;
      refused := item.id;
      return;
    end if;
    lamports := lamports + item.lamports;
    if item.seller is distinct from p_fee_wallet then
      fee := fee + item.lamports;
    end if;
    place := array_position(sellers, item.seller);
    if place is null then
      sellers := sellers || item.seller;
      received := received || item.lamports;
    else
      received[place] := received[place] + item.lamports;
    end if;
  end loop;
  fee := case when p_buyer = p_fee_wallet then 0 else div(fee::numeric * p_fee_basis_points, 10000)::bigint end;
  if cardinality(sellers) > p_max_sellers then
    refusal := 'TOO_MANY_SELLERS';
    return;
  end if;

  allowed := p_max_items;
  abandons := exists (select from abandoned_holds(p_buyer));
  if abandons then
    allowed := allowed_items(p_buyer, p_max_items);
    foreach refused in array p_listings loop
      cooldown := cooldown_until(p_buyer, (select coalesce(part_of, id) from listings where id = refused));
      if cooldown > now() then
        refusal := 'COOLDOWN';
        retry_seconds := ceil(extract(epoch from cooldown - now()));
        return;
      end if;
    end loop;
    refused := null;
  end if;
  select count(distinct p.id), count(*) into holds, held_items
    from purchases p join purchase_items i on i.purchase_id = p.id
    where p.buyer = p_buyer and p.status = 'held'
      and not exists (select from purchase_items j where j.purchase_id = p.id and j.listing_id = any (p_listings));
  if holds >= p_max_holds or held_items + cardinality(p_listings) > allowed then
    refusal := 'TOO_MANY_HOLDS';
    allowed := case when held_items + cardinality(p_listings) > allowed then allowed end;
    return;
  end if;
  if cardinality(sellers) = 1 and fee = 0 and exists (
    select from purchases p
    where p.buyer = p_buyer and p.status = 'held' and p.sellers = decide_hold.sellers and p.price_lamports = decide_hold.lamports
      and p.fee_lamports = 0
      and not exists (select from purchase_items j where j.purchase_id = p.id and j.listing_id = any (p_listings))
  ) then
    refusal := 'AMBIGUOUS_HOLD';
    return;
  end if;
  if (cardinality(sellers) > 1 or p_fee_basis_points > 0) and not p_transfers then
    refusal := 'TRANSFERS_NEEDED';
  elsif lamports + fee > p_most_lamports then
    refusal := 'PRICE_MOVED';
  end if;
end
$$;
comment on function decide_hold is
  'The rules of a purchase that need no chain: first those of its items, in their order, then those of the wallet, then those of the payment. '
  'Returns the code of the refusal; refused: the listing it is about; retry_seconds: of a COOLDOWN; allowed: of TOO_MANY_HOLDS, how many '
  'items, or null if it is the purchases that are too many. Without one, what is to be paid: in all, as a fee, and to each seller.';

create function asks_for(p_listing uuid, p_amount bigint, item purchase_items) returns boolean language sql immutable as $$
  select item.listing_id = p_listing and item.amount = coalesce(p_amount, item.amount)
    or coalesce(item.part_of = p_listing and item.amount = p_amount, false)
$$;

create function repeat_hold(
  p_buyer text, p_listings uuid[], p_amounts bigint[], p_most_lamports bigint, p_transfers boolean, p_wallet_sends boolean,
  out refusal text, out purchase purchases
) language plpgsql as $$
begin
  select p.* into purchase from purchases p
    where p.buyer = p_buyer and p.status = 'held' and not ends_unsent(p)
      and cardinality(p_listings) = (select count(*) from purchase_items where purchase_id = p.id)
      and not exists (
        select from unnest(p_listings, p_amounts) as asked (listing_id, amount)
        where not exists (select from purchase_items i where i.purchase_id = p.id and asks_for(asked.listing_id, asked.amount, i))
      )
      and not exists (
        select from purchase_items i
        where i.purchase_id = p.id
          and not exists (select from unnest(p_listings, p_amounts) as asked (listing_id, amount) where asks_for(asked.listing_id, asked.amount, i))
      )
    limit 1;
  if not found then
    return;
  end if;
  perform lock_listings_of(purchase.id);
  select p.* into purchase from purchases p where p.id = purchase.id for update;
  if purchase.status <> 'held' or ends_unsent(purchase) then
    purchase := null;
  elsif exists (select from payments where purchase_id = purchase.id and kind = 'purchase' and status = 'recorded') then
    refusal := 'PAYMENT_UNDER_WAY';
  elsif purchase.cancel_requested or window_closed(purchase) then
    refusal := 'HOLD_ENDED';
  elsif (cardinality(purchase.sellers) > 1 or purchase.fee_basis_points > 0) and not p_transfers then
    refusal := 'TRANSFERS_NEEDED';
  elsif purchase.price_lamports + purchase.fee_lamports > p_most_lamports then
    refusal := 'PRICE_MOVED';
  else
    purchase := extend_hold(purchase);
    if purchase.server_sends and p_wallet_sends then
      update purchases set server_sends = false, reconcile_at = now() where id = purchase.id returning * into purchase;
    end if;
  end if;
end
$$;
comment on function repeat_hold is
  'The open hold of a buyer who places the same order again; null if there is none that stays. A wallet that now wants to send may: from '
  'then on only the chain can prove that no payment came. Refuses if paying for it would be a mistake, or is not what this client would do.';

create function check_hold(
  p_buyer text, p_listings uuid[], p_amounts bigint[], p_most_lamports bigint, p_transfers boolean, p_wallet_sends boolean,
  p_max_holds integer, p_max_items integer, p_max_sellers integer, p_fee_basis_points integer, p_fee_wallet text,
  out refusal text, out refused uuid, out retry_seconds integer, out allowed integer,
  out fee bigint, out sellers text[], out received bigint[], out purchase purchases, out items json
) language plpgsql as $$
declare
  repeated record;
begin
  -- In this order: what a hold of this buyer makes impossible, that hold is found for.
  select d.refusal, d.refused, d.retry_seconds, d.allowed, d.fee, d.sellers, d.received
    into refusal, refused, retry_seconds, allowed, fee, sellers, received
    from decide_hold(
      p_buyer, p_listings, p_amounts, p_most_lamports, p_transfers, p_max_holds, p_max_items, p_max_sellers, p_fee_basis_points, p_fee_wallet
    ) d;
  select * into repeated from repeat_hold(p_buyer, p_listings, p_amounts, p_most_lamports, p_transfers, p_wallet_sends);
  if repeated.refusal is not null or (repeated.purchase).id is not null then
    refusal := repeated.refusal;
    refused := null;
    retry_seconds := null;
    allowed := null;
    fee := null;
    purchase := repeated.purchase;
    items := items_of(purchase.id);
  end if;
end
$$;
comment on function check_hold is
  'Decides about a hold as far as that is possible without the chain, whose requests are scarce, and without waiting for the lock of a '
  'listing that somebody else is about to hold. Returns the same hold to a buyer who has it already, or the code of a refusal; neither if '
  'place_hold may succeed.';

create function place_hold(
  p_buyer text, p_listings uuid[], p_amounts bigint[], p_most_lamports bigint, p_transfers boolean, p_wallet_sends boolean,
  p_max_holds integer, p_max_items integer, p_max_sellers integer, p_fee_basis_points integer, p_fee_wallet text,
  p_reference text, p_genesis_hash text, p_slot bigint, p_spendable bigint, p_network_fee bigint, p_hold_seconds integer,
  p_rent_minimum bigint, p_recipients text[], p_balances bigint[],
  out refusal text, out refused uuid, out retry_seconds integer, out allowed integer, out needed_amount bigint, out purchase purchases, out items json
) language plpgsql as $$
declare
  repeated record;
  terms record;
  item record;
  l listings;
  holders uuid[];
  former purchases;
  recipient record;
  place smallint := 0;
begin
  -- While the chain was asked, somebody else may have held a listing: nobody has to wait for its lock to hear that.
  if exists (select from listings where id = any (p_listings) and (held_by is not null or status <> 'active')) then
    select h.id, h.refusal into refused, refusal
      from hold_plan(p_buyer, p_listings, p_amounts) h where h.refusal in ('LISTING_HELD', 'LISTING_NOT_ACTIVE') limit 1;
    if found then
      return;
    end if;
  end if;

  -- Under the locks all is decided again: each statement sees what was committed before it began.
  perform from players where wallet_address = p_buyer for update;
  holders := array(select held_by from listings where id = any (p_listings) and held_by is not null);
  perform lock_listings(p_listings || array(select listing_id from purchase_items where purchase_id = any (holders)));
  select * into repeated from repeat_hold(p_buyer, p_listings, p_amounts, p_most_lamports, p_transfers, p_wallet_sends);
  refusal := repeated.refusal;
  purchase := repeated.purchase;
  if refusal is not null or purchase.id is not null then
    items := items_of(purchase.id);
    return;
  end if;
  -- The items of a hold that came meanwhile are not locked.
  select id into refused from listings where id = any (p_listings) and held_by is not null and held_by <> all (holders) limit 1;
  if found then
    refusal := 'LISTING_HELD';
    return;
  end if;
  perform from purchases where id = any (holders) order by id for update;
  for former in
    select * from purchases p where id in (select held_by from listings where id = any (p_listings)) and ends_unsent(p) order by id
  loop
    perform end_hold(former, case when former.cancel_requested then 'cancelled' else 'lapsed' end, now() + interval '60 s');
  end loop;
  select * into terms from decide_hold(
    p_buyer, p_listings, p_amounts, p_most_lamports, p_transfers, p_max_holds, p_max_items, p_max_sellers, p_fee_basis_points, p_fee_wallet
  );
  refusal := terms.refusal;
  refused := terms.refused;
  retry_seconds := terms.retry_seconds;
  allowed := terms.allowed;
  if refusal is not null then
    return;
  end if;
  for recipient in
    select r.seller, r.lamports, coalesce(b.balance, 0) as balance
    from unnest(terms.sellers, terms.received) as r (seller, lamports)
    left join unnest(p_recipients, p_balances) as b (wallet, balance) on b.wallet = r.seller
    where r.lamports < p_rent_minimum
  loop
    if recipient.balance + recipient.lamports < p_rent_minimum then
      refusal := 'PART_TOO_SMALL';
      select h.id, floor((h.lamports + p_rent_minimum - recipient.balance - recipient.lamports - 1)::numeric * too_small.amount / too_small.price_lamports) + 1
        into refused, needed_amount
        from hold_plan(p_buyer, p_listings, p_amounts) h join listings too_small on too_small.id = h.id
        where h.seller = recipient.seller order by h.is_part desc limit 1;
      if not exists (select from listings where id = refused and amount >= needed_amount) then
        needed_amount := null;
      end if;
      return;
    end if;
  end loop;
  if (select coalesce(sum(p.price_lamports + p.fee_lamports + p_network_fee), 0) from purchases p where p.buyer = p_buyer and p.status = 'held')
      + terms.lamports + terms.fee + p_network_fee > p_spendable then
    refusal := 'INSUFFICIENT_SOL';
    return;
  end if;

  -- Bytes that only the server sends are submitted to it. A wallet may pay by itself, but needs a moment for that.
  insert into purchases (buyer, sellers, price_lamports, fee_basis_points, fee_lamports, fee_wallet, reference, genesis_hash, held_at_slot,
      server_sends, pay_before, reconcile_at)
    values (p_buyer, terms.sellers, terms.lamports, p_fee_basis_points, terms.fee, case when terms.fee > 0 then p_fee_wallet end, p_reference,
      p_genesis_hash, p_slot, not p_wallet_sends, now() + make_interval(secs => p_hold_seconds),
      case when p_wallet_sends then now() + interval '2 s' else now() + make_interval(secs => p_hold_seconds) end)
    returning * into purchase;
  for item in select * from hold_plan(p_buyer, p_listings, p_amounts) loop
    place := place + 1;
    if item.is_part then
      select * into l from listings where id = item.id;
      l := split_listing(l, item.amount, 'reserved', purchase.id, purchase.pay_before);
    else
      update listings set held_by = purchase.id, held_until = purchase.pay_before where id = item.id returning * into l;
      insert into events (type, audience, data) select * from listing_event('listing.held', l);
    end if;
    insert into purchase_items (purchase_id, place, listing_id, part_of, seller, token_type, amount, price_lamports)
      values (purchase.id, place, l.id, l.part_of, l.seller, l.token_type, l.amount, l.price_lamports);
  end loop;
  insert into events (type, audience, data) select * from purchase_event(purchase);
  -- Its caller's query began before there were any.
  items := items_of(purchase.id);
end
$$;
comment on function place_hold is
  'Holds all items of a purchase for a buyer who is about to pay, or none, in one transaction: locks, decides again as check_hold did, splits '
  'and writes. Holds on them that may end unsent end first. p_spendable: what the wallet''s SOL leaves for prices and fees; p_network_fee: '
  'lamports for each payment; p_balances: the lamports of those sellers whose account might stay below p_rent_minimum. '
  'needed_amount: of PART_TOO_SMALL, how much of the listing it takes; null if all of it is too little.';

create function end_hold(p purchases, p_reason text, p_search_at timestamptz) returns void language plpgsql as $$
declare
  l listings;
begin
  update payments set status = 'void' where purchase_id = p.id and kind = 'purchase' and status = 'recorded';
  update purchases set status = 'ended', end_reason = p_reason, ended_at = now(), reconciliations = 0, reconcile_at = p_search_at
    where id = p.id returning * into p;
  for l in select * from held_listings(p.id) order by seller, token_type, id loop
    perform free_listing(l);
  end loop;
  update cases set reconcile_at = now() where id in (
    select id from cases
      where status = 'open' and deliverable and purchase_id in (
        select other.purchase_id from purchase_items mine
          join purchase_items other on other.listing_id in (mine.listing_id, mine.part_of) or other.part_of in (mine.listing_id, mine.part_of)
          where mine.purchase_id = p.id
      )
      order by id for update
  );
  insert into events (type, audience, data) select * from purchase_event(p);
end
$$;
comment on function end_hold is
  'Ends an open hold, under the locks of lock_listings_of and of its purchase. Its listings are free again, first of all for those whose '
  'payment for them came too late: their cases are due at once. p_search_at: when to search for a late payment; null for never.';

create function extend_hold(p purchases) returns purchases language plpgsql as $$
declare
  deadline constant timestamptz := pay_until(p);
  l listings;
begin
  if deadline <= p.pay_before then
    return p;
  end if;
  update purchases
    set agreed_pay_before = coalesce(agreed_pay_before, pay_before), pay_before = deadline,
      reconcile_at = case when server_sends then deadline else reconcile_at end
    where id = p.id returning * into p;
  for l in update listings set held_until = deadline where held_by = p.id and id in (select id from held_listings(p.id)) returning * loop
    if l.status = 'active' then
      perform emit_listing('listing.held', l);
    end if;
  end loop;
  perform emit_purchase(p);
  return p;
end
$$;
comment on function extend_hold is
  'Writes down what an outage has added to the time to pay, under the locks of listings and purchase, and tells both sides.';

create function extend_holds(p_limit integer) returns integer language plpgsql as $$
declare
  due record;
  purchase purchases;
  extended integer := 0;
begin
  for due in
    select id, array(select listing_id from purchase_items where purchase_id = p.id) as listings from purchases p
    where status = 'held' and exists (select from outages where ended_at > p.created_at) and pay_until(p) > pay_before
    order by id limit p_limit
  loop
    continue when cardinality(due.listings) > (
      select count(*) from (select from listings where id = any (due.listings) order by id for update skip locked) locked
    );
    select * into purchase from purchases where id = due.id for update skip locked;
    continue when not found;
    perform extend_hold(purchase);
    extended := extended + 1;
  end loop;
  return extended;
end
$$;
comment on function extend_holds is
  'Extends the holds that an outage interrupted, at most p_limit, and returns how many. One that somebody is at work on is left for the next '
  'time: its window does not close before.';

create function deliver_item(item purchase_items) returns uuid language plpgsql as $$
declare
  l listings;
begin
  select * into l from listings where id = item.listing_id;
  if l.status = 'merged' then
    select * into l from listings where id = l.part_of;
  end if;
  -- A purchase that holds its items holds exactly what was agreed. After its end, prices and amounts may have changed by parts.
  if l.held_by is null then
    if l.status <> 'active' or l.amount < item.amount or part_cost(l, item.amount) > item.price_lamports then
      return null;
    end if;
    if l.amount > item.amount then
      l := split_listing(l, item.amount, 'sold', null, null);
    end if;
    if l.id <> item.listing_id then
      update purchase_items set listing_id = l.id, part_of = l.part_of where purchase_id = item.purchase_id and place = item.place;
    end if;
  elsif l.held_by <> item.purchase_id then
    return null;
  end if;
  return l.id;
end
$$;
comment on function deliver_item is
  'The row to sell for an item of a purchase that is paid; null if somebody else holds or has it, if that much is not left, or if it would '
  'cost more now. Of a part that was merged, the listing pays: as much of it is split off, or all that is left of it is sold.';

create function deliver_items(
  purchase purchases, p_signature text, p_slot bigint, p_transaction_bytes bytea, p_expiry_height bigint
) returns text language plpgsql as $$
declare
  item purchase_items;
  sold uuid;
  l listings;
begin
  insert into payments (signature, kind, purchase_id, genesis_hash, transaction_bytes, expiry_height, status, confirmed_at, slot)
  values (p_signature, 'purchase', purchase.id, purchase.genesis_hash, p_transaction_bytes, p_expiry_height, 'settled', now(), p_slot)
  on conflict (signature) do update
    set status = 'settled', slot = excluded.slot, confirmed_at = coalesce(payments.confirmed_at, excluded.confirmed_at)
    where payments.purchase_id = excluded.purchase_id and payments.kind = 'purchase';
  if not found then
    return 'signature_used';
  end if;
  -- In the order in which every transaction locks balances: wallet, then token.
  for item in select * from purchase_items where purchase_id = purchase.id order by token_type, place loop
    sold := deliver_item(item);
    if sold is null then
      raise exception 'item % of purchase % cannot be delivered', item.place, purchase.id using errcode = 'JB004';
    end if;
    update listings set status = 'sold', closed_at = now(), held_by = null, held_until = null where id = sold returning * into l;
    perform post_transfer('sale', l.token_type, l.amount, purchase.buyer, l.id);
    insert into events (type, audience, data) select * from listing_event('listing.sold', l);
  end loop;
  return 'settled';
end
$$;
comment on function deliver_items is
  'Records the payment of a purchase and moves its tokens. Returns settled, or signature_used with nothing changed. Raises JB004 if one item '
  'cannot be delivered: its caller then rolls back to before the call.';

create function settle_purchase(
  p_purchase uuid, p_signature text, p_slot bigint, p_transaction_bytes bytea, p_expiry_height bigint, p_referenced boolean,
  out outcome text, out settled_at timestamptz
) language plpgsql as $$
declare
  purchase purchases;
  c cases;
  open_cases uuid[] := '{}';
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
  for c in select * from cases where purchase_id = purchase.id and signature = p_signature order by id for update loop
    if c.status in ('refunding', 'refunded', 'closed') or c.status = 'open' and c.refund_expiry_height is not null then
      outcome := 'refunding';
      return;
    end if;
    if c.status = 'open' then
      open_cases := open_cases || c.id;
    end if;
  end loop;

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
  -- A payment is finalized some 32 slots, about 13 s, after it was confirmed: until then there is nothing new to learn.
  settled_at := now();
  update purchases set status = 'settled', end_reason = null, signature = p_signature, settled_at = now(), reconcile_at = now() + interval '12 s'
    where id = purchase.id returning * into purchase;
  if open_cases <> '{}' then
    update cases set status = 'delivered', closed_at = now(), reconcile_at = null where id = any (open_cases);
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
  refunding: a seller is paying it back, or may be.';
