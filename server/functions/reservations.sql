-- Reserving the items of a purchase, and ending the reservation. What may be reserved is decided in the server, between reading and writing.

-- Items

create or replace function items_of(p_purchase uuid) returns json language plpgsql stable as $$
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

create or replace function held_listings(p_purchase uuid) returns setof listings language sql stable as $$
  select l.* from purchase_items i join listings l on l.id = i.listing_id where i.purchase_id = p_purchase and l.held_by = p_purchase
$$;
comment on function held_listings is 'The rows that an open purchase holds.';

-- What a wallet has left unpaid

create or replace function abandonments(p_buyer text) returns json language plpgsql stable as $$
begin
  return (
    select coalesce(json_agg(json_build_object('at', json_time(p.ended_at), 'listingIds', (
      select json_agg(id) from (
        select listing_id as id from purchase_items where purchase_id = p.id
        union select part_of from purchase_items where purchase_id = p.id and part_of is not null
      ) named
    ))), '[]')
    from purchases p
    where buyer = p_buyer and end_reason in ('cancelled', 'lapsed') and ended_at > now() - interval '48 hours' and not co_signed
      and not exists (select from outages_so_far() o where o.began_at < p.pay_before and o.ended_at > p.created_at)
      and not exists (select from pay_link_holds h where h.purchase_id = p.id and h.maker_wallet is distinct from p_buyer)
  );
end
$$;
comment on function abandonments is
  'The purchases that a wallet has left unpaid in the last 48 hours, with their listings and those that they were parts of, as the server reads '
  'them. Without those that somebody else''s link has placed for it: they count in link_limits, where nobody can use them to keep the wallet from '
  'buying by itself.';

-- What decides whether an order may be reserved: read here, decided in reservation-decision.ts.

create or replace function listing_facts(l listings) returns json language plpgsql stable as $$
begin
  return json_build_object(
    'id', l.id, 'seller', l.seller, 'tokenType', l.token_type, 'amount', l.amount, 'lamports', l.price_lamports::text,
    'wholeAmount', coalesce(l.priced_amount, l.whole_amount, l.amount),
    'wholeLamports', coalesce(l.priced_lamports, l.whole_lamports, l.price_lamports)::text,
    'divisible', l.divisible, 'status', l.status, 'partOf', l.part_of, 'frozen', is_frozen(l.seller),
    'heldBy', (select buyer from purchases where id = l.held_by)
  );
end
$$;

create or replace function open_purchases(p_buyer text) returns json language plpgsql stable as $$
begin
  return (
    select coalesce(json_agg(json_build_object(
      'id', p.id, 'items', items_of(p.id), 'sellers', p.sellers, 'lamports', p.price_lamports::text,
      'fee', json_build_object('lamports', p.fee_lamports::text, 'basisPoints', p.fee_basis_points),
      'coSigned', p.co_signed, 'checkout', (select public_id from checkouts where id = p.checkout_id), 'closed', p.cancel_requested or window_closed(p),
      'signature', m.signature, 'confirmed', m.confirmed_at is not null
    )), '[]')
    -- For a join, the planner may walk the whole index of recorded payments.
    from purchases p left join lateral (
      select signature, confirmed_at from payments where purchase_id = p.id and kind = 'purchase' and status = 'recorded' limit 1
    ) m on true
    where p.buyer = p_buyer and p.status = 'held'
  );
end
$$;

create or replace function failed_payments(p_buyer text) returns json language plpgsql stable as $$
begin
  return (
    select coalesce(json_agg(json_time(ended_at)), '[]') from purchases p
    where buyer = p_buyer and co_signed and ended_at > now() - interval '2 hours'
      and (end_reason = 'failed' or end_reason = 'expired' and unfunded)
      and not exists (select from outages_so_far() o where o.began_at < p.ended_at and o.ended_at > p.created_at)
  );
end
$$;
comment on function failed_payments is
  'When co-signed purchases of a wallet have lately ended because of the wallet: the chain refused the payment, or it lacked the SOL.';

create or replace function known_payment(p_buyer text, p_message_hash bytea, p_reference text) returns json language plpgsql stable as $$
begin
  return json_build_object(
    'reserved', (
      select json_build_object('purchaseId', purchase_id, 'signature', signature) from payments where message_hash = p_message_hash
    ),
    'refused', (
      select json_strip_nulls(json_build_object('code', code, 'detail', detail, 'listingId', listing_id))
      from refused_payments where message_hash = p_message_hash
    ),
    'referenceUsed', exists (select from purchases where reference = p_reference),
    'refusals', (select json_agg(expiry_height::text) from refused_payments where buyer = p_buyer)
  );
end
$$;
comment on function known_payment is
  'What the market knows of a co-signed payment: a reservation or a refusal of the same message, another use of its reference, and until which '
  'block heights other refused payments of its buyer could land.';

create or replace function reservation_facts(
  p_buyer text, p_listings uuid[], p_message_hash bytea default null, p_reference text default null, p_network bytea default null,
  p_checkout text default null
) returns json language plpgsql stable as $$
declare
  listings json;
  types text[];
  rules json := '[]';
  bought json := '{}';
begin
  select coalesce(json_agg(listing_facts(l)), '[]'), array_agg(token_type) into listings, types from listings l where id = any (p_listings);
  if exists (select from token_rules) then
    select coalesce(json_agg(json_build_object(
          'tokenType', token_type, 'minUnitLamports', min_unit_lamports::text, 'maxUnitLamports', max_unit_lamports::text,
          'maxListings', max_listings, 'maxDailyLamports', max_daily_lamports::text
        )), '[]'),
        coalesce(json_object_agg(token_type, bought_today(p_buyer, token_type)::text) filter (where max_daily_lamports is not null), '{}')
      into rules, bought
      from token_rules where token_type = any (types);
  end if;
  return json_build_object(
    'now', json_time(now()),
    'restriction', (select json_build_object('code', refusal, 'restriction', restriction) from restriction_of(p_buyer) where refusal is not null),
    'listings', listings, 'rules', rules, 'boughtToday', bought, 'open', open_purchases(p_buyer), 'abandoned', abandonments(p_buyer),
    'failed', failed_payments(p_buyer), 'hasBought', exists (select from purchases where buyer = p_buyer and status = 'settled'),
    'networkItems', (
      select count(*) from purchases p join purchase_items i on i.purchase_id = p.id where p.network = p_network and p.status = 'held'
    ),
    'balances', (
      select coalesce(json_object_agg(token_type, amount), '{}') from balances where wallet_address = p_buyer and token_type = any (types)
    ),
    'known', case when p_message_hash is not null then known_payment(p_buyer, p_message_hash, p_reference) end,
    'checkout', case when p_checkout is not null then checkout_facts(p_checkout) end
  );
end
$$;
comment on function reservation_facts is 'All that decides whether a wallet may reserve listings, or parts of them, as of one moment.';

create or replace function lock_reservation_facts(
  p_buyer text, p_listings uuid[], p_waits boolean, p_message_hash bytea default null, p_reference text default null,
  p_network bytea default null, p_checkout text default null, out locked boolean, out facts json
) language plpgsql as $$
declare
  own uuid[];
begin
  perform share_restrictions();
  -- Many may queue for one listing: nobody has to wait for its lock to hear that somebody else has it.
  locked := p_waits or not exists (select from listings where id = any (p_listings) and (held_by is not null or status <> 'active'));
  if locked then
    if p_network is not null then
      perform pg_advisory_xact_lock(hashtextextended('holds from ' || encode(p_network, 'hex'), 0));
    end if;
    perform from players where wallet_address = p_buyer for update;
    if p_checkout is not null then
      perform from checkouts where public_id = p_checkout for update;
    end if;
    own := array(select id from purchases where buyer = p_buyer and status = 'held');
    perform lock_listings(p_listings || array(select listing_id from purchase_items where purchase_id = any (own)));
    perform from purchases where id = any (own) order by id for update;
  end if;
  -- Its own statement, which sees what was committed while the locks were waited for.
  facts := reservation_facts(p_buyer, p_listings, p_message_hash, p_reference, p_network, p_checkout);
end
$$;
comment on function lock_reservation_facts is
  'Locks what an order concerns, in the one order of locks: the network of a wallet that never completed a purchase, the wallet, the checkout, the listings with '
  'their parts, the open purchases of the wallet. Then reads the facts. p_waits: false to lock nothing if a listing is held or not for sale: the '
  'facts can then only be a reason to refuse, or to ask again with true.';

-- Writing what was decided, under the locks of lock_reservation_facts

create or replace function keep_hold(p_purchase uuid, out purchase purchases, out items json) language plpgsql as $$
begin
  select * into purchase from purchases where id = p_purchase;
  purchase := extend_hold(purchase);
  items := items_of(purchase.id);
end
$$;
comment on function keep_hold is 'The open hold of a buyer who places the same order again.';

create or replace function reserve_items(purchase purchases, p_until timestamptz, p_listings uuid[], p_amounts bigint[], p_prices bigint[])
returns json language plpgsql as $$
declare
  item record;
  l listings;
begin
  for item in
    select * from unnest(p_listings, p_amounts, p_prices) with ordinality as planned (listing_id, amount, lamports, place) order by place
  loop
    select * into l from listings where id = item.listing_id;
    if item.amount < l.amount then
      l := split_listing(l, item.amount, item.lamports, 'reserved', purchase.id, p_until);
    else
      update listings set held_by = purchase.id, held_until = p_until where id = l.id returning * into l;
      insert into events (type, audience, data) select * from listing_event('listing.held', l);
    end if;
    insert into purchase_items (purchase_id, place, listing_id, part_of, seller, token_type, amount, price_lamports)
      values (purchase.id, item.place, l.id, l.part_of, l.seller, l.token_type, l.amount, item.lamports);
  end loop;
  insert into events (type, audience, data) select * from purchase_event(purchase);
  -- Its caller's query began before there were any.
  return items_of(purchase.id);
end
$$;
comment on function reserve_items is 'Binds listings to a new purchase, as decided; splits off the parts. p_until: when it is free again at the latest.';

create or replace function write_hold(
  p_buyer text, p_sellers text[], p_lamports bigint, p_fee_basis_points integer, p_fee bigint, p_fee_wallet text,
  p_reference text, p_needs_reference boolean, p_genesis_hash text, p_slot bigint, p_hold_seconds integer, p_network bytea,
  p_listings uuid[], p_amounts bigint[], p_prices bigint[],
  out purchase purchases, out items json
) language plpgsql as $$
begin
  -- A wallet needs a moment to pay.
  insert into purchases (buyer, sellers, price_lamports, fee_basis_points, fee_lamports, fee_wallet, reference, needs_reference, genesis_hash,
      held_at_slot, network, server_sends, pay_before, reconcile_at)
    values (p_buyer, p_sellers, p_lamports, p_fee_basis_points, p_fee, case when p_fee > 0 then p_fee_wallet end, p_reference,
      p_needs_reference, p_genesis_hash, p_slot, p_network, false,
      now() + make_interval(secs => p_hold_seconds), now() + interval '4 s')
    returning * into purchase;
  items := reserve_items(purchase, purchase.pay_before, p_listings, p_amounts, p_prices);
end
$$;
comment on function write_hold is 'Holds all items of a purchase for a buyer who is about to pay, as decided.';

create or replace function write_co_signed(
  p_buyer text, p_sellers text[], p_lamports bigint, p_fee_basis_points integer, p_fee bigint, p_fee_wallet text,
  p_reference text, p_genesis_hash text, p_slot bigint,
  p_listings uuid[], p_amounts bigint[], p_prices bigint[],
  p_signature text, p_message_hash bytea, p_transaction_bytes bytea, p_expiry_height bigint, p_live_seconds integer
) returns uuid language plpgsql as $$
declare
  purchase purchases;
begin
  -- Its server sends the payment as soon as this is committed; if that dies, the next one to look does.
  insert into purchases (buyer, sellers, price_lamports, fee_basis_points, fee_lamports, fee_wallet, reference, needs_reference, genesis_hash,
      held_at_slot, server_sends, co_signed, pay_before, reconcile_at)
    values (p_buyer, p_sellers, p_lamports, p_fee_basis_points, p_fee, case when p_fee > 0 then p_fee_wallet end, p_reference,
      true, p_genesis_hash, p_slot, true, true, now(), now() + interval '1 s')
    returning * into purchase;
  insert into payments (signature, kind, purchase_id, genesis_hash, transaction_bytes, expiry_height, status, message_hash)
    values (p_signature, 'purchase', purchase.id, p_genesis_hash, p_transaction_bytes, p_expiry_height, 'recorded', p_message_hash);
  perform reserve_items(purchase, now() + make_interval(secs => p_live_seconds), p_listings, p_amounts, p_prices);
  return purchase.id;
end
$$;
comment on function write_co_signed is
  'Reserves all items of a purchase, as decided, and records the complete bytes that pay for it. p_live_seconds: how long these can land, at most.';

-- The end of a hold that is not paid

create or replace function end_hold(p purchases, p_reason text, p_search_at timestamptz) returns void language plpgsql as $$
declare
  l listings;
begin
  update payments set status = 'void' where purchase_id = p.id and kind = 'purchase' and status = 'recorded';
  update purchases set status = 'ended', end_reason = p_reason, ended_at = now(), reconciliations = 0, reconcile_at = p_search_at
    where id = p.id returning * into p;
  for l in select * from held_listings(p.id) order by seller, token_type, id loop
    perform free_listing(l);
  end loop;
  if exists (select from unnest(p.sellers) s where is_taken_back(s)) then
    for l in
      select * from listings
      where status = 'active' and held_by is null and is_taken_back(seller) and id = any(array(
        select unnest(array[listing_id, part_of]) from purchase_items where purchase_id = p.id
        union select s.id from listings s where s.status in ('active', 'reserved') and s.part_of = any(array(
          select unnest(array[listing_id, part_of]) from purchase_items where purchase_id = p.id
        ))
      ))
      order by seller, token_type, id
    loop
      perform take_back(l);
    end loop;
  end if;
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
  'payment for them came too late: their cases are due at once. If the studio has taken a blocked seller''s listings back, so are these. p_search_at: when to search for a late payment; null for never.';
