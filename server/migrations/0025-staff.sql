-- compatible: older servers may run on it
-- Wallets that may use the studio's desk, and what they sign there.

create table studio_staff (
  wallet_address text primary key,
  -- Whose wallet it is.
  name text check (char_length(name) between 1 and 64),
  scopes text[] not null check (cardinality(scopes) > 0),
  -- The name of the key, or the wallet, that last set or removed it.
  set_by text not null,
  set_at timestamptz not null default now(),
  removed_at timestamptz
);
comment on table studio_staff is
  'What calls have said of wallets at the studio''s desk. It comes before the setting STUDIO_WALLETS, so a wallet that was taken off keeps its row.';

create unlogged table studio_challenges (
  id uuid primary key,
  wallet_address text not null,
  -- Method and path.
  call text not null,
  -- SHA-256.
  body_hash bytea not null check (octet_length(body_hash) = 32),
  message text not null,
  expires_at timestamptz not null,
  used_at timestamptz
);
create index studio_challenges_by_wallet on studio_challenges (wallet_address, expires_at);
create index studio_challenges_by_expiry on studio_challenges (expires_at);
comment on table studio_challenges is
  'Texts that wallets of the staff sign, each for one call. Kept for a while when used or expired, so that a repetition hears why it is '
  'refused. Unlogged, because a crash of the database that loses them makes somebody sign again, and never lets a signature count twice.';
