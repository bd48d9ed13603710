-- Links that a wallet on a phone buys through (Solana Pay).

create or replace function link_limits(
  p_maker bytea, p_wallet text, p_account text, p_listing uuid, p_max_holds integer, out refusal text, out retry_seconds integer
) language plpgsql stable as $$
declare
  open_holds bigint;
  cooldown timestamptz;
  pause timestamptz;
begin
  select max(abandoned.cooldown), max(abandoned.pause) into cooldown, pause
  from (
    select
      case when count(*) filter (where is_same) >= 2
        then max(at) filter (where is_same) + interval '10 minutes' * power(2, least(count(*) filter (where is_same), 9) - 2)
      end as cooldown,
      (array_agg(at order by at desc))[p_max_holds] + interval '1 hour' as pause
    from (
      select subject.name, p.ended_at as at, h.listing_id = p_listing as is_same
      from pay_link_holds h
      join purchases p on p.id = h.purchase_id
      cross join lateral (
        values ('maker', h.maker = p_maker), ('wallet', h.maker_wallet = p_wallet), ('account', h.account = p_account)
      ) as subject (name, fits)
      where (h.maker = p_maker or h.maker_wallet = p_wallet or h.account = p_account) and subject.fits
        and p.end_reason in ('cancelled', 'lapsed') and p.ended_at > now() - interval '24 hours'
        and not exists (select from outages_so_far() o where o.began_at < p.pay_before and o.ended_at > p.created_at)
    ) of_subject
    group by name
  ) abandoned;
  if cooldown > now() then
    refusal := 'COOLDOWN';
    retry_seconds := ceil(extract(epoch from cooldown - now()));
    return;
  end if;
  if pause > now() then
    refusal := 'PAY_LINK_LIMIT';
    retry_seconds := ceil(extract(epoch from pause - now()));
    return;
  end if;
  select greatest(
      count(*) filter (where h.maker = p_maker),
      count(*) filter (where h.maker_wallet = p_wallet)
        + (select count(*) from purchases own where own.buyer = p_wallet and own.status = 'held'
            and not exists (select from pay_link_holds mine where mine.purchase_id = own.id and mine.maker_wallet = p_wallet))
    )
    into open_holds
    from pay_link_holds h join purchases p on p.id = h.purchase_id
    where (h.maker = p_maker or h.maker_wallet = p_wallet) and p.status = 'held';
  if open_holds >= p_max_holds then
    refusal := 'PAY_LINK_LIMIT';
    retry_seconds := 60;
  end if;
end
$$;
comment on function link_limits is
  'Whether links of a maker may hold a listing, for an account if one is named; null if so. A cooldown of the listing as for wallets, for '
  'maker and account alike; after as many abandoned holds within an hour as there may be open ones, none for the rest of that hour; and no '
  'more open holds than a wallet may have, those of the maker''s own wallet included.';

create or replace function link_refusal(
  link pay_links, p_account text, p_max_holds integer, out refusal text, out retry_seconds integer
) language plpgsql stable as $$
declare
  former purchases;
begin
  if link.id is null then
    refusal := 'PAY_LINK_NOT_FOUND';
    return;
  elsif exists (select from pay_link_holds h join purchases p on p.id = h.purchase_id where h.link_id = link.id and p.status = 'settled') then
    refusal := 'PAY_LINK_PAID';
    return;
  elsif link.expires_at <= now() then
    refusal := 'PAY_LINK_EXPIRED';
    return;
  end if;
  select * into former from purchases where id = link.purchase_id;
  if former.status = 'held' then
    if former.buyer <> p_account then
      refusal := 'PAY_LINK_HELD';
    end if;
    return;
  end if;
  if exists (
    select from purchases p join purchase_items i on i.purchase_id = p.id
    where p.buyer = p_account and p.status = 'held' and link.listing_id in (i.listing_id, i.part_of)
  ) then
    refusal := 'HELD_BY_YOU';
    return;
  elsif exists (
    select from pay_link_holds h join purchases p on p.id = h.purchase_id where h.account = p_account and p.status = 'held'
  ) then
    refusal := 'PAY_LINK_ELSEWHERE';
    return;
  end if;
  select l.refusal, l.retry_seconds into refusal, retry_seconds
    from link_limits(link.maker, link.maker_wallet, p_account, link.listing_id, p_max_holds) l;
end
$$;
comment on function link_refusal is
  'Why an account cannot hold through a link now; null if it may, or has its hold already. What nobody has proved to be a wallet''s own wish may '
  'be one open hold of it, and never changes one that the wallet has placed itself.';

create or replace function lock_link_maker(p_maker bytea, p_wallet text) returns void language plpgsql as $$
begin
  perform pg_advisory_xact_lock(hashtextextended('maker ' || encode(p_maker, 'hex'), 28));
  if p_wallet is not null then
    perform pg_advisory_xact_lock(hashtextextended('wallet ' || p_wallet, 28));
  end if;
end
$$;
comment on function lock_link_maker is
  'Makes counting exact, also for those who never signed in and have no row to lock. In this order, after the link and before all other '
  'rows: maker, wallet, account.';

create or replace function link_room(
  p_maker bytea, p_wallet text, p_listing uuid, p_max_holds integer, p_max_links integer, out refusal text, out retry_seconds integer
) language plpgsql stable as $$
declare
  live bigint;
begin
  select t.refusal, t.retry_seconds into refusal, retry_seconds from link_limits(p_maker, p_wallet, null, p_listing, p_max_holds) t;
  if refusal is not null then
    return;
  end if;
  select greatest(count(*) filter (where k.maker = p_maker), count(*) filter (where k.maker_wallet = p_wallet)),
      ceil(extract(epoch from min(k.expires_at) - now()))
    into live, retry_seconds
    from pay_links k where (k.maker = p_maker or k.maker_wallet = p_wallet) and k.expires_at > now();
  refusal := case when live >= p_max_links then 'PAY_LINK_LIMIT' end;
end
$$;
comment on function link_room is
  'Whether a maker may have one more link, under the locks of lock_link_maker; null if so. retry_seconds: of COOLDOWN and PAY_LINK_LIMIT.';

create or replace function lock_link(
  p_link uuid, p_account text, p_max_holds integer, out refusal text, out retry_seconds integer
) language plpgsql as $$
declare
  link pay_links;
begin
  perform share_restrictions();
  select * into link from pay_links where id = p_link for update;
  perform lock_link_maker(link.maker, link.maker_wallet);
  perform pg_advisory_xact_lock(hashtextextended('account ' || p_account, 28));
  perform from players where wallet_address = p_account for update;
  select r.refusal, r.retry_seconds into refusal, retry_seconds from link_refusal(link, p_account, p_max_holds) r;
end
$$;
comment on function lock_link is
  'As link_refusal, under the locks of the link and of all that it counts against, in the transaction that holds for an account.';

create or replace function note_link_hold(p_link uuid, p_account text, p_purchase uuid) returns void language plpgsql as $$
begin
  insert into pay_link_holds (purchase_id, link_id, listing_id, account, maker, maker_wallet)
    select p_purchase, id, listing_id, p_account, maker, maker_wallet from pay_links where id = p_link on conflict do nothing;
  update pay_links set purchase_id = p_purchase where id = p_link;
end
$$;
