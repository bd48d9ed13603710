-- What the database forgets when it is restored from a backup, or fails over to a stand-by that lacks the last commits: it notices that,
-- keeps the market paused, and learns from the chain which payments it has lost.

create or replace function current_identity() returns text language sql stable as $$
  select case when not pg_is_in_recovery() then concat_ws(' ',
    (select system_identifier from pg_control_system()),
    (select oid from pg_database where datname = current_database()),
    left(pg_walfile_name(pg_current_wal_lsn()), 8)
  ) end
$$;
comment on function current_identity is
  'The cluster, the database in it, and the timeline of its log: a restored dump is another database, and each fail-over and each restore '
  'to a point in time begins another timeline. Null on a stand-by.';

create or replace function is_in_doubt() returns boolean language sql stable as $$
  select exists (select from database_identity where identity <> current_identity())
$$;
comment on function is_in_doubt is 'Whether this may be an earlier state of the database, because no server has said yet that nothing is missing.';

create or replace function current_pause() returns table (message text, actor text, since timestamptz) language sql stable as $$
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

create or replace function is_frozen(p_seller text) returns boolean language plpgsql stable as $$
begin
  return exists (select from cases where seller = p_seller and kind = 'lost' and status in ('open', 'refunding'));
end
$$;
comment on function is_frozen is
  'Whether a seller''s listings are neither sold nor returned: one of them was paid for in a purchase that the database has lost, and nobody knows which.';

create or replace function frozen_sellers() returns text[] language plpgsql stable as $$
begin
  return array(select distinct seller from cases where kind = 'lost' and status in ('open', 'refunding') and seller is not null);
end
$$;
comment on function frozen_sellers is 'As is_frozen, all of them.';
