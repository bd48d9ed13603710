-- What an outage may not cost anybody: the time to pay, or a cooldown.

create or replace function beat() returns void language plpgsql as $$
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

create or replace function outages_so_far() returns table (began_at timestamptz, ended_at timestamptz) language sql stable as $$
  select began_at, ended_at from outages
  union all
  select beat_at, now() from heartbeat where beat_at < now() - interval '15 s'
$$;
comment on function outages_so_far is 'The recorded outages, and the one that is not over, if there is one.';

create or replace function pay_until(p purchases) returns timestamptz language plpgsql stable as $$
declare
  deadline timestamptz := coalesce(p.agreed_pay_before, p.pay_before);
  latest constant timestamptz := deadline + (deadline - p.created_at);
  outage record;
begin
  if p.status <> 'held' or p.cancel_requested or p.unfunded or p.release_height is not null then
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
  'as much again as was agreed. Never for a hold that was cancelled, lacks the SOL, has recorded bytes, or has a release height.';

create or replace function window_closed(p purchases) returns boolean language sql stable as $$
  select p.pay_before <= now() and pay_until(p) <= now()
$$;
comment on function window_closed is 'Whether the time to pay is over. While an outage lasts that may extend it, it is not.';

create or replace function pay_millis_left(p purchases) returns integer language sql stable as $$
  select (case when p.status = 'held' then greatest(0, floor(extract(epoch from pay_until(p) - now()) * 1000)) else 0 end)::integer
$$;
comment on function pay_millis_left is 'Whole milliseconds that a buyer has left to pay.';

create or replace function extend_hold(p purchases) returns purchases language plpgsql as $$
declare
  deadline constant timestamptz := pay_until(p);
  l listings;
begin
  if deadline <= p.pay_before then
    return p;
  end if;
  update purchases
    set agreed_pay_before = coalesce(agreed_pay_before, pay_before), pay_before = deadline
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

create or replace function extend_holds(p_limit integer) returns integer language plpgsql as $$
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
