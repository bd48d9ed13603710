-- What the studio restricts: a pause of the market, blocked wallets, rules of the drinks. Checked when listing and when holding, never when
-- delivering.

-- Who lists or holds shares a lock until its transaction ends, and who changes restrictions takes it alone. So when a change has been
-- answered, nothing that was decided before it is still to be committed. In plpgsql, which keeps its plans: each hold asks all of these.

create or replace function share_restrictions() returns void language plpgsql as $$
begin
  perform pg_advisory_xact_lock_shared(20021);
end
$$;
comment on function share_restrictions is
  'Taken before any row is locked, so that nobody who waits for it makes others wait. What is read after it holds until the transaction ends.';

create or replace function lock_restrictions() returns void language plpgsql as $$
begin
  perform pg_advisory_xact_lock(20021);
end
$$;

create or replace function restriction_of(p_wallet text, out refusal text, out restriction json) language plpgsql stable as $$
begin
  select 'PAUSED', json_build_object('message', message) into refusal, restriction from current_pause();
  if not found then
    select 'BLOCKED', json_build_object('reason', reason, 'until', json_time(until)) into refusal, restriction
      from blocks where wallet_address = p_wallet and (until is null or until > now());
  end if;
end
$$;
comment on function restriction_of is 'Why a wallet may neither list nor hold anything now; null if it may.';

create or replace function is_taken_back(p_wallet text) returns boolean language plpgsql stable as $$
begin
  return (
    select exists (select from blocks where wallet_address = p_wallet and takes_listings and (until is null or until > now()))
  );
end
$$;

-- In numeric: a bigint does not reach as far as the highest unit price times the largest amount.
create or replace function broken_price_rule(p_token_type text, p_amount bigint, p_lamports bigint) returns json language plpgsql stable as $$
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

create or replace function bought_today(p_buyer text, p_token_type text, p_replaced uuid[]) returns numeric language plpgsql stable as $$
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

create or replace function broken_daily_rule(p_buyer text, p_listings uuid[], p_amounts bigint[]) returns json language plpgsql stable as $$
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

create or replace function listing_restriction(
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

create or replace function take_back(l listings) returns boolean language plpgsql as $$
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

create or replace function take_back_listings(p_seller text, p_after uuid, p_limit integer, out last uuid, out taken integer) language plpgsql as $$
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
