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

create or replace function bought_today(p_buyer text, p_token_type text) returns numeric language plpgsql stable as $$
begin
  return (
    select coalesce(sum(i.price_lamports), 0)
    from purchases p join purchase_items i on i.purchase_id = p.id and i.token_type = p_token_type
    where p.buyer = p_buyer and p.status = 'settled' and p.settled_at >= date_trunc('day', now(), 'utc')
  );
end
$$;
comment on function bought_today is 'What was delivered to a wallet of an item today, by UTC, in lamports.';

-- A seller's listings taken back

create or replace function take_back(l listings, p_tells boolean default true) returns boolean language plpgsql as $$
begin
  update listings set status = 'removed', closed_at = now(), held_by = null, held_until = null where id = l.id returning * into l;
  perform post_transfer('return', l.token_type, l.amount, l.seller, l.id);
  if p_tells then
    perform emit_listing('listing.removed', l);
  end if;
  perform emit_balance(l.seller);
  return true;
exception when check_violation then
  return false;
end
$$;
comment on function take_back is
  'Returns a listing that nobody else holds to its seller, under its lock. False if the seller''s balance has no room: then it stays as it is. '
  'p_tells: false if its caller tells those who watch the market.';

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
