-- Money audits: jobs that any server carries on with, and what each of them found.
create table audits (
  id uuid primary key default new_id(),
  -- Every payment is read again, whatever earlier audits verified.
  is_full boolean not null,
  created_at timestamptz not null default now(),
  finished_at timestamptz,

  -- The server that works on it, until then; another may take it afterwards.
  lease_id uuid,
  lease_until timestamptz not null default now(),
  -- How often working on it failed since it last got on.
  failures integer not null default 0,

  -- What is checked next: the ledger as a whole, then payments that are not final, by purchase, then final ones in their order.
  part text not null default 'ledger' check (part in ('ledger', 'unfinalized', 'finalized')),
  -- The last purchase whose payment was checked in this part.
  cursor_at timestamptz not null default '-infinity',
  cursor_id uuid not null default '00000000-0000-0000-0000-000000000000',
  -- Payments up to here were verified by the audits before; final ones are checked from here on.
  starts_at timestamptz not null default '-infinity',
  starts_id uuid not null default '00000000-0000-0000-0000-000000000000',
  -- The watermark: all final payments up to here were verified by this audit or by those before.
  clean_at timestamptz not null default '-infinity',
  clean_id uuid not null default '00000000-0000-0000-0000-000000000000',
  -- No final payment so far was wrong or could not be checked.
  is_clean boolean not null default true,

  total integer not null,
  checked integer not null default 0,
  verified integer not null default 0,
  earlier_chain integer not null default 0,
  -- Settled purchases up to starts_at.
  verified_before integer not null,

  -- What the ledger showed; null until it was checked.
  tokens json,
  purchases json,
  -- The first findings, and how many there are in all.
  violations json not null default '[]',
  violation_count integer not null default 0,
  unchecked json not null default '[]',
  unchecked_count integer not null default 0
);
-- One at a time, so that each goes on from the watermark of the one before.
create unique index audits_one_running on audits ((true)) where finished_at is null;

create index purchases_by_finality on purchases (finalized_at, id) where status = 'settled';
