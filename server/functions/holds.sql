-- Holding the items of a purchase, and ending the hold. Each call is one statement, and one transaction.

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

-- What a wallet may hold

create or replace function abandoned_holds(p_buyer text) returns table (purchase_id uuid, abandoned_at timestamptz)
language sql stable as $$
  select p.id, coalesce(p.ended_at, now())
  from (
    select * from purchases
    where buyer = p_buyer and end_reason in ('cancelled', 'lapsed') and ended_at > now() - interval '48 hours'
    union all
    select * from purchases where buyer = p_buyer and status = 'held' and ends_unsent(purchases)
  ) p
  where not exists (select from outages_so_far() o where o.began_at < p.pay_before and o.ended_at > p.created_at)
    and not exists (select from pay_link_holds h where h.purchase_id = p.id and h.maker_wallet is distinct from p_buyer)
$$;
comment on function abandoned_holds is
  'The purchases that a wallet has left unpaid in the last 48 hours. Without those that somebody else''s link has placed for it: they count in '
  'link_limits, where nobody can use them to keep the wallet from buying by itself.';

create or replace function cooldown_until(p_buyer text, p_listing uuid) returns timestamptz language sql stable as $$
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

create or replace function allowed_items(p_buyer text, p_max_items integer) returns integer language sql stable as $$
  select case when count(*) < 3 then p_max_items else 1 end from abandoned_holds(p_buyer) where abandoned_at > now() - interval '1 hour'
$$;
comment on function allowed_items is 'How many items a wallet may hold in all: one after it abandoned three purchases within an hour.';

create or replace function listing_refusal(p_buyer text, l listings, p_amount bigint) returns text language plpgsql stable as $$
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
  elsif is_frozen(l.seller) then
    return 'LISTING_FROZEN';
  end if;
  return null;
end
$$;
comment on function listing_refusal is
  'Why nobody, or not this wallet, may hold so much of a listing now; null if it may. p_amount: null for all that is left.';

create or replace function hold_plan(p_buyer text, p_listings uuid[], p_amounts bigint[])
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

create or replace function decide_hold(
  p_buyer text, p_listings uuid[], p_amounts bigint[], p_most_lamports bigint, p_transfers boolean,
  p_max_holds integer, p_max_items integer, p_max_sellers integer, p_fee_basis_points integer, p_fee_wallet text,
  out refusal text, out refused uuid, out restriction json, out retry_seconds integer, out allowed integer,
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
  select r.refusal, r.restriction into refusal, restriction from restriction_of(p_buyer) r;
  if refusal is not null then
    return;
  end if;
  for item in select * from hold_plan(p_buyer, p_listings, p_amounts) loop
    if item.refusal is not null then
      refusal := item.refusal;
      refused := item.id;
      return;
    end if;
    restriction := broken_price_rule(item.token_type, item.amount, item.lamports);
    if restriction is not null then
      refusal := 'RULE_BROKEN';
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
  restriction := broken_daily_rule(p_buyer, p_listings, p_amounts);
  if restriction is not null then
    refusal := 'RULE_BROKEN';
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
  'The rules of a purchase that need no chain: first whether the market is paused or the wallet blocked, then the rules of its items, in their '
  'order, then those of the wallet, then those of the payment. Returns the code of the refusal; refused: the listing it is about; '
  'restriction: of PAUSED, BLOCKED and RULE_BROKEN, what the studio has set; retry_seconds: of a COOLDOWN; allowed: of TOO_MANY_HOLDS, how many '
  'items, or null if it is the purchases that are too many. Without one, what is to be paid: in all, as a fee, and to each seller.';

-- Holding

create or replace function asks_for(p_listing uuid, p_amount bigint, item purchase_items) returns boolean language sql immutable as $$
  select item.listing_id = p_listing and item.amount = coalesce(p_amount, item.amount)
    or coalesce(item.part_of = p_listing and item.amount = p_amount, false)
$$;

create or replace function repeat_hold(
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

create or replace function check_hold(
  p_buyer text, p_listings uuid[], p_amounts bigint[], p_most_lamports bigint, p_transfers boolean, p_wallet_sends boolean,
  p_max_holds integer, p_max_items integer, p_max_sellers integer, p_fee_basis_points integer, p_fee_wallet text,
  out refusal text, out refused uuid, out restriction json, out retry_seconds integer, out allowed integer,
  out fee bigint, out sellers text[], out received bigint[], out purchase purchases, out items json
) language plpgsql as $$
declare
  repeated record;
begin
  -- In this order: what a hold of this buyer makes impossible, that hold is found for.
  select d.refusal, d.refused, d.restriction, d.retry_seconds, d.allowed, d.fee, d.sellers, d.received
    into refusal, refused, restriction, retry_seconds, allowed, fee, sellers, received
    from decide_hold(
      p_buyer, p_listings, p_amounts, p_most_lamports, p_transfers, p_max_holds, p_max_items, p_max_sellers, p_fee_basis_points, p_fee_wallet
    ) d;
  select * into repeated from repeat_hold(p_buyer, p_listings, p_amounts, p_most_lamports, p_transfers, p_wallet_sends);
  if repeated.refusal is not null or (repeated.purchase).id is not null then
    refusal := repeated.refusal;
    refused := null;
    restriction := null;
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

create or replace function place_hold(
  p_buyer text, p_listings uuid[], p_amounts bigint[], p_most_lamports bigint, p_transfers boolean, p_wallet_sends boolean,
  p_max_holds integer, p_max_items integer, p_max_sellers integer, p_fee_basis_points integer, p_fee_wallet text,
  p_reference text, p_genesis_hash text, p_slot bigint, p_spendable bigint, p_network_fee bigint, p_hold_seconds integer,
  p_rent_minimum bigint, p_recipients text[], p_balances bigint[],
  out refusal text, out refused uuid, out restriction json, out retry_seconds integer, out allowed integer, out needed_amount bigint,
  out purchase purchases, out items json
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
  perform share_restrictions();
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
  restriction := terms.restriction;
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
      case when p_wallet_sends then now() + interval '4 s' else now() + make_interval(secs => p_hold_seconds) end)
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
      where status = 'active' and held_by is null and is_taken_back(seller) and id in (
        select listing_id from purchase_items where purchase_id = p.id
        union select part_of from purchase_items where purchase_id = p.id
        union select s.id from purchase_items i join listings s on s.part_of in (i.listing_id, i.part_of) where i.purchase_id = p.id
      )
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
