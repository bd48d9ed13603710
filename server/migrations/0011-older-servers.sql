-- What older servers may do after an upgrade. A migration that changes what a hold, a payment or a delivery means must not be run beside
-- servers that know the meaning of before, not even for a moment: the database itself refuses what they write.

create function oldest_server() returns text language sql immutable as $$ select 'juicebar' $$;
comment on function oldest_server is
  'The application_name of the oldest servers that may write: each server appends the number of the newest migration it knows.';

create function refuse_older_servers() returns trigger language plpgsql as $$
begin
  -- Names of other programs are not between these two. The name is all that a connection pooler passes on.
  if current_setting('application_name') collate "C" >= 'juicebar' and current_setting('application_name') collate "C" < oldest_server() then
    raise exception 'this server is older than the database' using errcode = 'JB002';
  end if;
  return null;
end
$$;
comment on function refuse_older_servers is 'Raises JB002 for a server that does not know the newest incompatible migration.';

create trigger refuse_older_servers before insert or update or delete on listings for each statement execute function refuse_older_servers();
create trigger refuse_older_servers before insert or update or delete on purchases for each statement execute function refuse_older_servers();
create trigger refuse_older_servers before insert or update or delete on payments for each statement execute function refuse_older_servers();
create trigger refuse_older_servers before insert or update or delete on cases for each statement execute function refuse_older_servers();
create trigger refuse_older_servers before insert or update or delete on transfers for each statement execute function refuse_older_servers();

create function upgrade_servers(p_number text) returns void language plpgsql as $$
begin
  lock table listings, purchases, payments, cases, transfers in share row exclusive mode;
  execute format(
    'create or replace function oldest_server() returns text language sql immutable as %L', format(' select %L ', 'juicebar ' || p_number));
end
$$;
comment on function upgrade_servers is
  'Called before each incompatible migration, in its transaction, with its number. What older servers have begun to write is waited for; '
  'whatever they write afterwards is refused.';

select upgrade_servers('0011');
