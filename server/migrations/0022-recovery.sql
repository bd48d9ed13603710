-- What the database forgets when it is restored from a backup, or fails over to a stand-by that lacks the last commits: it notices that,
-- keeps the market paused, and learns from the chain which payments it has lost. Replaces functions of 0017-holds-of-several-items.sql and
-- 0021-restrictions.sql.

create table database_identity (
  only_row boolean primary key default true check (only_row),
  identity text not null,
  files text
);
comment on table database_identity is 'Which database this was when a server last knew that nothing is missing. Empty until the first one has started.';
comment on column database_identity.files is 'Which files they were, of a built-in database: a copy has others.';

create function current_identity() returns text language sql stable as $$
  select case when not pg_is_in_recovery() then concat_ws(' ',
    (select system_identifier from pg_control_system()),
    (select oid from pg_database where datname = current_database()),
    left(pg_walfile_name(pg_current_wal_lsn()), 8)
  ) end
$$;
comment on function current_identity is
  'The cluster, the database in it, and the timeline of its log: a restored dump is another database, and each fail-over and each restore '
  'to a point in time begins another timeline. Null on a stand-by.';

create function is_in_doubt() returns boolean language sql stable as $$
  select exists (select from database_identity where identity <> current_identity())
$$;
comment on function is_in_doubt is 'Whether this may be an earlier state of the database, because no server has said yet that nothing is missing.';

create table rewinds (
  id uuid primary key default new_id(),
  cause text not null check (cause in ('restored', 'lost', 'asked')),
  found_at timestamptz not null default now(),
  expiry_height bigint,
  ended_at timestamptz,
  ended_by text,
  check ((ended_at is null) = (ended_by is null))
);
comment on table rewinds is
  'Times when the database went back to an earlier state, or may have. The market is paused until one has ended: when a recovery has found '
  'nothing, or the studio has accepted what one could not check.';
comment on column rewinds.cause is
  'restored: a server started on another database than before. lost: a running server missed what it had read. asked: by the studio.';
comment on column rewinds.expiry_height is 'Above this block height nothing can land any more that was signed before the first recovery began.';
create unique index rewinds_one_open on rewinds ((true)) where ended_at is null;

create function current_pause() returns table (message text, actor text, since timestamptz) language sql stable as $$
  select message, actor, since from pauses
  union all
  select 'The market is being checked after trouble with its data. What you have paid for is not lost.', 'juicebar', since
  from (
    select found_at as since from rewinds where ended_at is null
    union all
    select now() where is_in_doubt() and not exists (select from rewinds where ended_at is null)
  ) checked
  where not exists (select from pauses)
$$;
comment on function current_pause is 'Why nothing can be listed or held now: the studio''s pause, or else a rewind; no row while the market is open.';

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

-- Recoveries: jobs that any server carries on with

create table chain_slots (
  seen_at timestamptz primary key default now(),
  genesis_hash text not null,
  slot bigint not null
);
comment on table chain_slots is 'How far the chain was when, noted every 20 seconds and kept for two days: what came after a backup, came after its last one.';

create table recoveries (
  id uuid primary key default new_id(),
  rewind_id uuid not null references rewinds(id),
  since timestamptz not null,
  created_at timestamptz not null default now(),
  finished_at timestamptz,
  lease_id uuid,
  lease_until timestamptz not null default now(),
  failures integer not null default 0,
  part text not null default 'waiting' check (part in ('waiting', 'listing', 'reading')),
  genesis_hash text,
  since_slot bigint,
  needed_slot bigint,
  block_height bigint,
  expiry_height bigint,
  fee_wallets text[] not null,
  last_wallet text not null default '',
  wallets integer not null default 0,
  wallets_listed integer not null default 0,
  transactions integer not null default 0,
  transactions_read integer not null default 0,
  payments integer not null default 0,
  cases_opened integer not null default 0,
  refunds json not null default '[]',
  unchecked json not null default '[]',
  unchecked_count integer not null default 0,
  limits json not null default '[]'
);
comment on table recoveries is 'Searches of the chain for payments that the database does not know, and how far each has come.';
comment on column recoveries.since is 'Up to then the database knows everything.';
comment on column recoveries.part is
  'waiting: until nothing can land any more that was signed before. listing: the transactions of each wallet. reading: these transactions.';
comment on column recoveries.since_slot is 'A slot before the first payment that can be missing. Null until the chain was asked.';
comment on column recoveries.needed_slot is 'The database was written at this slot or later: an endpoint must keep at least what has landed since.';
comment on column recoveries.block_height is 'Of the finalized chain, while it waits for expiry_height.';
comment on column recoveries.fee_wallets is 'Who has received fees, besides the sellers.';
comment on column recoveries.last_wallet is 'Wallets up to this one, in their order, are listed.';
comment on column recoveries.payments is 'Payments found that carry a reference of ours.';
comment on column recoveries.refunds is 'Refunds found that the database does not know: the first of them.';
create unique index recoveries_one_running on recoveries ((true)) where finished_at is null;

create table recovery_signatures (
  recovery_id uuid not null references recoveries(id),
  signature text not null,
  primary key (recovery_id, signature)
);
comment on table recovery_signatures is 'Transactions that a recovery has listed and not read yet.';

-- Payments that the chain has and the database has not

alter table cases alter column purchase_id drop not null, add column buyer text;
alter table cases drop constraint cases_kind_check;
alter table cases add constraint cases_kind_check check (kind in ('late', 'wrong', 'double', 'vanished', 'lost'));
alter table cases add constraint cases_lost check ((kind = 'lost') = (purchase_id is null) and (kind = 'lost') = (buyer is not null));
comment on column cases.buyer is 'Who paid, of a case without a purchase: lost, because the database has lost the purchase.';
-- Of a purchase there is one buyer; without one, a transaction may have several.
alter table cases drop constraint cases_one_a_seller;
alter table cases add constraint cases_one_a_seller unique nulls not distinct (purchase_id, signature, seller, buyer);
create index cases_by_buyer on cases (buyer, id) where buyer is not null;
create index cases_that_freeze on cases (seller) where kind = 'lost' and status = 'open';

create function is_frozen(p_seller text) returns boolean language plpgsql stable as $$
begin
  return exists (select from cases where seller = p_seller and kind = 'lost' and status = 'open');
end
$$;
comment on function is_frozen is
  'Whether a seller''s listings are neither sold nor returned: one of them was paid for in a purchase that the database has lost, and nobody knows which.';

create function frozen_sellers() returns text[] language plpgsql stable as $$
begin
  return array(select distinct seller from cases where kind = 'lost' and status = 'open' and seller is not null);
end
$$;
comment on function frozen_sellers is 'As is_frozen, all of them.';

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
