-- Who may act as a wallet: a nonce to sign, then a session that any server can end.

create table players (
  wallet_address text primary key,
  created_at timestamptz not null default now()
);
comment on table players is 'Every wallet that has ever signed in. Its row is also the lock that serializes the purchases of one buyer.';

create unlogged table sign_in_nonces (
  wallet_address text primary key,
  nonce text not null,
  expires_at timestamptz not null
);
create index sign_in_nonces_by_expiry on sign_in_nonces (expires_at);
comment on table sign_in_nonces is
  'One open sign-in request per wallet, deleted when its nonce is used and some time after it expires. Unlogged, because a nonce need '
  'not reach the disk before it is sent: only a crash of the database loses the open ones, and those players ask for another.';

create table sessions (
  id uuid primary key,
  wallet_address text not null references players,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null,
  revoked_at timestamptz
);
create index sessions_by_expiry on sessions (expires_at);
comment on table sessions is 'A session JWT carries the id of its row. Setting revoked_at ends the session on every server.';
