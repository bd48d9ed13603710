-- What an outage may not cost anybody: the time to pay, a cooldown, or a second listing.

alter table purchases add column agreed_pay_before timestamptz;
comment on column purchases.agreed_pay_before is
  'When the payment window would have closed without outages. Null: none has extended it.';

create function outages_so_far() returns table (began_at timestamptz, ended_at timestamptz) language sql stable as $$
  select began_at, ended_at from outages
  union all
  select beat_at, now() from heartbeat where beat_at < now() - interval '15 s'
$$;
comment on function outages_so_far is 'The recorded outages, and the one that is not over, if there is one.';

create function pay_until(p purchases) returns timestamptz language plpgsql stable as $$
declare
  deadline timestamptz := coalesce(p.agreed_pay_before, p.pay_before);
  latest constant timestamptz := deadline + (deadline - p.created_at);
  outage record;
begin
  if p.status <> 'held' or p.cancel_requested or p.release_height is not null then
    return p.pay_before;
  end if;
  -- Nearly always there is none, and a hold need not wait for more than this question.
  if not exists (select from outages_so_far() where ended_at > p.created_at) then
    return p.pay_before;
  end if;
  if exists (select from payments where purchase_id = p.id and kind = 'purchase' and status = 'recorded') then
    return p.pay_before;
  end if;
  for outage in select * from outages_so_far() where ended_at > p.created_at order by began_at loop
    exit when outage.began_at >= deadline;
    deadline := deadline + (outage.ended_at - greatest(outage.began_at, p.created_at));
  end loop;
  return greatest(p.pay_before, least(deadline, latest));
end
$$;
comment on function pay_until is
  'When the payment window closes, outages included: each that began within it extends it by as long as it lasted, all together by at most '
  'as much again as was agreed. Never for a hold that was cancelled, has recorded bytes, or has a release height.';

create function window_closed(p purchases) returns boolean language sql stable as $$
  select p.pay_before <= now() and pay_until(p) <= now()
$$;
comment on function window_closed is 'Whether the time to pay is over. While an outage lasts that may extend it, it is not.';

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
  update listings set held_until = deadline where id = p.listing_id returning * into l;
  insert into events (type, audience, data)
    select * from listing_event('listing.held', l) union all select * from purchase_event(p);
  return p;
end
$$;
comment on function extend_hold is
  'Writes down what an outage has added to the time to pay, under the locks of listing and purchase, and tells both sides.';

create function extend_holds(p_limit integer) returns integer language plpgsql as $$
declare
  due record;
  purchase purchases;
  extended integer := 0;
begin
  for due in
    select id, listing_id from purchases p
    where status = 'held' and exists (select from outages where ended_at > p.created_at) and pay_until(p) > pay_before
    order by listing_id limit p_limit
  loop
    perform from listings where id = due.listing_id for update skip locked;
    continue when not found;
    select * into purchase from purchases where id = due.id for update skip locked;
    continue when not found;
    perform extend_hold(purchase);
    extended := extended + 1;
  end loop;
  return extended;
end
$$;
comment on function extend_holds is
  'Extends the holds that an outage interrupted, at most p_limit, and returns how many. One that somebody is at work on is left for the '
  'next time: its window does not close before.';

create or replace function ends_unsent(p purchases) returns boolean language sql stable as $$
  select p.status = 'held' and p.server_sends and (p.cancel_requested or window_closed(p))
    and not exists (select from payments where purchase_id = p.id and kind = 'purchase' and status = 'recorded')
$$;

create or replace function abandoned_holds(p_buyer text) returns table (listing_id uuid, abandoned_at timestamptz) language sql stable as $$
  select p.listing_id, coalesce(p.ended_at, now())
  from (
    select * from purchases
    where buyer = p_buyer and end_reason in ('cancelled', 'lapsed') and ended_at > now() - interval '48 hours'
    union all
    select * from purchases where buyer = p_buyer and status = 'held' and ends_unsent(purchases)
  ) p
  where not exists (select from outages_so_far() o where o.began_at < p.pay_before and o.ended_at > p.created_at)
$$;

create or replace function pay_millis_left(p purchases) returns integer language sql stable as $$
  select (case when p.status = 'held' then greatest(0, floor(extract(epoch from pay_until(p) - now()) * 1000)) else 0 end)::integer
$$;

create or replace function repeat_hold(
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
  elsif purchase.cancel_requested or window_closed(purchase) then
    refusal := 'HOLD_ENDED';
  else
    purchase := extend_hold(purchase);
    if purchase.server_sends and p_wallet_sends then
      update purchases set server_sends = false, reconcile_at = now() where id = purchase.id returning * into purchase;
    end if;
  end if;
end
$$;

create table listing_keys (
  seller text not null,
  idempotency_key text not null check (char_length(idempotency_key) between 1 and 128),
  listing_id uuid not null references listings,
  created_at timestamptz not null default now(),
  primary key (seller, idempotency_key)
);
create index listing_keys_by_age on listing_keys (created_at);
comment on table listing_keys is
  'Which listing a seller''s Idempotency-Key has created: asked for again, it is returned instead of another. Kept for a day.';
