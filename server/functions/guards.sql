-- What the database itself refuses.

-- A migration that changes what a hold, a payment or a delivery means must not be run beside servers that know the meaning of before, not
-- even for a moment: what they write is refused.

create or replace function refuse_older_servers() returns trigger language plpgsql as $$
begin
  -- Names of other programs are not between these two. The name is all that a connection pooler passes on.
  if current_setting('application_name') collate "C" >= 'juicebar' and current_setting('application_name') collate "C" < oldest_server() then
    raise exception 'this server is older than the database' using errcode = 'JB002';
  end if;
  return null;
end
$$;
comment on function refuse_older_servers is 'Raises JB002 for a server that does not know the newest incompatible migration.';

create or replace trigger refuse_older_servers before insert or update or delete on listings
  for each statement execute function refuse_older_servers();
create or replace trigger refuse_older_servers before insert or update or delete on purchases
  for each statement execute function refuse_older_servers();
create or replace trigger refuse_older_servers before insert or update or delete on payments
  for each statement execute function refuse_older_servers();
create or replace trigger refuse_older_servers before insert or update or delete on cases
  for each statement execute function refuse_older_servers();
create or replace trigger refuse_older_servers before insert or update or delete on transfers
  for each statement execute function refuse_older_servers();

create or replace function write_oldest_server(p_number text) returns void language plpgsql as $$
begin
  execute format(
    'create or replace function oldest_server() returns text language sql immutable as %L', format(' select %L ', 'juicebar ' || p_number));
end
$$;
comment on function write_oldest_server is
  'Writes the newest incompatible migration into the body of oldest_server, where reading it costs nothing.';

create or replace function upgrade_servers(p_number text) returns void language plpgsql as $$
begin
  lock table listings, purchases, payments, cases, transfers in share row exclusive mode;
  perform write_oldest_server(p_number);
end
$$;
comment on function upgrade_servers is
  'Called before each incompatible migration, in its transaction, with its number. What older servers have begun to write is waited for; '
  'whatever they write afterwards is refused.';

-- Again, since a new database had its migrations before there was an upgrade_servers to call.
select write_oldest_server(left(max(name), 4)) from migrations where not compatible;
comment on function oldest_server is
  'The application_name of the oldest servers that may write: each server appends the number of the newest migration it knows.';

-- The log of the studio's calls is append-only.

create or replace function refuse_change() returns trigger language plpgsql as $$
begin
  raise exception 'the rows of % are never changed', tg_table_name;
end
$$;

create or replace trigger studio_log_append_only before update or delete or truncate on studio_log
  for each statement execute function refuse_change();
