-- Alerts of players, and the pushes that tell them when no page is open. Nothing here runs when drinks are listed, held or delivered:
-- alerts fire when a server has heard of an offer, and sales are read in their order, up to a watermark.

create or replace function render_alert(a alerts) returns json language sql stable as $$
  select json_build_object(
    'id', a.id,
    'tokenType', a.token_type,
    'below', trim_scale(a.below_lamports * 0.000000001),
    'createdAt', json_time(a.created_at),
    'firedAt', json_time(a.fired_at),
    'price', trim_scale(a.fired_lamports * 0.000000001))
$$;
comment on function render_alert is 'An alert as replies and events carry it.';

create or replace function queue_push(p_wallet text, p_kind text, p_token_type text, p_quantity bigint) returns void language plpgsql as $$
begin
  insert into pushes (session_id, kind, token_type, quantity)
    select s.session_id, p_kind, p_token_type, p_quantity from push_subscriptions s
    where s.wallet_address = p_wallet and (select count(*) from pushes p where p.session_id = s.session_id) < 100;
end
$$;
comment on function queue_push is
  'Has the browsers of a wallet show something. One that is sent nothing for long, as its push service does not answer, has at most 100 waiting.';

create or replace function cheapest_offer(p_token_type text, p_frozen text[], p_wallet text default null) returns bigint language plpgsql stable as $$
declare
  offer bigint;
begin
  select unit_lamports(l.price_lamports, l.amount) into offer
  from listings l
  where l.status = 'active' and l.token_type = p_token_type and l.held_by is null and l.seller is distinct from p_wallet
    and l.seller <> all (p_frozen)
  order by l.unit_lamports limit 1;
  return offer;
end
$$;
comment on function cheapest_offer is
  'What one costs at least now, in whole lamports: the floor, as depth and summary show it. Without the listings of frozen sellers, and with a '
  'wallet without its own. Null if none is for sale.';

create or replace function fire_alerts(p_limit integer, p_frozen text[], p_only uuid default null) returns integer language plpgsql as $$
declare
  alert alerts;
  fired integer := 0;
begin
  -- Few alerts lie at or above the floor and do not fire: those of whoever sells there.
  for alert in
    with floors as materialized (
      select t.token_type, cheapest_offer(t.token_type, p_frozen) as lamports from token_types t
      where exists (select from alerts a where a.token_type = t.token_type and a.fired_at is null)
    ), due as (
      select a.id, offer.lamports
      from floors f join alerts a on a.token_type = f.token_type and a.fired_at is null and a.below_lamports >= f.lamports
        cross join cheapest_offer(a.token_type, p_frozen, a.wallet_address) as offer (lamports)
      where offer.lamports <= a.below_lamports and (p_only is null or a.id = p_only)
      limit p_limit for update of a skip locked
    )
    update alerts a set fired_at = now(), fired_lamports = due.lamports from due where a.id = due.id returning a.*
  loop
    perform emit_event('alert.fired', array[alert.wallet_address],
      json_build_object('type', 'alert.fired', 'alert', render_alert(alert)));
    perform queue_push(alert.wallet_address, 'alert', alert.token_type, alert.fired_lamports);
    fired := fired + 1;
  end loop;
  return fired;
end
$$;
comment on function fire_alerts is
  'Fires the alerts whose price is on the market now, at most p_limit, and returns how many; with p_only at most that one. What frozen sellers offer '
  'does not count. Row locks let any number '
  'of servers do this at the same time: an alert that another is firing is left to it.';

create or replace function push_sales(p_limit integer) returns integer language plpgsql as $$
declare
  head bigint;
  reached bigint;
begin
  if (select h.ordinal from pushes_head h) >= (select h.ordinal from sales_head h) then
    return 0;
  end if;
  select ordinal into head from pushes_head for update;
  -- Each statement sees what was committed before it began: under the lock, all that others have told of.
  select max(next.ordinal) into reached from (select ordinal from sales where ordinal > head order by ordinal limit p_limit) next;
  if reached is null then
    return 0;
  end if;
  -- What is older than pushes are sent for is no news.
  perform queue_push(sold.seller, 'sale', sold.token_type, sold.amount)
    from (
      select s.seller, s.token_type, sum(s.amount)::bigint as amount from sales s
      where s.ordinal > head and s.ordinal <= reached and not s.is_reversal and s.settled_at > now() - interval '1 hour'
        and exists (select from push_subscriptions p where p.wallet_address = s.seller)
      group by s.purchase_id, s.seller, s.token_type order by min(s.ordinal)
    ) sold;
  update pushes_head set ordinal = reached;
  return reached - head;
end
$$;
comment on function push_sales is
  'Tells sellers of the next sales in their order, at most p_limit, and returns how many it went on by. Only one at a time works, and nothing '
  'that lists, holds or delivers waits for it.';

create or replace function lease_pushes(p_limit integer) returns table (
  id uuid, session_id uuid, endpoint text, p256dh text, auth text, kind text, token_type text, quantity bigint, seconds_left integer
) language sql as $$
  with ready as (
    select s.session_id from push_subscriptions s
    where s.attempt_at <= now()
      and s.session_id in (select p.session_id from pushes p where p.created_at > now() - interval '1 hour')
      and exists (select from sessions z where z.id = s.session_id and z.revoked_at is null and z.expires_at > now())
    order by s.attempt_at limit p_limit for update skip locked
  ), leased as (
    update push_subscriptions s
    set failed_attempts = s.failed_attempts + 1,
      attempt_at = now() + make_interval(secs => (array[30, 120, 600, 1800])[least(s.failed_attempts + 1, 4)])
    from ready where s.session_id = ready.session_id
    returning s.session_id, s.endpoint, s.p256dh, s.auth
  )
  select next.id, l.session_id, l.endpoint, l.p256dh, l.auth, next.kind, next.token_type, next.quantity, next.seconds_left
  from leased l cross join lateral (
    select p.id, p.kind, p.token_type, p.quantity, ceil(extract(epoch from p.created_at + interval '1 hour' - now()))::integer as seconds_left
    from pushes p where p.session_id = l.session_id and p.created_at > now() - interval '1 hour' order by p.id limit 1
  ) next
$$;
comment on function lease_pushes is
  'Takes the oldest push of each of at most p_limit browsers to which nothing is being sent. The next attempt at a browser is made when '
  'this one has succeeded, else after half a minute, two, ten, and then half an hour each.';

create or replace function end_push_subscription() returns trigger language plpgsql as $$
begin
  delete from push_subscriptions where session_id = new.id;
  return null;
end
$$;

create or replace trigger sessions_end_push after update of revoked_at on sessions
  for each row when (old.revoked_at is null and new.revoked_at is not null) execute function end_push_subscription();
