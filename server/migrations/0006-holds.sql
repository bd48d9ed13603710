-- Holding and settling in one statement each; cooldowns; outages, which no buyer answers for.

create table heartbeat (
  only_row boolean primary key default true check (only_row),
  beat_at timestamptz not null
);
comment on table heartbeat is 'When a server last reached both this database and the chain.';

create table outages (
  began_at timestamptz primary key,
  ended_at timestamptz not null,
  check (ended_at > began_at)
);
comment on table outages is
  'Times in which no server reached both this database and the chain, so that no payment could be submitted. Kept for 30 days.';

create function beat() returns void language plpgsql as $$
declare
  last_beat timestamptz;
begin
  insert into heartbeat (beat_at) values (now()) on conflict do nothing;
  select beat_at into last_beat from heartbeat for update;
  if last_beat < now() - interval '15 s' then
    insert into outages (began_at, ended_at) values (last_beat, now());
    delete from outages where ended_at < now() - interval '30 days';
  end if;
  update heartbeat set beat_at = greatest(beat_at, now());
end
$$;
comment on function beat is
  'Every server calls this every few seconds while it reaches the chain. A silence of more than 15 s is recorded as an outage once it is over.';

create index purchases_left_unpaid on purchases (buyer, ended_at) where end_reason in ('cancelled', 'lapsed');

create function ends_unsent(p purchases) returns boolean language sql stable as $$
  select p.status = 'held' and p.server_sends and (p.cancel_requested or p.pay_before <= now())
    and not exists (select from payments where purchase_id = p.id and kind = 'purchase' and status = 'recorded')
$$;
comment on function ends_unsent is
  'Whether an open hold may end without asking the chain: nothing was submitted, only a server would have sent it, and none may any more.';

create function abandoned_holds(p_buyer text) returns table (listing_id uuid, abandoned_at timestamptz) language sql stable as $$
  select p.listing_id, coalesce(p.ended_at, now())
  from (
    select * from purchases
    where buyer = p_buyer and end_reason in ('cancelled', 'lapsed') and ended_at > now() - interval '48 hours'
    union all
    select * from purchases where buyer = p_buyer and status = 'held' and ends_unsent(purchases)
  ) p
  where not exists (select from outages o where o.began_at < p.pay_before and o.ended_at > p.created_at)
$$;
comment on function abandoned_holds is
  'The holds that a wallet cancelled or let lapse in the last 48 hours, those included that may end now. One during which there was an '
  'outage does not count. Nor does one whose recorded payment expired: its buyer meant to pay.';

create function cooldown_until(p_buyer text, p_listing uuid) returns timestamptz language sql stable as $$
  select max(abandoned_at) + interval '10 minutes' * power(2, least(count(*), 9) - 2)
  from (
    select abandoned_at, max(abandoned_at) over () as last_at from abandoned_holds(p_buyer) where listing_id = p_listing
  ) abandoned
  where abandoned_at > last_at - interval '24 hours'
  having count(*) >= 2
$$;
comment on function cooldown_until is
  'Until when a wallet may not hold a listing again: for 10 minutes after the second hold of it that it abandons within 24 hours, doubled '
  'by each further one. Null if it has abandoned fewer. No more than nine fit into 24 hours.';

create function pay_millis_left(p purchases) returns integer language sql stable as $$
  select (case when p.status = 'held' then greatest(0, floor(extract(epoch from p.pay_before - now()) * 1000)) else 0 end)::integer
$$;
comment on function pay_millis_left is 'Whole milliseconds that a buyer has left to pay.';

create function listing_event(p_type text, l listings) returns table (type text, audience text[], data json) language sql stable as $$
  select p_type, null::text[], json_build_object('type', p_type, 'listing', l.reply_json::json)
$$;

create function purchase_event(p purchases) returns table (type text, audience text[], data json) language sql stable as $$
  select 'purchase.changed', array[p.buyer, p.seller], json_build_object('type', 'purchase.changed', 'purchaseId', p.id)
$$;

create function balance_event(p_wallet text) returns table (type text, audience text[], data json) language sql stable as $$
  select 'balance.changed', array[p_wallet], json_build_object('type', 'balance.changed')
$$;

drop function emit_listing, emit_purchase, emit_balance;

create function emit_listing(p_type text, l listings) returns void language sql as $$
  insert into events (type, audience, data) select * from listing_event(p_type, l)
$$;

create function emit_purchase(p purchases) returns void language sql as $$
  insert into events (type, audience, data) select * from purchase_event(p)
$$;

create function emit_balance(p_wallet text) returns void language sql as $$
  insert into events (type, audience, data) select * from balance_event(p_wallet)
$$;

create function end_hold(p purchases, p_reason text, p_search_at timestamptz) returns void language plpgsql as $$
declare
  l listings;
begin
  update payments set status = 'void' where purchase_id = p.id and kind = 'purchase' and status = 'recorded';
  update purchases set status = 'ended', end_reason = p_reason, ended_at = now(), reconciliations = 0, reconcile_at = p_search_at
    where id = p.id returning * into p;
  update listings set held_by = null, held_until = null where id = p.listing_id returning * into l;
  update cases set reconcile_at = now()
    where status = 'open' and deliverable and purchase_id in (select id from purchases where listing_id = p.listing_id);
  insert into events (type, audience, data)
    select * from listing_event('listing.released', l) union all select * from purchase_event(p);
end
$$;
comment on function end_hold is
  'Ends an open hold, under the locks of its listing and purchase. The listing is free again, first of all for those whose payment for it '
  'came too late: their cases are due at once. p_search_at: when to search for a late payment; null for never.';

create function repeat_hold(
  p_buyer text, p_listing uuid, p_wallet_sends boolean, out refusal text, out purchase purchases
) language plpgsql as $$
begin
  select p.* into purchase from purchases p where p.listing_id = p_listing and p.buyer = p_buyer and p.status = 'held';
  if not found then
    return;
  end if;
  perform from listings where id = p_listing for update;
  select p.* into purchase from purchases p where p.id = purchase.id for update;
  if purchase.status <> 'held' or ends_unsent(purchase) then
    purchase := null;
  elsif exists (select from payments where purchase_id = purchase.id and kind = 'purchase' and status = 'recorded') then
    refusal := 'PAYMENT_UNDER_WAY';
  elsif purchase.cancel_requested or purchase.pay_before <= now() then
    refusal := 'HOLD_ENDED';
  elsif purchase.server_sends and p_wallet_sends then
    update purchases set server_sends = false, reconcile_at = now() where id = purchase.id returning * into purchase;
  end if;
end
$$;
comment on function repeat_hold is
  'The open hold of a buyer who asks for it again; null if there is none that stays. A wallet that now wants to send may: from then on '
  'only the chain can prove that no payment came. Refuses when paying for it would be a mistake.';

create function listing_refusal(p_buyer text, l listings) returns text language plpgsql stable as $$
begin
  if l.id is null then
    return 'LISTING_NOT_FOUND';
  elsif l.seller = p_buyer then
    return 'OWN_LISTING';
  elsif l.status <> 'active' then
    return 'LISTING_NOT_ACTIVE';
  elsif l.held_by is not null and (select p.buyer <> p_buyer and not ends_unsent(p) from purchases p where p.id = l.held_by) then
    return 'LISTING_HELD';
  end if;
  return null;
end
$$;
comment on function listing_refusal is
  'Why nobody, or not this wallet, may hold a listing now; null if it may. A hold of its own that stays is for repeat_hold.';

create function allowed_holds(p_buyer text, p_max_holds integer) returns integer language sql stable as $$
  select case when count(*) < 3 then p_max_holds else 1 end from abandoned_holds(p_buyer) where abandoned_at > now() - interval '1 hour'
$$;
comment on function allowed_holds is 'How many open holds a wallet may have: one after it abandoned three within an hour.';

create function wallet_refusal(p_buyer text, l listings, p_allowed integer) returns text language sql stable as $$
  select case
    when count(*) >= p_allowed then 'TOO_MANY_HOLDS'
    when bool_or(p.seller = l.seller and p.price_lamports = l.price_lamports) then 'AMBIGUOUS_HOLD'
  end
  from purchases p where p.buyer = p_buyer and p.listing_id <> l.id and p.status = 'held'
$$;
comment on function wallet_refusal is
  'Why a wallet may not hold a listing beside its other open holds; null if it may. The payments of two of the same seller and price could '
  'not be told apart without a reference.';

create function hold_refusal(
  p_buyer text, l listings, p_max_holds integer, out refusal text, out retry_seconds integer, out allowed integer
) language plpgsql stable as $$
declare
  cooldown timestamptz;
begin
  refusal := listing_refusal(p_buyer, l);
  if refusal is not null then
    return;
  end if;
  allowed := p_max_holds;
  if exists (select from abandoned_holds(p_buyer)) then
    cooldown := cooldown_until(p_buyer, l.id);
    if cooldown > now() then
      refusal := 'COOLDOWN';
      retry_seconds := ceil(extract(epoch from cooldown - now()));
      return;
    end if;
    allowed := allowed_holds(p_buyer, p_max_holds);
  end if;
  refusal := wallet_refusal(p_buyer, l, allowed);
end
$$;
comment on function hold_refusal is
  'The rules of a hold that need no chain, for one listing: first those of the listing, then those of the wallet. Returns the code of the '
  'refusal; for COOLDOWN the seconds left, for TOO_MANY_HOLDS how many are allowed.';

create function check_hold(
  p_buyer text, p_listing uuid, p_wallet_sends boolean, p_max_holds integer,
  out refusal text, out retry_seconds integer, out allowed integer, out purchase purchases
) language plpgsql as $$
declare
  l listings;
  r record;
begin
  select * into r from repeat_hold(p_buyer, p_listing, p_wallet_sends);
  refusal := r.refusal;
  purchase := r.purchase;
  if refusal is null and purchase.id is null then
    select * into l from listings where id = p_listing;
    select * into refusal, retry_seconds, allowed from hold_refusal(p_buyer, l, p_max_holds);
  end if;
end
$$;
comment on function check_hold is
  'Decides about a hold as far as that is possible without the chain, whose requests are scarce, and without waiting for the lock of a '
  'listing that somebody else is about to hold. Returns the same hold to a buyer who has it already, or the code of a refusal; neither if '
  'place_hold may succeed.';

create function place_hold(
  p_buyer text, p_listing uuid, p_wallet_sends boolean, p_max_holds integer,
  p_reference text, p_genesis_hash text, p_slot bigint, p_spendable bigint, p_fee bigint, p_hold_seconds integer,
  out refusal text, out retry_seconds integer, out allowed integer, out purchase purchases
) language plpgsql as $$
declare
  l listings;
  former purchases;
  r record;
begin
  -- While the chain was asked, somebody else may have held the listing: nobody has to wait for its lock to hear that.
  select * into l from listings where id = p_listing and (held_by is not null or status <> 'active');
  if found then
    select * into refusal, retry_seconds, allowed from hold_refusal(p_buyer, l, p_max_holds);
    if refusal is not null then
      return;
    end if;
  end if;

  -- Under the locks all is decided again: each statement sees what was committed before it began.
  perform from players where wallet_address = p_buyer for update;
  select * into l from listings where id = p_listing for update;
  select * into former from purchases where id = l.held_by for update;
  select * into r from repeat_hold(p_buyer, p_listing, p_wallet_sends);
  refusal := r.refusal;
  purchase := r.purchase;
  if refusal is not null or purchase.id is not null then
    return;
  end if;
  select * into refusal, retry_seconds, allowed from hold_refusal(p_buyer, l, p_max_holds);
  if refusal is not null then
    return;
  end if;
  if (select coalesce(sum(price_lamports + p_fee), 0) from purchases where buyer = p_buyer and listing_id <> l.id and status = 'held')
      + l.price_lamports + p_fee > p_spendable then
    refusal := 'INSUFFICIENT_SOL';
    return;
  end if;

  if former.id is not null then
    perform end_hold(former, case when former.cancel_requested then 'cancelled' else 'lapsed' end, now() + interval '60 s');
  end if;
  -- Bytes that only the server sends are submitted to it. A wallet may pay by itself, but needs a moment for that.
  insert into purchases (listing_id, buyer, seller, token_type, amount, price_lamports, reference, genesis_hash, held_at_slot,
      server_sends, pay_before, reconcile_at)
    values (l.id, p_buyer, l.seller, l.token_type, l.amount, l.price_lamports, p_reference, p_genesis_hash, p_slot,
      not p_wallet_sends, now() + make_interval(secs => p_hold_seconds),
      case when p_wallet_sends then now() + interval '2 s' else now() + make_interval(secs => p_hold_seconds) end)
    returning * into purchase;
  update listings set held_by = purchase.id, held_until = purchase.pay_before where id = l.id returning * into l;
  insert into events (type, audience, data)
    select * from listing_event('listing.held', l) union all select * from purchase_event(purchase);
end
$$;
comment on function place_hold is
  'Holds a listing for a buyer who is about to pay, in one transaction: locks, decides again as check_hold did, writes. A hold on it that '
  'may end unsent ends first. p_spendable: what the wallet''s SOL leaves for prices and fees; p_fee: lamports for each payment.';

drop function settle_purchase;

create function settle_purchase(
  p_purchase uuid, p_signature text, p_slot bigint, p_transaction_bytes bytea, p_expiry_height bigint, p_referenced boolean,
  out outcome text, out settled_at timestamptz
) language plpgsql as $$
declare
  purchase purchases;
  l listings;
  c cases;
begin
  select listings.* into l from listings
    where id = (select listing_id from purchases where id = p_purchase) for update;
  select * into purchase from purchases where id = p_purchase for update;
  if purchase.status = 'settled' then
    outcome := case when purchase.signature = p_signature then 'settled' else 'paid_before' end;
    settled_at := purchase.settled_at;
    return;
  end if;
  -- A late payment is delivered only if it carries the reference and nobody else is paying for the listing.
  if l.status <> 'active' or (l.held_by is not null and l.held_by <> purchase.id) or (purchase.status = 'ended' and not p_referenced) then
    outcome := 'listing_gone';
    return;
  end if;
  select * into c from cases where purchase_id = purchase.id and signature = p_signature for update;
  if c.status in ('refunding', 'refunded', 'closed') or (c.status = 'open' and c.refund_expiry_height is not null) then
    outcome := 'refunding';
    return;
  end if;

  insert into payments (signature, kind, purchase_id, genesis_hash, transaction_bytes, expiry_height, status, confirmed_at, slot)
  values (p_signature, 'purchase', purchase.id, purchase.genesis_hash, p_transaction_bytes, p_expiry_height, 'settled', now(), p_slot)
  on conflict (signature) do update
    set status = 'settled', slot = excluded.slot, confirmed_at = coalesce(payments.confirmed_at, excluded.confirmed_at)
    where payments.purchase_id = excluded.purchase_id and payments.kind = 'purchase';
  if not found then
    outcome := 'signature_used';
    return;
  end if;

  -- A payment is finalized some 32 slots, about 13 s, after it was confirmed: until then there is nothing new to learn.
  settled_at := now();
  update purchases set status = 'settled', end_reason = null, signature = p_signature, settled_at = now(), reconcile_at = now() + interval '12 s'
    where id = purchase.id returning * into purchase;
  update listings set status = 'sold', closed_at = now(), held_by = null, held_until = null
    where id = l.id returning * into l;
  if c.status = 'open' then
    update cases set status = 'delivered', closed_at = now(), reconcile_at = null where id = c.id;
  end if;
  perform post_transfer('sale', purchase.token_type, purchase.amount, purchase.buyer, l.id);
  insert into events (type, audience, data)
    select * from listing_event('listing.sold', l)
    union all select * from purchase_event(purchase)
    union all select * from balance_event(purchase.buyer);
  outcome := 'settled';
end
$$;
comment on function settle_purchase is
  'Delivers the tokens for a payment that the chain accepted. Idempotent. Returns when, and
  settled: delivered, by this call or an earlier one;    paid_before: another payment settled this purchase;
  listing_gone: sold, removed or held by someone else;   signature_used: the transaction served another purpose;
  refunding: the seller is paying it back, or may be.';
