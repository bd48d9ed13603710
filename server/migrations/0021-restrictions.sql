-- What the studio restricts: a pause of the market, blocked wallets, rules of the drinks. Checked when listing and when holding, never when
-- delivering. Replaces functions of 0017-holds-of-several-items.sql.

create table pauses (
  is_now boolean primary key default true check (is_now),
  message text not null,
  actor text not null,
  since timestamptz not null default now()
);
comment on table pauses is 'The pause of the market: one row, or none while it is open.';

create table blocks (
  wallet_address text primary key,
  reason text not null,
  until timestamptz,
  takes_listings boolean not null,
  actor text not null,
  since timestamptz not null default now()
);
comment on table blocks is 'Wallets that may neither list nor hold. Counts until `until`, or until it is deleted.';
comment on column blocks.takes_listings is 'The wallet''s listings go back to it, those that are held as soon as their hold has ended unpaid.';

create table token_rules (
  token_type text primary key references token_types,
  min_unit_lamports bigint check (min_unit_lamports >= 0),
  max_unit_lamports bigint check (max_unit_lamports >= 0),
  max_listings integer check (max_listings >= 0),
  max_daily_lamports bigint check (max_daily_lamports >= 0),
  check (min_unit_lamports <= max_unit_lamports)
);
comment on table token_rules is
  'What the studio allows of a drink: whole lamports for one, listings of a wallet at a time, and what a wallet may spend on it in a UTC day. '
  'Null: no such rule.';

-- Who lists or holds shares a lock until its transaction ends, and who changes restrictions takes it alone. So when a change has been
-- answered, nothing that was decided before it is still to be committed. In plpgsql, which keeps its plans: each hold asks all of these.

create function share_restrictions() returns void language plpgsql as $$
begin
  perform pg_advisory_xact_lock_shared(20021);
end
$$;
comment on function share_restrictions is
  'Taken before any row is locked, so that nobody who waits for it makes others wait. What is read after it holds until the transaction ends.';

create function lock_restrictions() returns void language plpgsql as $$
begin
  perform pg_advisory_xact_lock(20021);
end
$$;

create function restriction_of(p_wallet text, out refusal text, out restriction json) language plpgsql stable as $$
begin
  select 'PAUSED', json_build_object('message', message) into refusal, restriction from pauses;
  if not found then
    select 'BLOCKED', json_build_object('reason', reason, 'until', json_time(until)) into refusal, restriction
      from blocks where wallet_address = p_wallet and (until is null or until > now());
  end if;
end
$$;
comment on function restriction_of is 'Why a wallet may neither list nor hold anything now; null if it may.';

create function is_taken_back(p_wallet text) returns boolean language plpgsql stable as $$
begin
  return (
    select exists (select from blocks where wallet_address = p_wallet and takes_listings and (until is null or until > now()))
  );
end
$$;

-- In numeric: a bigint does not reach as far as the highest unit price times the largest amount.
create function broken_price_rule(p_token_type text, p_amount bigint, p_lamports bigint) returns json language plpgsql stable as $$
begin
  return (
    select case
      when p_lamports < min_unit_lamports::numeric * p_amount
        then json_build_object('rule', 'minUnitPrice', 'tokenType', token_type, 'limit', min_unit_lamports::text)
      when p_lamports > max_unit_lamports::numeric * p_amount
        then json_build_object('rule', 'maxUnitPrice', 'tokenType', token_type, 'limit', max_unit_lamports::text)
    end
    from token_rules where token_type = p_token_type
  );
end
$$;
comment on function broken_price_rule is
  'The rule of the unit price that so many drinks for so many lamports break; null if none. The rules are whole lamports, so that no part of a '
  'listing that keeps them breaks one, and no rest.';

create index purchases_settled_by_buyer on purchases (buyer, settled_at) where status = 'settled';
comment on index purchases_settled_by_buyer is 'What a wallet has bought today.';

create function bought_today(p_buyer text, p_token_type text, p_replaced uuid[]) returns numeric language plpgsql stable as $$
begin
  return (
    select coalesce(sum(i.price_lamports), 0)
    from (
      select id from purchases p
        where buyer = p_buyer and status = 'held' and not ends_unsent(p)
          and not exists (select from purchase_items j where j.purchase_id = p.id and j.listing_id = any (p_replaced))
      union all
      select id from purchases where buyer = p_buyer and status = 'settled' and settled_at >= date_trunc('day', now(), 'utc')
    ) p
    join purchase_items i on i.purchase_id = p.id and i.token_type = p_token_type
  );
end
$$;
comment on function bought_today is
  'What a wallet buys of a drink today, by UTC, in lamports: what was delivered, and what it holds. p_replaced: the listings that it is about to '
  'hold, whose former holds do not count.';

create function broken_daily_rule(p_buyer text, p_listings uuid[], p_amounts bigint[]) returns json language plpgsql stable as $$
declare
  asked record;
  bought numeric;
begin
  if not exists (select from token_rules where max_daily_lamports is not null) then
    return null;
  end if;
  for asked in
    select r.token_type, r.max_daily_lamports, sum(h.lamports) as lamports
    from hold_plan(p_buyer, p_listings, p_amounts) h join token_rules r on r.token_type = h.token_type and r.max_daily_lamports is not null
    group by r.token_type order by r.token_type
  loop
    bought := bought_today(p_buyer, asked.token_type, p_listings);
    if bought + asked.lamports > asked.max_daily_lamports then
      return json_build_object('rule', 'maxSolPerWalletPerDay', 'tokenType', asked.token_type, 'limit', asked.max_daily_lamports::text,
        'left', greatest(asked.max_daily_lamports - bought, 0)::text);
    end if;
  end loop;
  return null;
end
$$;
comment on function broken_daily_rule is
  'The rule of a wallet''s day that a purchase would break; null if none. Exact once the buyer''s row in players is locked.';

create function listing_restriction(
  p_seller text, p_token_type text, p_amount bigint, p_lamports bigint, out refusal text, out restriction json, out max_listings integer
) language plpgsql as $$
begin
  perform share_restrictions();
  select r.refusal, r.restriction into refusal, restriction from restriction_of(p_seller) r;
  if refusal is null then
    restriction := broken_price_rule(p_token_type, p_amount, p_lamports);
    refusal := case when restriction is not null then 'RULE_BROKEN' end;
  end if;
  select r.max_listings into max_listings from token_rules r where r.token_type = p_token_type;
end
$$;
comment on function listing_restriction is
  'Why a wallet may not list this now; null if it may. max_listings: how many listings of the drink it may have then, which is counted once the '
  'wallet''s balance is locked; null if that is not limited. The first statement of a transaction that lists.';

-- A seller's listings taken back

create function take_back(l listings) returns boolean language plpgsql as $$
begin
  update listings set status = 'removed', closed_at = now() where id = l.id returning * into l;
  perform post_transfer('return', l.token_type, l.amount, l.seller, l.id);
  perform emit_listing('listing.removed', l);
  perform emit_balance(l.seller);
  return true;
exception when check_violation then
  return false;
end
$$;
comment on function take_back is
  'Returns a listing that nobody holds to its seller, under its lock. False if the seller''s balance has no room: then it stays on the market.';

create function take_back_listings(p_seller text, p_after uuid, p_limit integer, out last uuid, out taken integer) language plpgsql as $$
declare
  ids uuid[];
  l listings;
begin
  -- Held ones too: a hold that is just ending may not know of the block.
  ids := array(
    select id from listings where seller = p_seller and status in ('active', 'reserved') and id > p_after order by id limit p_limit for update
  );
  last := ids[cardinality(ids)];
  taken := 0;
  for l in select * from listings where id = any (ids) and status = 'active' and held_by is null order by token_type, id loop
    taken := taken + take_back(l)::integer;
  end loop;
end
$$;
comment on function take_back_listings is
  'Returns a seller''s listings to it, the next p_limit after one of them; those that buyers hold stay. last: where to go on; null at the end.';

-- Holding

drop function check_hold, place_hold, decide_hold;

create function decide_hold(
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

create function check_hold(
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

create function place_hold(
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
