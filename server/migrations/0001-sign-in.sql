-- Who may act as a wallet: a nonce to sign, then a session that every server can end.

create table players (
  wallet_address text primary key,
  created_at timestamptz not null default now()
);

-- One open sign-in request a wallet. A row goes when its nonce is used, and some time after it expired. Unlogged: a nonce need not be
-- on disk before it is answered. A crash of the database, and only that, forgets the open ones: who was about to sign asks again.
create unlogged table sign_in_nonces (
  wallet_address text primary key,
  nonce text not null,
  expires_at timestamptz not null
);
create index sign_in_nonces_by_expiry on sign_in_nonces (expires_at);

create table sessions (
  id uuid primary key,
  wallet_address text not null references players,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null,
  revoked_at timestamptz
);
create index sessions_by_expiry on sessions (expires_at);
