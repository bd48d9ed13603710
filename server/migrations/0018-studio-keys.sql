-- compatible: older servers may run on it
-- Keys of the studio's own programs.

create table studio_keys (
  id uuid primary key default new_id(),
  name text not null check (char_length(name) between 1 and 64),
  -- SHA-256 of the secret, which has 256 random bits of its own: a slow hash would protect nothing.
  secret_hash bytea not null unique check (octet_length(secret_hash) = 32),
  scopes text[] not null check (cardinality(scopes) > 0),
  -- Tokens of all kinds together that it may credit in a UTC day; null without a limit.
  daily_credit_limit bigint check (daily_credit_limit >= 0),
  expires_at timestamptz,
  revoked_at timestamptz,
  -- Written at most once a minute.
  last_used_at timestamptz,
  -- The name of the key that made it.
  created_by text not null,
  created_at timestamptz not null default now()
);
comment on table studio_keys is 'Keys for the studio API, besides STUDIO_API_KEY. They are never deleted, so that the holder of an old one hears what became of it.';

create table studio_key_days (
  key_id uuid not null references studio_keys,
  day date not null,
  credited bigint not null check (credited >= 0),
  primary key (key_id, day)
);
comment on table studio_key_days is 'What each key with a daily limit has credited on which day, in UTC. Its row is locked first of all that its orders lock.';

-- The ledger's number of a credit or debit.
alter table studio_log add column transfer_id bigint;
