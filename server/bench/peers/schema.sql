-- The tables of both peers: the same facts as in the product's database, as anybody would write them down first.

create table players (wallet text primary key, blocked boolean not null default false);

create table sessions (
  token_hash text primary key,
  wallet text not null references players,
  expires_at timestamptz not null
);

create table listings (
  id uuid primary key,
  seller text not null,
  token_type text not null,
  amount integer not null check (amount > 0),
  lamports bigint not null check (lamports > 0),
  status text not null default 'active',
  held_by uuid,
  held_until timestamptz,
  closed_at timestamptz
);

create table purchases (
  id uuid primary key,
  buyer text not null references players,
  lamports bigint not null,
  reference text not null unique,
  status text not null default 'held',
  signature text unique,
  pay_before timestamptz not null,
  created_at timestamptz not null default now(),
  settled_at timestamptz
);
create index on purchases (buyer, status);

create table purchase_items (
  purchase_id uuid not null references purchases,
  place integer not null,
  listing_id uuid not null references listings,
  seller text not null,
  token_type text not null,
  amount integer not null,
  lamports bigint not null,
  primary key (purchase_id, place)
);
create index on purchase_items (listing_id);

create table payments (
  signature text primary key,
  purchase_id uuid not null unique references purchases,
  slot bigint not null,
  transaction_bytes bytea not null,
  created_at timestamptz not null default now()
);

-- Both sides of each move of drinks.
create table transfers (
  id bigint generated always as identity primary key,
  token_type text not null,
  amount integer not null,
  from_listing uuid not null references listings,
  to_wallet text not null references players,
  created_at timestamptz not null default now()
);

create table balances (
  wallet text not null references players,
  token_type text not null,
  amount bigint not null check (amount >= 0),
  primary key (wallet, token_type)
);

-- What open pages are told.
create table events (
  id bigint generated always as identity primary key,
  type text not null,
  audience text[],
  data jsonb not null,
  created_at timestamptz not null default now()
);
