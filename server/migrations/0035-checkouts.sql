-- Checkouts: what a game sells from its own screens.
create table checkouts (
  id uuid primary key default new_id(),
  public_id text not null unique check (public_id ~ '^[A-Za-z0-9_-]{24}$'),
  token_type text not null references token_types,
  amount bigint not null check (amount > 0),
  max_lamports bigint check (max_lamports >= 0),
  wallet text,
  client_reference text check (char_length(client_reference) between 1 and 200),
  return_url text not null check (char_length(return_url) <= 2048),
  expires_at timestamptz not null,
  status text not null default 'open' check (status in ('open', 'paying', 'completed', 'expired')),
  purchase_id uuid,
  opened_at timestamptz,
  created_by text not null,
  key_namespace text not null,
  idempotency_key text not null check (char_length(idempotency_key) between 1 and 128),
  -- What the caller said, to tell the same call from another one with its key.
  request jsonb not null,
  created_at timestamptz not null default now(),
  unique (key_namespace, idempotency_key),
  check ((status in ('paying', 'completed')) = (purchase_id is not null))
);
comment on table checkouts is 'What a player pays for at the request of a game. Whoever knows the public identifier may pay.';
comment on column checkouts.max_lamports is 'The most that it may cost, the fee included; null without a limit.';
comment on column checkouts.wallet is 'The only wallet that may pay; null for any.';
comment on column checkouts.status is 'An open one whose time is over has expired, although this says so up to a second later.';
comment on column checkouts.purchase_id is 'The purchase that pays for it, or has paid, which refers to it in turn.';
comment on column checkouts.opened_at is 'When its page was first opened.';
comment on column checkouts.created_by is 'Whose key or wallet made it.';
comment on column checkouts.key_namespace is 'Of the studio keys that share idempotency keys.';
create index checkouts_to_expire on checkouts (expires_at) where status = 'open';
create index checkouts_by_reference on checkouts (client_reference, id) where client_reference is not null;
create index checkouts_by_status on checkouts (status, id);

alter table purchases add column checkout_id uuid references checkouts(id);
comment on column purchases.checkout_id is 'The checkout that it was reserved for, or held.';
create index purchases_by_checkout on purchases (checkout_id) where checkout_id is not null;
alter table refused_payments add column checkout_id uuid;
comment on column refused_payments.checkout_id is 'The checkout that it should have paid for.';
create index refused_payments_by_checkout on refused_payments (checkout_id) where checkout_id is not null;
alter table sales add column checkout_id uuid, add column client_reference text;
comment on column sales.checkout_id is 'The checkout that it was sold through; null for a sale in the market.';
comment on column sales.client_reference is 'What the game calls that checkout.';
comment on column webhook_outbox.subject is 'The purchase, the listing, the case or the checkout.';

-- Functions with other parameters, or results, than before.
-- functions that hold and settle: 9b089a3893aff1530ab669b47e2ef67cc2c5d02fa09bbf9c791252602c009bfd
drop function if exists reservation_facts(text, uuid[], bytea, text, bytea);
drop function if exists lock_reservation_facts(text, uuid[], boolean, bytea, text, bytea);
drop function if exists sales_of(uuid);
