-- A database of 0.2.0 without any trades, as its migrations 0001 to 0031 left it: its tables, its functions and triggers, their comments, and
-- the migrations with their checksums.

set check_function_bodies = off;

create extension pg_trgm;

create function new_id() returns uuid language sql as $$
  select encode(
    set_bit(set_bit(
      overlay(uuid_send(gen_random_uuid())
        placing substring(int8send((extract(epoch from clock_timestamp()) * 1000)::bigint) from 3) from 1 for 6),
      52, 1), 53, 1),
    'hex')::uuid
$$;

create function trade_time(p_time timestamptz) returns timestamptz language sql immutable as $$
  select date_bin('1 millisecond', p_time, '2000-01-01 00:00:00+00'::timestamptz)
$$;

create function unit_lamports(p_lamports bigint, p_amount bigint) returns bigint language sql immutable as $$
  select (2 * p_lamports + p_amount) / (2 * p_amount)
$$;

create table migrations (
  name text primary key,
  checksum text not null,
  applied_at timestamptz not null default now(),
  compatible boolean not null default false
);

create table players (
  wallet_address text primary key,
  created_at timestamptz not null default now()
);

create unlogged table sign_in_nonces (
  wallet_address text primary key,
  nonce text not null,
  expires_at timestamptz not null
);
create index sign_in_nonces_by_expiry on sign_in_nonces (expires_at);

create table sessions (
  id uuid primary key,
  wallet_address text not null references players(wallet_address),
  created_at timestamptz not null default now(),
  expires_at timestamptz not null,
  revoked_at timestamptz
);
create index sessions_by_expiry on sessions (expires_at);

create table token_types (
  token_type text primary key constraint token_types_code check (token_type ~ '^[A-Z][A-Z0-9]*(_[A-Z0-9]+)*$' and char_length(token_type) <= 40),
  name text not null constraint token_types_name check (name <> ''),
  first_seen_at timestamptz
);
insert into token_types (token_type, name, first_seen_at) values
  ('APPLE_JUICE', 'Apple Juice', NULL),
  ('GRAPE_SODA', 'Grape Soda', NULL),
  ('ORANGE_JUICE', 'Orange Juice', NULL);

create table balances (
  wallet_address text not null,
  token_type text not null references token_types(token_type),
  amount bigint not null constraint balance_bounds check (amount >= 0 and amount <= 9000000000000000),
  primary key (wallet_address, token_type)
);

create table transfers (
  id bigint primary key generated always as identity,
  kind text not null check (kind in ('credit', 'debit', 'escrow', 'return', 'sale', 'split', 'merge')),
  token_type text not null,
  amount bigint not null check (amount >= 1 and amount <= 1000000000),
  wallet_address text not null,
  listing_id uuid,
  idempotency_key text unique,
  created_at timestamptz not null default now(),
  parent_id uuid,
  check ((kind in ('credit', 'debit')) = (listing_id is null)),
  check ((kind in ('credit', 'debit')) = (idempotency_key is not null)),
  constraint transfers_parent check ((kind in ('split', 'merge')) = (parent_id is not null))
);
create index transfers_by_wallet on transfers (wallet_address, token_type);
create unique index transfers_into_escrow on transfers (listing_id) where kind in ('escrow', 'split');
create unique index transfers_out_of_escrow on transfers (listing_id) where kind in ('return', 'sale', 'merge');
create index transfers_of_orders on transfers (created_at) include (kind, token_type, amount) where kind in ('credit', 'debit');
create index transfers_of_orders_by_wallet on transfers (wallet_address, trade_time(created_at), id) where kind in ('credit', 'debit');

create table events (
  id bigint primary key generated always as identity,
  xid xid8 not null default pg_current_xact_id(),
  type text not null,
  audience text[],
  data json not null,
  created_at timestamptz not null default now()
);
create index events_in_order on events (xid, id);
create index events_by_age on events (created_at);

create table listings (
  id uuid primary key default new_id(),
  seller text not null,
  token_type text not null references token_types(token_type),
  amount bigint not null check (amount >= 1 and amount <= 1000000000),
  price_lamports bigint not null constraint listings_price_bounds check (price_lamports >= 1 and price_lamports <= 1000000000000000),
  unit_lamports numeric not null generated always as (round(price_lamports::numeric / amount::numeric, 9)) stored,
  status text not null default 'active' check (status in ('active', 'reserved', 'sold', 'removed', 'merged')),
  held_by uuid,
  held_until timestamptz,
  created_at timestamptz not null default now(),
  closed_at timestamptz,
  reply_json text not null default '',
  waits_for_studio boolean not null default false,
  divisible boolean not null default false,
  part_of uuid references listings(id),
  whole_amount bigint,
  whole_lamports bigint,
  check ((held_by is null) = (held_until is null)),
  check ((status = 'active') = (closed_at is null)),
  constraint listings_divisible_check check (not divisible or price_lamports >= amount),
  constraint listings_listed_price check (part_of is not null or coalesce(whole_lamports, price_lamports) >= 1000000 and (coalesce(whole_lamports, price_lamports) % 1000000) = 0),
  constraint listings_held check (held_by is null or (status in ('active', 'reserved'))),
  constraint listings_reserved check (status <> 'reserved' or held_by is not null),
  constraint listings_parts check (part_of is not null or (status <> all (array['reserved', 'merged']))),
  constraint listings_whole check ((whole_amount is null) = (whole_lamports is null) and (part_of is null or whole_amount is null)),
  constraint listings_rest check (amount <= whole_amount and price_lamports <= whole_lamports)
) with (fillfactor=90);
create index listings_newest on listings (id) where closed_at is null;
create index listings_by_price on listings (price_lamports, id) where closed_at is null;
create index listings_by_unit_price on listings (unit_lamports, id) where closed_at is null;
create index listings_by_token on listings (token_type, id) include (seller) where status = 'active';
create index listings_by_token_price on listings (token_type, price_lamports, id) include (seller) where status = 'active';
create index listings_by_token_unit_price on listings (token_type, unit_lamports, id) include (seller) where status = 'active';
create index listings_by_seller on listings (seller, id);
create index listings_by_seller_token on listings (seller, token_type, id) where status = 'active';
create index listings_by_seller_token_price on listings (seller, token_type, price_lamports, id) where status = 'active';
create index listings_by_seller_token_unit_price on listings (seller, token_type, unit_lamports, id) where status = 'active';
create index listings_open_parts on listings (part_of) where part_of is not null and (status in ('active', 'reserved'));

create table sellers (
  seller text primary key
);
create index sellers_by_substring on sellers using gin (lower(seller) gin_trgm_ops) with (fastupdate=off);

create table purchases (
  id uuid primary key default new_id(),
  buyer text not null,
  sellers text[] not null,
  price_lamports bigint not null,
  reference text not null unique,
  genesis_hash text not null,
  held_at_slot bigint not null,
  server_sends boolean not null,
  pay_before timestamptz not null,
  cancel_requested boolean not null default false,
  status text not null default 'held' check (status in ('held', 'settled', 'ended')),
  end_reason text check (end_reason in ('cancelled', 'lapsed', 'expired', 'chain_gone', 'released')),
  signature text unique,
  release_height bigint,
  reconcile_at timestamptz default now(),
  reconciled_at timestamptz,
  reconciliations integer not null default 0,
  buyer_scans integer not null default 0,
  created_at timestamptz not null default now(),
  settled_at timestamptz,
  ended_at timestamptz,
  finalized_at timestamptz,
  unprovable_at timestamptz,
  release_reason text check (char_length(release_reason) >= 1 and char_length(release_reason) <= 1000),
  agreed_pay_before timestamptz,
  fee_basis_points integer not null default 0 check (fee_basis_points >= 0 and fee_basis_points <= 1000),
  fee_lamports bigint not null default 0 check (fee_lamports >= 0),
  fee_wallet text,
  check ((status = 'settled') = (settled_at is not null)),
  check ((status = 'settled') = (signature is not null)),
  check ((status = 'ended') = (end_reason is not null)),
  check (status <> 'ended' or ended_at is not null),
  constraint purchases_sellers check (cardinality(sellers) >= 1 and cardinality(sellers) <= 10 and (buyer <> all (sellers))),
  constraint purchases_fee check ((fee_lamports > 0) = (fee_wallet is not null))
);
create index purchases_by_buyer on purchases (buyer, id);
create index purchases_left_unpaid on purchases (buyer, ended_at) where end_reason in ('cancelled', 'lapsed');
create index purchases_by_finality on purchases (finalized_at, id) where status = 'settled';
create index purchases_due_open on purchases (reconcile_at) where reconcile_at is not null and (status = 'held' or status = 'settled' and finalized_at is null);
create index purchases_due_closed on purchases (reconcile_at) where reconcile_at is not null and not (status = 'held' or status = 'settled' and finalized_at is null);
create unique index purchases_no_ambiguous_holds on purchases (buyer, (
case
    when cardinality(sellers) = 1 and fee_lamports = 0 then (sellers[1] || ' ') || price_lamports
    else id::text
end)) where status = 'held';
create index purchases_settled_by_buyer on purchases (buyer, settled_at) where status = 'settled';

create table cases (
  id uuid primary key default new_id(),
  purchase_id uuid references purchases(id),
  kind text not null check (kind in ('late', 'wrong', 'double', 'vanished', 'lost')),
  status text not null default 'open' check (status in ('open', 'refunding', 'delivered', 'refunded', 'closed')),
  signature text not null,
  lamports bigint not null check (lamports >= 0),
  deliverable boolean not null,
  refund_reference text unique,
  refund_expiry_height bigint,
  note text,
  reconcile_at timestamptz,
  opened_at timestamptz not null default now(),
  closed_at timestamptz,
  seller text,
  fee_lamports bigint not null default 0 check (fee_lamports >= 0),
  buyer text,
  constraint cases_one_a_seller unique nulls not distinct (purchase_id, signature, seller, buyer),
  check ((status in ('delivered', 'refunded', 'closed')) = (closed_at is not null)),
  check (refund_expiry_height is null or refund_reference is not null),
  constraint cases_lost check ((kind = 'lost') = (purchase_id is null) and (kind = 'lost') = (buyer is not null))
);
create index cases_by_status on cases (status, id);
create index cases_due on cases (reconcile_at) where reconcile_at is not null;
create index cases_by_seller on cases (seller, id);
create index cases_by_signature on cases (signature);
create index cases_by_buyer on cases (buyer, id) where buyer is not null;
create index cases_that_freeze on cases (seller) where kind = 'lost' and status = 'open';

create table payments (
  signature text primary key,
  kind text not null check (kind in ('purchase', 'refund')),
  purchase_id uuid not null references purchases(id),
  case_id uuid references cases(id),
  genesis_hash text not null,
  transaction_bytes bytea not null,
  expiry_height bigint not null,
  status text not null check (status in ('recorded', 'settled', 'void')),
  confirmed_at timestamptz,
  slot bigint,
  created_at timestamptz not null default now(),
  check ((kind = 'refund') = (case_id is not null))
);
create unique index payments_one_recorded on payments (purchase_id) where kind = 'purchase' and status = 'recorded';
create unique index payments_one_refund on payments (case_id) where kind = 'refund' and status <> 'void';
create index payments_by_purchase on payments (purchase_id);

create table heartbeat (
  only_row boolean primary key default true check (only_row),
  beat_at timestamptz not null
);

create table outages (
  began_at timestamptz primary key,
  ended_at timestamptz not null,
  check (ended_at > began_at)
);

create table history_searches (
  purchase_id uuid not null references purchases(id),
  endpoint text not null,
  address text not null,
  pages integer not null,
  listed_to text,
  listed boolean not null,
  decided_to text,
  decided boolean not null,
  obstacle text check (obstacle in ('pruned', 'too_many_pages')),
  first_slot bigint,
  updated_at timestamptz not null default now(),
  primary key (purchase_id, endpoint, address),
  check (listed or not decided),
  check ((not obstacle is distinct from 'pruned') = (first_slot is not null))
);

create table studio_log (
  id bigint primary key generated always as identity,
  actor text not null,
  call text not null,
  subject text not null,
  reason text,
  created_at timestamptz not null default now(),
  transfer_id bigint
);

create table audits (
  id uuid primary key default new_id(),
  is_full boolean not null,
  created_at timestamptz not null default now(),
  finished_at timestamptz,
  lease_id uuid,
  lease_until timestamptz not null default now(),
  failures integer not null default 0,
  part text not null default 'ledger' check (part in ('ledger', 'unfinalized', 'finalized')),
  cursor_at timestamptz not null default '-infinity'::timestamptz,
  cursor_id uuid not null default '00000000-0000-0000-0000-000000000000'::uuid,
  starts_at timestamptz not null default '-infinity'::timestamptz,
  starts_id uuid not null default '00000000-0000-0000-0000-000000000000'::uuid,
  clean_at timestamptz not null default '-infinity'::timestamptz,
  clean_id uuid not null default '00000000-0000-0000-0000-000000000000'::uuid,
  is_clean boolean not null default true,
  total integer not null,
  checked integer not null default 0,
  verified integer not null default 0,
  earlier_chain integer not null default 0,
  verified_before integer not null,
  tokens json,
  purchases json,
  violations json not null default '[]'::json,
  violation_count integer not null default 0,
  unchecked json not null default '[]'::json,
  unchecked_count integer not null default 0,
  started_by text
);
create unique index audits_one_running on audits ((true)) where finished_at is null;

create table listing_keys (
  seller text not null,
  idempotency_key text not null check (char_length(idempotency_key) >= 1 and char_length(idempotency_key) <= 128),
  listing_id uuid not null references listings(id),
  created_at timestamptz not null default now(),
  primary key (seller, idempotency_key)
);
create index listing_keys_by_age on listing_keys (created_at);

create table purchase_items (
  purchase_id uuid not null references purchases(id),
  place smallint not null check (place >= 1 and place <= 20),
  listing_id uuid not null references listings(id),
  part_of uuid,
  seller text not null,
  token_type text not null,
  amount bigint not null check (amount >= 1 and amount <= 1000000000),
  price_lamports bigint not null check (price_lamports >= 1),
  primary key (purchase_id, place)
);
create index purchase_items_by_listing on purchase_items (listing_id, purchase_id);
create index purchase_items_by_part_of on purchase_items (part_of, purchase_id) where part_of is not null;
create index purchase_items_by_seller on purchase_items (seller, purchase_id);

create table studio_keys (
  id uuid primary key default new_id(),
  name text not null check (char_length(name) >= 1 and char_length(name) <= 64),
  secret_hash bytea not null unique check (octet_length(secret_hash) = 32),
  scopes text[] not null check (cardinality(scopes) > 0),
  daily_credit_limit bigint check (daily_credit_limit >= 0),
  expires_at timestamptz,
  revoked_at timestamptz,
  last_used_at timestamptz,
  created_by text not null,
  created_at timestamptz not null default now()
);

create table studio_key_days (
  key_id uuid not null references studio_keys(id),
  day date not null,
  credited bigint not null check (credited >= 0),
  primary key (key_id, day)
);

create table sales_to_stamp (
  id bigint primary key generated always as identity,
  purchase_id uuid not null,
  is_reversal boolean not null,
  noted_at timestamptz not null default now()
);

create table sales_head (
  only_row boolean primary key default true check (only_row),
  ordinal bigint not null
);
insert into sales_head (only_row, ordinal) values
  ('true', '0');

create table sales (
  ordinal bigint primary key,
  stamped_at timestamptz not null,
  purchase_id uuid not null,
  place smallint not null,
  is_reversal boolean not null,
  listing_id uuid not null,
  buyer text not null,
  seller text not null,
  token_type text not null,
  amount bigint not null,
  price_lamports bigint not null,
  fee_lamports bigint not null,
  fee_basis_points integer not null,
  signature text not null,
  settled_at timestamptz not null,
  constraint sales_once unique (purchase_id, is_reversal, place)
);
create index sales_by_time on sales (settled_at) where not is_reversal;
create index sales_undone on sales (purchase_id) where is_reversal;
create index sales_as_trades on sales (trade_time(settled_at), purchase_id, place) where not is_reversal;
create index sales_as_trades_of_token on sales (token_type, trade_time(settled_at), purchase_id, place) where not is_reversal;
create index sales_of_buyer on sales (buyer, trade_time(settled_at), purchase_id, place) where not is_reversal;
create index sales_of_seller on sales (seller, trade_time(settled_at), purchase_id, place) where not is_reversal;

create table webhooks (
  id uuid primary key default new_id(),
  url text not null check (char_length(url) <= 2048),
  events text[] not null check (cardinality(events) >= 1 and cardinality(events) <= 20),
  enabled boolean not null default true,
  switched_off text check (switched_off in ('asked', 'gone', 'failed')),
  delivered_to bigint not null,
  replays integer not null default 0,
  failed_attempts integer not null default 0,
  attempt_at timestamptz,
  lease_id uuid,
  lease_until timestamptz not null default now(),
  created_at timestamptz not null default now(),
  check (enabled = (switched_off is null))
);

create table webhook_secrets (
  id bigint primary key generated always as identity,
  webhook_id uuid not null references webhooks(id) on delete cascade,
  secret text not null,
  expires_at timestamptz
);
create index webhook_secrets_by_webhook on webhook_secrets (webhook_id, id);

create table webhook_outbox (
  id bigint primary key generated always as identity,
  type text not null,
  subject uuid not null,
  snapshot json,
  created_at timestamptz not null default now()
);

create table webhook_messages (
  ordinal bigint primary key generated always as identity,
  id uuid not null default new_id() unique,
  type text not null,
  body text not null check (octet_length(body) < 20000),
  created_at timestamptz not null default now()
);
create index webhook_messages_by_type on webhook_messages (type, ordinal);
create index webhook_messages_by_age on webhook_messages (created_at);

create table webhook_deliveries (
  id bigint primary key generated always as identity,
  webhook_id uuid not null references webhooks(id) on delete cascade,
  message_id uuid not null,
  type text not null,
  attempt integer not null,
  sent_at timestamptz not null,
  latency_millis integer not null,
  status integer,
  error text,
  answer text not null
);
create index webhook_deliveries_by_webhook on webhook_deliveries (webhook_id, id);

create table pauses (
  is_now boolean primary key default true check (is_now),
  message text not null,
  actor text not null,
  since timestamptz not null default now()
);

create table blocks (
  wallet_address text primary key,
  reason text not null,
  until timestamptz,
  takes_listings boolean not null,
  actor text not null,
  since timestamptz not null default now()
);
create index blocks_by_time on blocks (since desc, wallet_address);

create table token_rules (
  token_type text primary key references token_types(token_type),
  min_unit_lamports bigint check (min_unit_lamports >= 0),
  max_unit_lamports bigint check (max_unit_lamports >= 0),
  max_listings integer check (max_listings >= 0),
  max_daily_lamports bigint check (max_daily_lamports >= 0),
  check (min_unit_lamports <= max_unit_lamports)
);

create table database_identity (
  only_row boolean primary key default true check (only_row),
  identity text not null,
  files text
);

create table rewinds (
  id uuid primary key default new_id(),
  cause text not null check (cause in ('restored', 'lost', 'asked')),
  found_at timestamptz not null default now(),
  expiry_height bigint,
  ended_at timestamptz,
  ended_by text,
  check ((ended_at is null) = (ended_by is null))
);
create unique index rewinds_one_open on rewinds ((true)) where ended_at is null;

create table chain_slots (
  seen_at timestamptz primary key default now(),
  genesis_hash text not null,
  slot bigint not null
);

create table recoveries (
  id uuid primary key default new_id(),
  rewind_id uuid not null references rewinds(id),
  since timestamptz not null,
  created_at timestamptz not null default now(),
  finished_at timestamptz,
  lease_id uuid,
  lease_until timestamptz not null default now(),
  failures integer not null default 0,
  part text not null default 'waiting' check (part in ('waiting', 'listing', 'reading')),
  genesis_hash text,
  since_slot bigint,
  needed_slot bigint,
  block_height bigint,
  expiry_height bigint,
  fee_wallets text[] not null,
  last_wallet text not null default '',
  wallets integer not null default 0,
  wallets_listed integer not null default 0,
  transactions integer not null default 0,
  transactions_read integer not null default 0,
  payments integer not null default 0,
  cases_opened integer not null default 0,
  refunds json not null default '[]'::json,
  unchecked json not null default '[]'::json,
  unchecked_count integer not null default 0,
  limits json not null default '[]'::json
);
create unique index recoveries_one_running on recoveries ((true)) where finished_at is null;

create table recovery_signatures (
  recovery_id uuid not null references recoveries(id),
  signature text not null,
  primary key (recovery_id, signature)
);

create table studio_staff (
  wallet_address text primary key,
  name text check (char_length(name) >= 1 and char_length(name) <= 64),
  scopes text[] not null check (cardinality(scopes) > 0),
  set_by text not null,
  set_at timestamptz not null default now(),
  removed_at timestamptz
);

create unlogged table studio_challenges (
  id uuid primary key,
  wallet_address text not null,
  call text not null,
  body_hash bytea not null check (octet_length(body_hash) = 32),
  message text not null,
  expires_at timestamptz not null,
  used_at timestamptz
);
create index studio_challenges_by_wallet on studio_challenges (wallet_address, expires_at);
create index studio_challenges_by_expiry on studio_challenges (expires_at);

create table candles (
  token_type text not null,
  step text not null check (step in ('5m', '1h', '1d')),
  start timestamptz not null,
  open bigint not null,
  high bigint not null,
  low bigint not null,
  close bigint not null,
  amount bigint not null,
  lamports numeric not null,
  trades bigint not null check (trades > 0),
  primary key (token_type, step, start)
) with (fillfactor=80);

create table candles_head (
  only_row boolean primary key default true check (only_row),
  ordinal bigint not null
);
insert into candles_head (only_row, ordinal) values
  ('true', '0');

create table pay_links (
  id uuid primary key default new_id(),
  token_hash bytea not null unique check (octet_length(token_hash) = 32),
  listing_id uuid not null references listings(id),
  amount bigint not null check (amount > 0),
  most_lamports bigint not null check (most_lamports > 0),
  maker bytea not null check (octet_length(maker) = 32),
  maker_wallet text,
  purchase_id uuid references purchases(id),
  created_at timestamptz not null default now(),
  expires_at timestamptz not null
);
create index pay_links_by_maker on pay_links (maker, expires_at);
create index pay_links_by_wallet on pay_links (maker_wallet, expires_at) where maker_wallet is not null;
create index pay_links_by_expiry on pay_links (expires_at);

create table pay_link_holds (
  purchase_id uuid primary key references purchases(id),
  link_id uuid not null,
  listing_id uuid not null references listings(id),
  account text not null,
  maker bytea not null,
  maker_wallet text
);
create index pay_link_holds_by_link on pay_link_holds (link_id);
create index pay_link_holds_by_account on pay_link_holds (account);
create index pay_link_holds_by_maker on pay_link_holds (maker);
create index pay_link_holds_by_wallet on pay_link_holds (maker_wallet) where maker_wallet is not null;

create table alerts (
  id uuid primary key default new_id(),
  wallet_address text not null references players(wallet_address),
  token_type text not null,
  below_lamports bigint not null check (below_lamports > 0),
  created_at timestamptz not null default now(),
  fired_at timestamptz,
  fired_lamports bigint,
  check ((fired_at is null) = (fired_lamports is null))
);
create index alerts_by_wallet on alerts (wallet_address, id);
create unique index alerts_waiting on alerts (wallet_address, token_type, below_lamports) where fired_at is null;
create index alerts_to_fire on alerts (token_type, below_lamports) where fired_at is null;

create table push_keys (
  only_row boolean primary key default true check (only_row),
  public_key text not null,
  private_key text not null,
  created_at timestamptz not null default now()
);

create table push_subscriptions (
  session_id uuid primary key references sessions(id) on delete cascade,
  wallet_address text not null,
  endpoint text not null unique check (char_length(endpoint) <= 1024),
  p256dh text not null,
  auth text not null,
  created_at timestamptz not null default now(),
  failed_attempts integer not null default 0,
  attempt_at timestamptz not null default now()
);
create index push_subscriptions_by_wallet on push_subscriptions (wallet_address, created_at);

create table pushes (
  id uuid primary key default new_id(),
  session_id uuid not null references push_subscriptions(session_id) on delete cascade,
  kind text not null check (kind in ('alert', 'sale')),
  token_type text not null,
  quantity bigint not null,
  created_at timestamptz not null default now()
);
create index pushes_by_subscription on pushes (session_id, id);
create index pushes_by_age on pushes (created_at);

create table pushes_head (
  only_row boolean primary key default true check (only_row),
  ordinal bigint not null
);
insert into pushes_head (only_row, ordinal) values
  ('true', '0');

create view ledger_entries as
 select transfers.id as transfer_id,
    transfers.token_type,
    - transfers.amount as amount,
        case
            when transfers.kind = 'credit' then 'studio'
            when transfers.kind in ('debit', 'escrow') then 'wallet:' || transfers.wallet_address
            when transfers.kind = 'split' then 'listing:' || transfers.parent_id
            else 'listing:' || transfers.listing_id
        end as account
   from transfers
union all
 select transfers.id as transfer_id,
    transfers.token_type,
    transfers.amount,
        case
            when transfers.kind = 'debit' then 'studio'
            when transfers.kind in ('escrow', 'split') then 'listing:' || transfers.listing_id
            when transfers.kind = 'merge' then 'listing:' || transfers.parent_id
            else 'wallet:' || transfers.wallet_address
        end as account
   from transfers;

create view trades as
 select purchase_id,
    place,
    token_type,
    amount,
    price_lamports,
    unit_lamports(price_lamports, amount) as unit_lamports,
    signature,
    trade_time(settled_at) as settled_at
   from sales s
  where not is_reversal and not (exists ( select
           from sales undone
          where undone.purchase_id = s.purchase_id and undone.is_reversal));

create function emit_event(p_type text, p_audience text[], p_data json) returns void language sql as $$
  insert into events (type, audience, data) values (p_type, p_audience, p_data)
$$;

create function json_time(p_time timestamptz) returns text language sql stable as $$
  select to_char(p_time at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')
$$;

create function render_listing(l listings) returns text language plpgsql stable as $$
begin
  return rtrim(json_build_object(
    '_id', l.id,
    'seller', l.seller,
    'tokenName', (select name from token_types where token_type = l.token_type),
    'tokenType', l.token_type,
    'amount', l.amount,
    'price', trim_scale(l.price_lamports * 0.000000001),
    -- Computed here, because the generated column is still empty in a before-trigger.
    'unitPrice', trim_scale(round(l.price_lamports::numeric / l.amount, 9) * 0.000000001),
    'divisible', l.divisible,
    'status', case l.status when 'reserved' then 'active' when 'merged' then 'removed' else l.status end,
    'heldUntil', json_time(l.held_until),
    'createdAt', json_time(l.created_at))::text, '}')
    -- Left out unless they say something, as in the listings that were rendered before there were such fields.
    || case when l.part_of is null then '' else ', "partOf" : "' || l.part_of || '"' end
    || case when l.waits_for_studio then ', "waitsForStudio" : true}' else '}' end;
end
$$;

create function before_listing_write() returns trigger language plpgsql as $$
begin
  if new.held_by is null then
    new.waits_for_studio := false;
  end if;
  new.reply_json := render_listing(new);
  if tg_op = 'INSERT' then
    insert into sellers (seller) values (new.seller) on conflict do nothing;
  elsif old.held_by <> new.held_by then
    raise exception 'listing % is held by another purchase', new.id using errcode = 'JB003';
  end if;
  return new;
end
$$;

create function beat() returns void language plpgsql as $$
declare
  last_beat timestamptz;
begin
  insert into heartbeat (beat_at) values (now()) on conflict do nothing;
  select beat_at into last_beat from heartbeat for update;
  if last_beat < now() - interval '15 s' then
    insert into outages (began_at, ended_at) values (last_beat, now());
    delete from outages where ended_at < now() - interval '30 days';
  end if;
  update heartbeat set beat_at = greatest(beat_at, now());
end
$$;

create function ends_unsent(p purchases) returns boolean language sql stable as $$
  select p.status = 'held' and p.server_sends and (p.cancel_requested or window_closed(p))
    and not exists (select from payments where purchase_id = p.id and kind = 'purchase' and status = 'recorded')
$$;

create function pay_millis_left(p purchases) returns integer language sql stable as $$
  select (case when p.status = 'held' then greatest(0, floor(extract(epoch from pay_until(p) - now()) * 1000)) else 0 end)::integer
$$;

create function listing_event(p_type text, l listings) returns table(type text, audience text[], data json) language sql stable as $$
  select p_type, null::text[], json_build_object('type', p_type, 'listing', l.reply_json::json)
$$;

create function balance_event(p_wallet text) returns table(type text, audience text[], data json) language sql stable as $$
  select 'balance.changed', array[p_wallet], json_build_object('type', 'balance.changed')
$$;

create function emit_listing(p_type text, l listings) returns void language sql as $$
  insert into events (type, audience, data) select * from listing_event(p_type, l)
$$;

create function emit_balance(p_wallet text) returns void language sql as $$
  insert into events (type, audience, data) select * from balance_event(p_wallet)
$$;

create function refuse_change() returns trigger language plpgsql as $$
begin
  raise exception 'the rows of % are never changed', tg_table_name;
end
$$;

create function oldest_server() returns text language sql immutable as $$ select 'juicebar 0028' $$;

create function refuse_older_servers() returns trigger language plpgsql as $$
begin
  -- Names of other programs are not between these two. The name is all that a connection pooler passes on.
  if current_setting('application_name') collate "C" >= 'juicebar' and current_setting('application_name') collate "C" < oldest_server() then
    raise exception 'this server is older than the database' using errcode = 'JB002';
  end if;
  return null;
end
$$;

create function upgrade_servers(p_number text) returns void language plpgsql as $$
begin
  lock table listings, purchases, payments, cases, transfers in share row exclusive mode;
  execute format(
    'create or replace function oldest_server() returns text language sql immutable as %L', format(' select %L ', 'juicebar ' || p_number));
end
$$;

create function outages_so_far() returns table(began_at timestamptz, ended_at timestamptz) language sql stable as $$
  select began_at, ended_at from outages
  union all
  select beat_at, now() from heartbeat where beat_at < now() - interval '15 s'
$$;

create function pay_until(p purchases) returns timestamptz language plpgsql stable as $$
declare
  deadline timestamptz := coalesce(p.agreed_pay_before, p.pay_before);
  latest constant timestamptz := deadline + (deadline - p.created_at);
  outage record;
begin
  if p.status <> 'held' or p.cancel_requested or p.release_height is not null then
    return p.pay_before;
  end if;
  -- Nearly always there is none, and a hold need not wait for more than this question.
  if not exists (select from outages_so_far() where ended_at > p.created_at) then
    return p.pay_before;
  end if;
  if exists (select from payments where purchase_id = p.id and kind = 'purchase' and status = 'recorded') then
    return p.pay_before;
  end if;
  for outage in select * from outages_so_far() where ended_at > p.created_at order by began_at loop
    exit when outage.began_at >= deadline;
    deadline := deadline + (outage.ended_at - greatest(outage.began_at, p.created_at));
  end loop;
  return greatest(p.pay_before, least(deadline, latest));
end
$$;

create function window_closed(p purchases) returns boolean language sql stable as $$
  select p.pay_before <= now() and pay_until(p) <= now()
$$;

create function post_transfer(
  p_kind text, p_token_type text, p_amount bigint, p_wallet text, p_listing uuid, p_idempotency_key text default null, p_parent uuid default null::uuid
) returns bigint language plpgsql as $$
declare
  transfer_id bigint;
begin
  if p_kind in ('credit', 'return', 'sale') then
    insert into balances (wallet_address, token_type, amount) values (p_wallet, p_token_type, p_amount)
    on conflict (wallet_address, token_type) do update set amount = balances.amount + excluded.amount;
  elsif p_kind in ('debit', 'escrow') then
    update balances set amount = amount - p_amount
    where wallet_address = p_wallet and token_type = p_token_type and amount >= p_amount;
    if not found then
      raise exception 'insufficient tokens' using errcode = 'JB001';
    end if;
  end if;
  insert into transfers (kind, token_type, amount, wallet_address, listing_id, idempotency_key, parent_id)
  values (p_kind, p_token_type, p_amount, p_wallet, p_listing, p_idempotency_key, p_parent)
  returning id into transfer_id;
  return transfer_id;
end
$$;

create function purchase_event(p purchases) returns table(type text, audience text[], data json) language sql stable as $$
  select 'purchase.changed', p.buyer || p.sellers, json_build_object('type', 'purchase.changed', 'purchaseId', p.id)
$$;

create function emit_purchase(p purchases) returns void language sql as $$
  insert into events (type, audience, data) select * from purchase_event(p)
$$;

create function items_of(p_purchase uuid) returns json language plpgsql stable as $$
begin
  return (
    select json_agg(
      json_build_object('listingId', listing_id, 'partOf', part_of, 'seller', seller, 'tokenType', token_type, 'amount', amount,
        'lamports', price_lamports::text)
      order by place
    ) from purchase_items where purchase_id = p_purchase
  );
end
$$;

create function held_listings(p_purchase uuid) returns setof listings language sql stable as $$
  select l.* from purchase_items i join listings l on l.id = i.listing_id where i.purchase_id = p_purchase and l.held_by = p_purchase
$$;

create function lock_listings(p_ids uuid[]) returns void language plpgsql as $$
declare
  listing uuid;
  family uuid[] := p_ids;
begin
  -- One by one, each along an index. A single statement for all is planned again at each call, which takes longer than to lock them.
  foreach listing in array p_ids loop
    family := family || array(select part_of from listings where id = listing and part_of is not null)
      || array(select id from listings where part_of = listing and status in ('active', 'reserved'));
  end loop;
  for listing in select distinct id from unnest(family) id order by id loop
    perform from listings where id = listing for update;
  end loop;
end
$$;

create function lock_listings_of(p_purchase uuid) returns void language plpgsql as $$
begin
  perform from listings where id in (
    select family.id from purchase_items item cross join lateral (
      select item.listing_id as id
      union all select item.part_of
      union all select part.id from listings part where part.part_of = item.listing_id and part.status in ('active', 'reserved')
    ) family
    where item.purchase_id = p_purchase
  ) order by id for update;
end
$$;

create function part_cost(l listings, p_amount bigint) returns bigint language sql immutable as $$
  select case when p_amount < l.amount then ceil(l.price_lamports::numeric * p_amount / l.amount)::bigint else l.price_lamports end
$$;

create function split_listing(
  l listings, p_amount bigint, p_status text, p_held_by uuid, p_held_until timestamptz
) returns listings language plpgsql as $$
declare
  part listings;
begin
  insert into listings (seller, token_type, amount, price_lamports, part_of, status, closed_at, held_by, held_until)
    values (l.seller, l.token_type, p_amount, part_cost(l, p_amount), l.id, p_status, now(), p_held_by, p_held_until)
    returning * into part;
  update listings
    set amount = amount - part.amount, price_lamports = price_lamports - part.price_lamports,
      whole_amount = coalesce(whole_amount, amount), whole_lamports = coalesce(whole_lamports, price_lamports)
    where id = l.id returning * into l;
  perform post_transfer('split', part.token_type, part.amount, part.seller, part.id, null, l.id);
  insert into events (type, audience, data) select * from listing_event('listing.changed', l);
  return part;
end
$$;

create function merge_part(part listings) returns listings language plpgsql as $$
declare
  parent listings;
begin
  update listings set status = 'merged', closed_at = now(), held_by = null, held_until = null where id = part.id;
  update listings set amount = amount + part.amount, price_lamports = price_lamports + part.price_lamports
    where id = part.part_of returning * into parent;
  perform post_transfer('merge', part.token_type, part.amount, part.seller, part.id, null, part.part_of);
  return parent;
end
$$;

create function free_part(part listings) returns void language plpgsql as $$
declare
  parent listings;
  was_on_market constant boolean := part.status = 'active';
begin
  select * into parent from listings where id = part.part_of;
  if parent.status = 'active' and parent.held_by is null then
    parent := merge_part(part);
    insert into events (type, audience, data) select * from listing_event('listing.changed', parent);
  elsif parent.status = 'removed' then
    update listings set status = 'removed', closed_at = now(), held_by = null, held_until = null where id = part.id returning * into part;
    perform post_transfer('return', part.token_type, part.amount, part.seller, part.id);
    perform emit_balance(part.seller);
  else
    update listings set status = 'active', closed_at = null, held_by = null, held_until = null where id = part.id returning * into part;
    perform emit_listing(case when was_on_market then 'listing.released' else 'listing.created' end, part);
    return;
  end if;
  if was_on_market then
    select * into part from listings where id = part.id;
    perform emit_listing('listing.removed', part);
  end if;
end
$$;

create function free_listing(l listings) returns void language plpgsql as $$
declare
  part listings;
begin
  if l.part_of is not null then
    perform free_part(l);
    return;
  end if;
  update listings set held_by = null, held_until = null where id = l.id returning * into l;
  insert into events (type, audience, data) select * from listing_event('listing.released', l);
  for part in select * from listings where part_of = l.id and status = 'active' and held_by is null order by id loop
    perform free_part(part);
  end loop;
end
$$;

create function abandoned_holds(p_buyer text) returns table(purchase_id uuid, abandoned_at timestamptz) language sql stable as $$
  select p.id, coalesce(p.ended_at, now())
  from (
    select * from purchases
    where buyer = p_buyer and end_reason in ('cancelled', 'lapsed') and ended_at > now() - interval '48 hours'
    union all
    select * from purchases where buyer = p_buyer and status = 'held' and ends_unsent(purchases)
  ) p
  where not exists (select from outages_so_far() o where o.began_at < p.pay_before and o.ended_at > p.created_at)
    and not exists (select from pay_link_holds h where h.purchase_id = p.id and h.maker_wallet is distinct from p_buyer)
$$;

create function cooldown_until(p_buyer text, p_listing uuid) returns timestamptz language sql stable as $$
  select max(abandoned_at) + interval '10 minutes' * power(2, least(count(*), 9) - 2)
  from (
    select abandoned_at, max(abandoned_at) over () as last_at from abandoned_holds(p_buyer) a
    where exists (select from purchase_items i where i.purchase_id = a.purchase_id and p_listing in (i.listing_id, i.part_of))
  ) abandoned
  where abandoned_at > last_at - interval '24 hours'
  having count(*) >= 2
$$;

create function allowed_items(p_buyer text, p_max_items integer) returns integer language sql stable as $$
  select case when count(*) < 3 then p_max_items else 1 end from abandoned_holds(p_buyer) where abandoned_at > now() - interval '1 hour'
$$;

create function listing_refusal(p_buyer text, l listings, p_amount bigint) returns text language plpgsql stable as $$
declare
  holder purchases;
begin
  if l.id is null then
    return 'LISTING_NOT_FOUND';
  elsif l.seller = p_buyer then
    return 'OWN_LISTING';
  elsif l.status = 'reserved' then
    return 'LISTING_HELD';
  elsif l.status <> 'active' then
    return 'LISTING_NOT_ACTIVE';
  end if;
  if l.held_by is not null then
    select * into holder from purchases where id = l.held_by;
    if not ends_unsent(holder) then
      return case when holder.buyer = p_buyer then 'HELD_BY_YOU' else 'LISTING_HELD' end;
    end if;
  end if;
  if p_amount > l.amount then
    return 'AMOUNT_NOT_LEFT';
  elsif p_amount < l.amount and not l.divisible then
    return 'NOT_DIVISIBLE';
  elsif is_frozen(l.seller) then
    return 'LISTING_FROZEN';
  end if;
  return null;
end
$$;

create function hold_plan(
  p_buyer text, p_listings uuid[], p_amounts bigint[]
) returns table(id uuid, seller text, token_type text, is_part boolean, amount bigint, lamports bigint, refusal text) language sql stable as $$
  select asked.listing_id, l.seller, l.token_type, coalesce(asked.amount < l.amount, false), coalesce(asked.amount, l.amount),
    part_cost(l, coalesce(asked.amount, l.amount)), listing_refusal(p_buyer, l, asked.amount)
  from unnest(p_listings, p_amounts) with ordinality as asked (listing_id, amount, place)
  left join listings l on l.id = asked.listing_id
  order by asked.place
$$;

create function asks_for(p_listing uuid, p_amount bigint, item purchase_items) returns boolean language sql immutable as $$
  select item.listing_id = p_listing and item.amount = coalesce(p_amount, item.amount)
    or coalesce(item.part_of = p_listing and item.amount = p_amount, false)
$$;

create function repeat_hold(
  p_buyer text, p_listings uuid[], p_amounts bigint[], p_most_lamports bigint, p_transfers boolean, p_wallet_sends boolean, out refusal text, out purchase purchases
) returns record language plpgsql as $$
begin
  select p.* into purchase from purchases p
    where p.buyer = p_buyer and p.status = 'held' and not ends_unsent(p)
      and cardinality(p_listings) = (select count(*) from purchase_items where purchase_id = p.id)
      and not exists (
        select from unnest(p_listings, p_amounts) as asked (listing_id, amount)
        where not exists (select from purchase_items i where i.purchase_id = p.id and asks_for(asked.listing_id, asked.amount, i))
      )
      and not exists (
        select from purchase_items i
        where i.purchase_id = p.id
          and not exists (select from unnest(p_listings, p_amounts) as asked (listing_id, amount) where asks_for(asked.listing_id, asked.amount, i))
      )
    limit 1;
  if not found then
    return;
  end if;
  perform lock_listings_of(purchase.id);
  select p.* into purchase from purchases p where p.id = purchase.id for update;
  if purchase.status <> 'held' or ends_unsent(purchase) then
    purchase := null;
  elsif exists (select from payments where purchase_id = purchase.id and kind = 'purchase' and status = 'recorded') then
    refusal := 'PAYMENT_UNDER_WAY';
  elsif purchase.cancel_requested or window_closed(purchase) then
    refusal := 'HOLD_ENDED';
  elsif (cardinality(purchase.sellers) > 1 or purchase.fee_basis_points > 0) and not p_transfers then
    refusal := 'TRANSFERS_NEEDED';
  elsif purchase.price_lamports + purchase.fee_lamports > p_most_lamports then
    refusal := 'PRICE_MOVED';
  else
    purchase := extend_hold(purchase);
    if purchase.server_sends and p_wallet_sends then
      update purchases set server_sends = false, reconcile_at = now() where id = purchase.id returning * into purchase;
    end if;
  end if;
end
$$;

create function end_hold(p purchases, p_reason text, p_search_at timestamptz) returns void language plpgsql as $$
declare
  l listings;
begin
  update payments set status = 'void' where purchase_id = p.id and kind = 'purchase' and status = 'recorded';
  update purchases set status = 'ended', end_reason = p_reason, ended_at = now(), reconciliations = 0, reconcile_at = p_search_at
    where id = p.id returning * into p;
  for l in select * from held_listings(p.id) order by seller, token_type, id loop
    perform free_listing(l);
  end loop;
  if exists (select from unnest(p.sellers) s where is_taken_back(s)) then
    for l in
      select * from listings
      where status = 'active' and held_by is null and is_taken_back(seller) and id in (
        select listing_id from purchase_items where purchase_id = p.id
        union select part_of from purchase_items where purchase_id = p.id
        union select s.id from purchase_items i join listings s on s.part_of in (i.listing_id, i.part_of) where i.purchase_id = p.id
      )
      order by seller, token_type, id
    loop
      perform take_back(l);
    end loop;
  end if;
  update cases set reconcile_at = now() where id in (
    select id from cases
      where status = 'open' and deliverable and purchase_id in (
        select other.purchase_id from purchase_items mine
          join purchase_items other on other.listing_id in (mine.listing_id, mine.part_of) or other.part_of in (mine.listing_id, mine.part_of)
          where mine.purchase_id = p.id
      )
      order by id for update
  );
  insert into events (type, audience, data) select * from purchase_event(p);
end
$$;

create function extend_hold(p purchases) returns purchases language plpgsql as $$
declare
  deadline constant timestamptz := pay_until(p);
  l listings;
begin
  if deadline <= p.pay_before then
    return p;
  end if;
  update purchases
    set agreed_pay_before = coalesce(agreed_pay_before, pay_before), pay_before = deadline,
      reconcile_at = case when server_sends then deadline else reconcile_at end
    where id = p.id returning * into p;
  for l in update listings set held_until = deadline where held_by = p.id and id in (select id from held_listings(p.id)) returning * loop
    if l.status = 'active' then
      perform emit_listing('listing.held', l);
    end if;
  end loop;
  perform emit_purchase(p);
  return p;
end
$$;

create function extend_holds(p_limit integer) returns integer language plpgsql as $$
declare
  due record;
  purchase purchases;
  extended integer := 0;
begin
  for due in
    select id, array(select listing_id from purchase_items where purchase_id = p.id) as listings from purchases p
    where status = 'held' and exists (select from outages where ended_at > p.created_at) and pay_until(p) > pay_before
    order by id limit p_limit
  loop
    continue when cardinality(due.listings) > (
      select count(*) from (select from listings where id = any (due.listings) order by id for update skip locked) locked
    );
    select * into purchase from purchases where id = due.id for update skip locked;
    continue when not found;
    perform extend_hold(purchase);
    extended := extended + 1;
  end loop;
  return extended;
end
$$;

create function deliver_items(
  purchase purchases, p_signature text, p_slot bigint, p_transaction_bytes bytea, p_expiry_height bigint
) returns text language plpgsql as $$
declare
  to_sell uuid[];
begin
  insert into payments (signature, kind, purchase_id, genesis_hash, transaction_bytes, expiry_height, status, confirmed_at, slot)
  values (p_signature, 'purchase', purchase.id, purchase.genesis_hash, p_transaction_bytes, p_expiry_height, 'settled', now(), p_slot)
  on conflict (signature) do update
    set status = 'settled', slot = excluded.slot, confirmed_at = coalesce(payments.confirmed_at, excluded.confirmed_at)
    where payments.purchase_id = excluded.purchase_id and payments.kind = 'purchase';
  if not found then
    return 'signature_used';
  end if;
  to_sell := rows_to_sell(purchase);
  if cardinality(to_sell) <> (select count(*) from purchase_items where purchase_id = purchase.id) then
    raise exception 'an item of purchase % cannot be delivered', purchase.id using errcode = 'JB004';
  end if;
  with sold as (
    update listings l set status = 'sold', closed_at = now(), held_by = null, held_until = null where id = any (to_sell)
    returning l.id, l.token_type, l.amount, l as listing
  ), transferred as (
    insert into transfers (kind, token_type, amount, wallet_address, listing_id)
      select 'sale', token_type, amount, purchase.buyer, id from sold
  ), received as (
    -- In the order in which every transaction locks balances.
    insert into balances (wallet_address, token_type, amount)
      select purchase.buyer, token_type, sum(amount) from sold group by token_type order by token_type
      on conflict (wallet_address, token_type) do update set amount = balances.amount + excluded.amount
  )
  insert into events (type, audience, data) select event.* from sold, listing_event('listing.sold', listing) event;
  return 'settled';
end
$$;

create function settle_purchase(
  p_purchase uuid, p_signature text, p_slot bigint, p_transaction_bytes bytea, p_expiry_height bigint, p_referenced boolean, out outcome text, out settled_at timestamptz
) returns record language plpgsql as $$
declare
  purchase purchases;
  c cases;
  open_cases uuid[] := '{}';
begin
  perform lock_listings_of(p_purchase);
  select * into purchase from purchases where id = p_purchase for update;
  if purchase.status = 'settled' then
    outcome := case when purchase.signature = p_signature then 'settled' else 'paid_before' end;
    settled_at := purchase.settled_at;
    return;
  end if;
  -- A late payment is delivered only if it carries the reference and all items are free.
  if purchase.status = 'ended' and not p_referenced then
    outcome := 'listing_gone';
    return;
  end if;
  for c in select * from cases where purchase_id = purchase.id and signature = p_signature order by id for update loop
    if c.status in ('refunding', 'refunded', 'closed') or c.status = 'open' and c.refund_expiry_height is not null then
      outcome := 'refunding';
      return;
    end if;
    if c.status = 'open' then
      open_cases := open_cases || c.id;
    end if;
  end loop;

  if purchase.status = 'held' then
    outcome := deliver_items(purchase, p_signature, p_slot, p_transaction_bytes, p_expiry_height);
  else
    begin
      outcome := deliver_items(purchase, p_signature, p_slot, p_transaction_bytes, p_expiry_height);
    exception when sqlstate 'JB004' then
      outcome := 'listing_gone';
    end;
  end if;
  if outcome <> 'settled' then
    return;
  end if;
  -- A payment is finalized some 32 slots, about 13 s, after it was confirmed: until then there is nothing new to learn.
  settled_at := now();
  update purchases set status = 'settled', end_reason = null, signature = p_signature, settled_at = now(), reconcile_at = now() + interval '12 s'
    where id = purchase.id returning * into purchase;
  if open_cases <> '{}' then
    update cases set status = 'delivered', closed_at = now(), reconcile_at = null where id = any (open_cases);
  end if;
  insert into events (type, audience, data)
    select * from purchase_event(purchase) union all select * from balance_event(purchase.buyer);
end
$$;

create function sales_of(
  p_purchase uuid
) returns table(place smallint, listing_id uuid, buyer text, seller text, token_type text, amount bigint, price_lamports bigint, fee_lamports bigint, fee_basis_points integer, signature text, settled_at timestamptz) language plpgsql stable as $$
declare
  p purchases;
begin
  select * into p from purchases where id = p_purchase;
  return query
    select i.place, i.listing_id, p.buyer, i.seller, i.token_type, i.amount, i.price_lamports,
      -- As feeShares in server/src/purchases/purchase/purchase.ts.
      case when p.fee_wallet is null or i.seller = p.fee_wallet then 0
        else floor(i.charged * p.fee_basis_points / 10000) - floor((i.charged - i.price_lamports) * p.fee_basis_points / 10000) end::bigint,
      p.fee_basis_points, p.signature, p.settled_at
    from (
      select *, sum(item.price_lamports) filter (where item.seller is distinct from p.fee_wallet) over (order by item.place) as charged
      from purchase_items item where item.purchase_id = p_purchase
    ) i order by i.place;
end
$$;

create function stamp_sales(p_limit integer) returns integer language plpgsql as $$
declare
  head bigint;
  stamped integer;
  stamp_time timestamptz;
begin
  if not exists (select from sales_to_stamp) then
    return 0;
  end if;
  select ordinal into head from sales_head for update;
  stamp_time := clock_timestamp();
  -- Each statement sees what was committed before it began: under the lock, all that others have stamped.
  with taken as (
    delete from sales_to_stamp where id in (select id from sales_to_stamp order by id limit p_limit) returning id, purchase_id, is_reversal, noted_at
  ), due as (
    -- Each seller of a vanished payment has a case.
    select distinct on (purchase_id, is_reversal) id, purchase_id, is_reversal, noted_at from taken t
    where not exists (select from sales s where s.purchase_id = t.purchase_id and s.is_reversal = t.is_reversal)
    order by purchase_id, is_reversal, id
  )
  insert into sales (ordinal, stamped_at, purchase_id, place, is_reversal, listing_id, buyer, seller, token_type, amount, price_lamports,
      fee_lamports, fee_basis_points, signature, settled_at)
    select head + row_number() over (order by d.id, s.place), stamp_time, d.purchase_id, s.place, d.is_reversal, s.listing_id, s.buyer, s.seller,
      s.token_type, s.amount, s.price_lamports, s.fee_lamports, s.fee_basis_points, s.signature,
      case when d.is_reversal then d.noted_at else s.settled_at end
    from due d cross join lateral sales_of(d.purchase_id) s;
  get diagnostics stamped = row_count;
  update sales_head set ordinal = head + stamped;
  return stamped;
end
$$;

create function note_sale() returns trigger language plpgsql as $$
begin
  insert into sales_to_stamp (purchase_id, is_reversal) values (new.id, false);
  return null;
end
$$;

create function note_reversal() returns trigger language plpgsql as $$
begin
  insert into sales_to_stamp (purchase_id, is_reversal) values (new.purchase_id, true);
  return null;
end
$$;

create function note_for_webhooks(p_type text, p_subject uuid, p_snapshot json default null::json) returns void language sql as $$
  insert into webhook_outbox (type, subject, snapshot)
    select p_type, p_subject, p_snapshot where exists (select from webhooks where p_type = any (events))
$$;

create function note_settled_purchase() returns trigger language plpgsql as $$
begin
  perform note_for_webhooks('sale.settled', new.id);
  return null;
end
$$;

create function note_listing() returns trigger language plpgsql as $$
begin
  perform note_for_webhooks(case when new.status = 'active' then 'listing.created' else 'listing.removed' end, new.id, new.reply_json::json);
  return null;
end
$$;

create function note_case() returns trigger language plpgsql as $$
begin
  -- The payment of a purchase is undone as a whole, and each of its sellers has a case.
  if tg_op = 'INSERT' and new.kind = 'vanished'
      and not exists (select from cases where purchase_id = new.purchase_id and kind = 'vanished' and id <> new.id) then
    perform note_for_webhooks('sale.reversed', new.purchase_id);
  end if;
  perform note_for_webhooks(case when tg_op = 'INSERT' then 'case.opened' else 'case.closed' end, new.id,
    json_build_object('status', new.status, 'deliverable', new.deliverable, 'note', new.note, 'closedAt', json_time(new.closed_at)));
  return null;
end
$$;

create function share_restrictions() returns void language plpgsql as $$
begin
  perform pg_advisory_xact_lock_shared(20021);
end
$$;

create function lock_restrictions() returns void language plpgsql as $$
begin
  perform pg_advisory_xact_lock(20021);
end
$$;

create function restriction_of(p_wallet text, out refusal text, out restriction json) returns record language plpgsql stable as $$
begin
  select 'PAUSED', json_build_object('message', message) into refusal, restriction from current_pause();
  if not found then
    select 'BLOCKED', json_build_object('reason', reason, 'until', json_time(until)) into refusal, restriction
      from blocks where wallet_address = p_wallet and (until is null or until > now());
  end if;
end
$$;

create function is_taken_back(p_wallet text) returns boolean language plpgsql stable as $$
begin
  return (
    select exists (select from blocks where wallet_address = p_wallet and takes_listings and (until is null or until > now()))
  );
end
$$;

create function broken_price_rule(p_token_type text, p_amount bigint, p_lamports bigint) returns json language plpgsql stable as $$
begin
  return (
    select case
      when p_lamports < min_unit_lamports::numeric * p_amount
        then json_build_object('rule', 'minUnitPrice', 'tokenType', token_type, 'limit', min_unit_lamports::text)
      when p_lamports > max_unit_lamports::numeric * p_amount
        then json_build_object('rule', 'maxUnitPrice', 'tokenType', token_type, 'limit', max_unit_lamports::text)
    end
    from token_rules where token_type = p_token_type
  );
end
$$;

create function bought_today(p_buyer text, p_token_type text, p_replaced uuid[]) returns numeric language plpgsql stable as $$
begin
  return (
    select coalesce(sum(i.price_lamports), 0)
    from (
      select id from purchases p
        where buyer = p_buyer and status = 'held' and not ends_unsent(p)
          and not exists (select from purchase_items j where j.purchase_id = p.id and j.listing_id = any (p_replaced))
      union all
      select id from purchases where buyer = p_buyer and status = 'settled' and settled_at >= date_trunc('day', now(), 'utc')
    ) p
    join purchase_items i on i.purchase_id = p.id and i.token_type = p_token_type
  );
end
$$;

create function broken_daily_rule(p_buyer text, p_listings uuid[], p_amounts bigint[]) returns json language plpgsql stable as $$
declare
  asked record;
  bought numeric;
begin
  if not exists (select from token_rules where max_daily_lamports is not null) then
    return null;
  end if;
  for asked in
    select r.token_type, r.max_daily_lamports, sum(h.lamports) as lamports
    from hold_plan(p_buyer, p_listings, p_amounts) h join token_rules r on r.token_type = h.token_type and r.max_daily_lamports is not null
    group by r.token_type order by r.token_type
  loop
    bought := bought_today(p_buyer, asked.token_type, p_listings);
    if bought + asked.lamports > asked.max_daily_lamports then
      return json_build_object('rule', 'maxSolPerWalletPerDay', 'tokenType', asked.token_type, 'limit', asked.max_daily_lamports::text,
        'left', greatest(asked.max_daily_lamports - bought, 0)::text);
    end if;
  end loop;
  return null;
end
$$;

create function listing_restriction(
  p_seller text, p_token_type text, p_amount bigint, p_lamports bigint, out refusal text, out restriction json, out max_listings integer
) returns record language plpgsql as $$
begin
  perform share_restrictions();
  select r.refusal, r.restriction into refusal, restriction from restriction_of(p_seller) r;
  if refusal is null then
    restriction := broken_price_rule(p_token_type, p_amount, p_lamports);
    refusal := case when restriction is not null then 'RULE_BROKEN' end;
  end if;
  select r.max_listings into max_listings from token_rules r where r.token_type = p_token_type;
end
$$;

create function take_back(l listings) returns boolean language plpgsql as $$
begin
  update listings set status = 'removed', closed_at = now() where id = l.id returning * into l;
  perform post_transfer('return', l.token_type, l.amount, l.seller, l.id);
  perform emit_listing('listing.removed', l);
  perform emit_balance(l.seller);
  return true;
exception when check_violation then
  return false;
end
$$;

create function take_back_listings(
  p_seller text, p_after uuid, p_limit integer, out last uuid, out taken integer
) returns record language plpgsql as $$
declare
  ids uuid[];
  l listings;
begin
  -- Held ones too: a hold that is just ending may not know of the block.
  ids := array(
    select id from listings where seller = p_seller and status in ('active', 'reserved') and id > p_after order by id limit p_limit for update
  );
  last := ids[cardinality(ids)];
  taken := 0;
  for l in select * from listings where id = any (ids) and status = 'active' and held_by is null order by token_type, id loop
    taken := taken + take_back(l)::integer;
  end loop;
end
$$;

create function decide_hold(
  p_buyer text, p_listings uuid[], p_amounts bigint[], p_most_lamports bigint, p_transfers boolean, p_max_holds integer, p_max_items integer, p_max_sellers integer, p_fee_basis_points integer, p_fee_wallet text, out refusal text, out refused uuid, out restriction json, out retry_seconds integer, out allowed integer, out lamports bigint, out fee bigint, out sellers text[], out received bigint[]
) returns record language plpgsql stable as $$
declare
  item record;
  cooldown timestamptz;
  abandons boolean;
  holds bigint;
  held_items bigint;
  place integer;
begin
  lamports := 0;
  fee := 0;
  sellers := '{}';
  received := '{}';
  select r.refusal, r.restriction into refusal, restriction from restriction_of(p_buyer) r;
  if refusal is not null then
    return;
  end if;
  for item in select * from hold_plan(p_buyer, p_listings, p_amounts) loop
    if item.refusal is not null then
      refusal := item.refusal;
      refused := item.id;
      return;
    end if;
    restriction := broken_price_rule(item.token_type, item.amount, item.lamports);
    if restriction is not null then
      refusal := 'RULE_BROKEN';
      refused := item.id;
      return;
    end if;
    lamports := lamports + item.lamports;
    if item.seller is distinct from p_fee_wallet then
      fee := fee + item.lamports;
    end if;
    place := array_position(sellers, item.seller);
    if place is null then
      sellers := sellers || item.seller;
      received := received || item.lamports;
    else
      received[place] := received[place] + item.lamports;
    end if;
  end loop;
  fee := case when p_buyer = p_fee_wallet then 0 else div(fee::numeric * p_fee_basis_points, 10000)::bigint end;
  if cardinality(sellers) > p_max_sellers then
    refusal := 'TOO_MANY_SELLERS';
    return;
  end if;
  restriction := broken_daily_rule(p_buyer, p_listings, p_amounts);
  if restriction is not null then
    refusal := 'RULE_BROKEN';
    return;
  end if;

  allowed := p_max_items;
  abandons := exists (select from abandoned_holds(p_buyer));
  if abandons then
    allowed := allowed_items(p_buyer, p_max_items);
    foreach refused in array p_listings loop
      cooldown := cooldown_until(p_buyer, (select coalesce(part_of, id) from listings where id = refused));
      if cooldown > now() then
        refusal := 'COOLDOWN';
        retry_seconds := ceil(extract(epoch from cooldown - now()));
        return;
      end if;
    end loop;
    refused := null;
  end if;
  select count(distinct p.id), count(*) into holds, held_items
    from purchases p join purchase_items i on i.purchase_id = p.id
    where p.buyer = p_buyer and p.status = 'held'
      and not exists (select from purchase_items j where j.purchase_id = p.id and j.listing_id = any (p_listings));
  if holds >= p_max_holds or held_items + cardinality(p_listings) > allowed then
    refusal := 'TOO_MANY_HOLDS';
    allowed := case when held_items + cardinality(p_listings) > allowed then allowed end;
    return;
  end if;
  if cardinality(sellers) = 1 and fee = 0 and exists (
    select from purchases p
    where p.buyer = p_buyer and p.status = 'held' and p.sellers = decide_hold.sellers and p.price_lamports = decide_hold.lamports
      and p.fee_lamports = 0
      and not exists (select from purchase_items j where j.purchase_id = p.id and j.listing_id = any (p_listings))
  ) then
    refusal := 'AMBIGUOUS_HOLD';
    return;
  end if;
  if (cardinality(sellers) > 1 or p_fee_basis_points > 0) and not p_transfers then
    refusal := 'TRANSFERS_NEEDED';
  elsif lamports + fee > p_most_lamports then
    refusal := 'PRICE_MOVED';
  end if;
end
$$;

create function check_hold(
  p_buyer text, p_listings uuid[], p_amounts bigint[], p_most_lamports bigint, p_transfers boolean, p_wallet_sends boolean, p_max_holds integer, p_max_items integer, p_max_sellers integer, p_fee_basis_points integer, p_fee_wallet text, out refusal text, out refused uuid, out restriction json, out retry_seconds integer, out allowed integer, out fee bigint, out sellers text[], out received bigint[], out purchase purchases, out items json
) returns record language plpgsql as $$
declare
  repeated record;
begin
  -- In this order: what a hold of this buyer makes impossible, that hold is found for.
  select d.refusal, d.refused, d.restriction, d.retry_seconds, d.allowed, d.fee, d.sellers, d.received
    into refusal, refused, restriction, retry_seconds, allowed, fee, sellers, received
    from decide_hold(
      p_buyer, p_listings, p_amounts, p_most_lamports, p_transfers, p_max_holds, p_max_items, p_max_sellers, p_fee_basis_points, p_fee_wallet
    ) d;
  select * into repeated from repeat_hold(p_buyer, p_listings, p_amounts, p_most_lamports, p_transfers, p_wallet_sends);
  if repeated.refusal is not null or (repeated.purchase).id is not null then
    refusal := repeated.refusal;
    refused := null;
    restriction := null;
    retry_seconds := null;
    allowed := null;
    fee := null;
    purchase := repeated.purchase;
    items := items_of(purchase.id);
  end if;
end
$$;

create function place_hold(
  p_buyer text, p_listings uuid[], p_amounts bigint[], p_most_lamports bigint, p_transfers boolean, p_wallet_sends boolean, p_max_holds integer, p_max_items integer, p_max_sellers integer, p_fee_basis_points integer, p_fee_wallet text, p_reference text, p_genesis_hash text, p_slot bigint, p_spendable bigint, p_network_fee bigint, p_hold_seconds integer, p_rent_minimum bigint, p_recipients text[], p_balances bigint[], out refusal text, out refused uuid, out restriction json, out retry_seconds integer, out allowed integer, out needed_amount bigint, out purchase purchases, out items json
) returns record language plpgsql as $$
declare
  repeated record;
  terms record;
  item record;
  l listings;
  holders uuid[];
  former purchases;
  recipient record;
  place smallint := 0;
begin
  perform share_restrictions();
  -- While the chain was asked, somebody else may have held a listing: nobody has to wait for its lock to hear that.
  if exists (select from listings where id = any (p_listings) and (held_by is not null or status <> 'active')) then
    select h.id, h.refusal into refused, refusal
      from hold_plan(p_buyer, p_listings, p_amounts) h where h.refusal in ('LISTING_HELD', 'LISTING_NOT_ACTIVE') limit 1;
    if found then
      return;
    end if;
  end if;

  -- Under the locks all is decided again: each statement sees what was committed before it began.
  perform from players where wallet_address = p_buyer for update;
  holders := array(select held_by from listings where id = any (p_listings) and held_by is not null);
  perform lock_listings(p_listings || array(select listing_id from purchase_items where purchase_id = any (holders)));
  select * into repeated from repeat_hold(p_buyer, p_listings, p_amounts, p_most_lamports, p_transfers, p_wallet_sends);
  refusal := repeated.refusal;
  purchase := repeated.purchase;
  if refusal is not null or purchase.id is not null then
    items := items_of(purchase.id);
    return;
  end if;
  -- The items of a hold that came meanwhile are not locked.
  select id into refused from listings where id = any (p_listings) and held_by is not null and held_by <> all (holders) limit 1;
  if found then
    refusal := 'LISTING_HELD';
    return;
  end if;
  perform from purchases where id = any (holders) order by id for update;
  for former in
    select * from purchases p where id in (select held_by from listings where id = any (p_listings)) and ends_unsent(p) order by id
  loop
    perform end_hold(former, case when former.cancel_requested then 'cancelled' else 'lapsed' end, now() + interval '60 s');
  end loop;
  select * into terms from decide_hold(
    p_buyer, p_listings, p_amounts, p_most_lamports, p_transfers, p_max_holds, p_max_items, p_max_sellers, p_fee_basis_points, p_fee_wallet
  );
  refusal := terms.refusal;
  refused := terms.refused;
  restriction := terms.restriction;
  retry_seconds := terms.retry_seconds;
  allowed := terms.allowed;
  if refusal is not null then
    return;
  end if;
  for recipient in
    select r.seller, r.lamports, coalesce(b.balance, 0) as balance
    from unnest(terms.sellers, terms.received) as r (seller, lamports)
    left join unnest(p_recipients, p_balances) as b (wallet, balance) on b.wallet = r.seller
    where r.lamports < p_rent_minimum
  loop
    if recipient.balance + recipient.lamports < p_rent_minimum then
      refusal := 'PART_TOO_SMALL';
      select h.id, floor((h.lamports + p_rent_minimum - recipient.balance - recipient.lamports - 1)::numeric * too_small.amount / too_small.price_lamports) + 1
        into refused, needed_amount
        from hold_plan(p_buyer, p_listings, p_amounts) h join listings too_small on too_small.id = h.id
        where h.seller = recipient.seller order by h.is_part desc limit 1;
      if not exists (select from listings where id = refused and amount >= needed_amount) then
        needed_amount := null;
      end if;
      return;
    end if;
  end loop;
  if (select coalesce(sum(p.price_lamports + p.fee_lamports + p_network_fee), 0) from purchases p where p.buyer = p_buyer and p.status = 'held')
      + terms.lamports + terms.fee + p_network_fee > p_spendable then
    refusal := 'INSUFFICIENT_SOL';
    return;
  end if;

  -- Bytes that only the server sends are submitted to it. A wallet may pay by itself, but needs a moment for that.
  insert into purchases (buyer, sellers, price_lamports, fee_basis_points, fee_lamports, fee_wallet, reference, genesis_hash, held_at_slot,
      server_sends, pay_before, reconcile_at)
    values (p_buyer, terms.sellers, terms.lamports, p_fee_basis_points, terms.fee, case when terms.fee > 0 then p_fee_wallet end, p_reference,
      p_genesis_hash, p_slot, not p_wallet_sends, now() + make_interval(secs => p_hold_seconds),
      case when p_wallet_sends then now() + interval '4 s' else now() + make_interval(secs => p_hold_seconds) end)
    returning * into purchase;
  for item in select * from hold_plan(p_buyer, p_listings, p_amounts) loop
    place := place + 1;
    if item.is_part then
      select * into l from listings where id = item.id;
      l := split_listing(l, item.amount, 'reserved', purchase.id, purchase.pay_before);
    else
      update listings set held_by = purchase.id, held_until = purchase.pay_before where id = item.id returning * into l;
      insert into events (type, audience, data) select * from listing_event('listing.held', l);
    end if;
    insert into purchase_items (purchase_id, place, listing_id, part_of, seller, token_type, amount, price_lamports)
      values (purchase.id, place, l.id, l.part_of, l.seller, l.token_type, l.amount, l.price_lamports);
  end loop;
  insert into events (type, audience, data) select * from purchase_event(purchase);
  -- Its caller's query began before there were any.
  items := items_of(purchase.id);
end
$$;

create function current_identity() returns text language sql stable as $$
  select case when not pg_is_in_recovery() then concat_ws(' ',
    (select system_identifier from pg_control_system()),
    (select oid from pg_database where datname = current_database()),
    left(pg_walfile_name(pg_current_wal_lsn()), 8)
  ) end
$$;

create function is_in_doubt() returns boolean language sql stable as $$
  select exists (select from database_identity where identity <> current_identity())
$$;

create function current_pause() returns table(message text, actor text, since timestamptz) language sql stable as $$
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

create function is_frozen(p_seller text) returns boolean language plpgsql stable as $$
begin
  return exists (select from cases where seller = p_seller and kind = 'lost' and status = 'open');
end
$$;

create function frozen_sellers() returns text[] language plpgsql stable as $$
begin
  return array(select distinct seller from cases where kind = 'lost' and status = 'open' and seller is not null);
end
$$;

create function row_to_sell(item purchase_items, p_taken uuid[]) returns uuid language plpgsql as $$
declare
  l listings;
begin
  select * into l from listings where id = item.listing_id;
  if l.status = 'merged' then
    select * into l from listings where id = l.part_of;
  end if;
  if l.held_by is not null or l.status <> 'active' or l.id = any (p_taken) or l.amount < item.amount
      or part_cost(l, item.amount) > item.price_lamports then
    return null;
  end if;
  if l.amount > item.amount then
    l := split_listing(l, item.amount, 'sold', null, null);
  end if;
  if l.id <> item.listing_id then
    update purchase_items set listing_id = l.id, part_of = l.part_of where purchase_id = item.purchase_id and place = item.place;
  end if;
  return l.id;
end
$$;

create function rows_to_sell(purchase purchases) returns uuid[] language plpgsql as $$
declare
  item purchase_items;
  sold uuid;
  taken uuid[] := '{}';
begin
  if purchase.status = 'held' then
    return array(select id from held_listings(purchase.id));
  end if;
  for item in select * from purchase_items where purchase_id = purchase.id order by place loop
    sold := row_to_sell(item, taken);
    exit when sold is null;
    taken := taken || sold;
  end loop;
  return taken;
end
$$;

create function candle_length(p_step text) returns interval language sql immutable as $$
  select case p_step when '5m' then interval '5 minutes' when '1h' then interval '1 hour' when '1d' then interval '24 hours' end
$$;

create function candle_start(p_step text, p_time timestamptz) returns timestamptz language sql immutable as $$
  select date_bin(candle_length(p_step), p_time, '2000-01-01 00:00:00+00'::timestamptz)
$$;

create function derive_candle(
  p_step text, p_token_type text, p_start timestamptz, out open bigint, out high bigint, out low bigint, out close bigint, out amount bigint, out lamports numeric, out trades bigint
) returns record language plpgsql stable as $$
begin
  if p_step = '5m' then
    select (array_agg(t.unit_lamports order by t.settled_at, t.purchase_id, t.place))[1], max(t.unit_lamports), min(t.unit_lamports),
      (array_agg(t.unit_lamports order by t.settled_at desc, t.purchase_id desc, t.place desc))[1], sum(t.amount), sum(t.price_lamports), count(*)
    into open, high, low, close, amount, lamports, trades
    from trades t where t.token_type = p_token_type and t.settled_at >= p_start and t.settled_at < p_start + candle_length(p_step);
  else
    select (array_agg(c.open order by c.start))[1], max(c.high), min(c.low), (array_agg(c.close order by c.start desc))[1], sum(c.amount),
      sum(c.lamports), coalesce(sum(c.trades), 0)
    into open, high, low, close, amount, lamports, trades
    from candles c
    where c.token_type = p_token_type and c.step = case p_step when '1h' then '5m' else '1h' end
      and c.start >= p_start and c.start < p_start + candle_length(p_step);
  end if;
end
$$;

create function renew_candles(p_step text, p_tokens text[], p_times timestamptz[]) returns void language plpgsql as $$
begin
  with touched as (
    select distinct t.token_type, candle_start(p_step, t.time) as start from unnest(p_tokens, p_times) t (token_type, time)
  ), derived as (
    select t.token_type, t.start, d.open, d.high, d.low, d.close, d.amount, d.lamports, d.trades
    from touched t cross join lateral derive_candle(p_step, t.token_type, t.start) d
  ), emptied as (
    delete from candles c using derived d
      where d.trades = 0 and c.token_type = d.token_type and c.step = p_step and c.start = d.start
  )
  insert into candles (token_type, step, start, open, high, low, close, amount, lamports, trades)
    select token_type, p_step, start, open, high, low, close, amount, lamports, trades from derived where trades > 0
    on conflict (token_type, step, start) do update set open = excluded.open, high = excluded.high, low = excluded.low, close = excluded.close,
      amount = excluded.amount, lamports = excluded.lamports, trades = excluded.trades;
end
$$;

create function roll_up_sales(p_limit integer) returns integer language plpgsql as $$
declare
  head bigint;
  reached bigint;
  tokens text[];
  times timestamptz[];
begin
  if (select h.ordinal from candles_head h) >= (select h.ordinal from sales_head h) then
    return 0;
  end if;
  select ordinal into head from candles_head for update;
  -- Each statement sees what was committed before it began: under the lock, all that others have rolled up.
  select max(next.ordinal) into reached from (select ordinal from sales where ordinal > head order by ordinal limit p_limit) next;
  if reached is null then
    return 0;
  end if;
  -- Of a reversal, the time of what was undone.
  select array_agg(touched.token_type), array_agg(touched.start) into tokens, times from (
    select distinct s.token_type, candle_start('5m', s.settled_at) as start
    from sales told join sales s on s.purchase_id = told.purchase_id and s.place = told.place and not s.is_reversal
    where told.ordinal > head and told.ordinal <= reached
  ) touched;
  perform renew_candles('5m', tokens, times);
  perform renew_candles('1h', tokens, times);
  perform renew_candles('1d', tokens, times);
  update candles_head set ordinal = reached;
  return reached - head;
end
$$;

create function link_limits(
  p_maker bytea, p_wallet text, p_account text, p_listing uuid, p_max_holds integer, out refusal text, out retry_seconds integer
) returns record language plpgsql stable as $$
declare
  open_holds bigint;
  cooldown timestamptz;
  pause timestamptz;
begin
  select max(abandoned.cooldown), max(abandoned.pause) into cooldown, pause
  from (
    select
      case when count(*) filter (where is_same) >= 2
        then max(at) filter (where is_same) + interval '10 minutes' * power(2, least(count(*) filter (where is_same), 9) - 2)
      end as cooldown,
      (array_agg(at order by at desc))[p_max_holds] + interval '1 hour' as pause
    from (
      select subject.name, p.ended_at as at, h.listing_id = p_listing as is_same
      from pay_link_holds h
      join purchases p on p.id = h.purchase_id
      cross join lateral (
        values ('maker', h.maker = p_maker), ('wallet', h.maker_wallet = p_wallet), ('account', h.account = p_account)
      ) as subject (name, fits)
      where (h.maker = p_maker or h.maker_wallet = p_wallet or h.account = p_account) and subject.fits
        and p.end_reason in ('cancelled', 'lapsed') and p.ended_at > now() - interval '24 hours'
        and not exists (select from outages_so_far() o where o.began_at < p.pay_before and o.ended_at > p.created_at)
    ) of_subject
    group by name
  ) abandoned;
  if cooldown > now() then
    refusal := 'COOLDOWN';
    retry_seconds := ceil(extract(epoch from cooldown - now()));
    return;
  end if;
  if pause > now() then
    refusal := 'PAY_LINK_LIMIT';
    retry_seconds := ceil(extract(epoch from pause - now()));
    return;
  end if;
  select greatest(
      count(*) filter (where h.maker = p_maker),
      count(*) filter (where h.maker_wallet = p_wallet)
        + (select count(*) from purchases own where own.buyer = p_wallet and own.status = 'held'
            and not exists (select from pay_link_holds mine where mine.purchase_id = own.id and mine.maker_wallet = p_wallet))
    )
    into open_holds
    from pay_link_holds h join purchases p on p.id = h.purchase_id
    where (h.maker = p_maker or h.maker_wallet = p_wallet) and p.status = 'held';
  if open_holds >= p_max_holds then
    refusal := 'PAY_LINK_LIMIT';
    retry_seconds := 60;
  end if;
end
$$;

create function link_refusal(
  link pay_links, p_account text, p_max_holds integer, out refusal text, out retry_seconds integer
) returns record language plpgsql stable as $$
declare
  former purchases;
begin
  if link.id is null then
    refusal := 'PAY_LINK_NOT_FOUND';
    return;
  elsif exists (select from pay_link_holds h join purchases p on p.id = h.purchase_id where h.link_id = link.id and p.status = 'settled') then
    refusal := 'PAY_LINK_PAID';
    return;
  elsif link.expires_at <= now() then
    refusal := 'PAY_LINK_EXPIRED';
    return;
  end if;
  select * into former from purchases where id = link.purchase_id;
  if former.status = 'held' then
    if former.buyer <> p_account then
      refusal := 'PAY_LINK_HELD';
    end if;
    return;
  end if;
  if exists (
    select from purchases p join purchase_items i on i.purchase_id = p.id
    where p.buyer = p_account and p.status = 'held' and link.listing_id in (i.listing_id, i.part_of)
  ) then
    refusal := 'HELD_BY_YOU';
    return;
  elsif exists (
    select from pay_link_holds h join purchases p on p.id = h.purchase_id where h.account = p_account and p.status = 'held'
  ) then
    refusal := 'PAY_LINK_ELSEWHERE';
    return;
  end if;
  select l.refusal, l.retry_seconds into refusal, retry_seconds
    from link_limits(link.maker, link.maker_wallet, p_account, link.listing_id, p_max_holds) l;
end
$$;

create function lock_link_subject(p_kind text, p_subject text) returns void language plpgsql as $$
begin
  perform pg_advisory_xact_lock(hashtextextended(p_kind || ' ' || p_subject, 28));
end
$$;

create function lock_link_maker(p_maker bytea, p_wallet text) returns void language plpgsql as $$
begin
  perform lock_link_subject('maker', encode(p_maker, 'hex'));
  if p_wallet is not null then
    perform lock_link_subject('wallet', p_wallet);
  end if;
end
$$;

create function make_pay_link(
  p_listing uuid, p_token_hash bytea, p_maker bytea, p_wallet text, p_fee_basis_points integer, p_fee_wallet text, p_life_seconds integer, p_max_links integer, p_max_holds integer, out refusal text, out restriction json, out retry_seconds integer, out id uuid, out amount bigint, out most_lamports bigint, out expires_at timestamptz
) returns record language plpgsql as $$
declare
  l listings;
  live bigint;
begin
  perform lock_link_maker(p_maker, p_wallet);
  select r.refusal, r.restriction into refusal, restriction from restriction_of(coalesce(p_wallet, '')) r;
  if refusal is not null then
    return;
  end if;
  select kept.* into l from listings asked
    join listings kept on kept.id = case when asked.status = 'merged' then asked.part_of else asked.id end
    where asked.id = p_listing;
  refusal := listing_refusal('', l, null);
  if refusal is not null then
    return;
  end if;
  select t.refusal, t.retry_seconds into refusal, retry_seconds from link_limits(p_maker, p_wallet, null, l.id, p_max_holds) t;
  if refusal is not null then
    return;
  end if;
  select greatest(count(*) filter (where k.maker = p_maker), count(*) filter (where k.maker_wallet = p_wallet)),
      ceil(extract(epoch from min(k.expires_at) - now()))
    into live, retry_seconds
    from pay_links k where (k.maker = p_maker or k.maker_wallet = p_wallet) and k.expires_at > now();
  if live >= p_max_links then
    refusal := 'PAY_LINK_LIMIT';
    return;
  end if;
  retry_seconds := null;
  insert into pay_links as made (token_hash, listing_id, amount, most_lamports, maker, maker_wallet, expires_at)
    values (p_token_hash, l.id, l.amount,
      l.price_lamports + case when l.seller = p_fee_wallet then 0 else div(l.price_lamports::numeric * p_fee_basis_points, 10000)::bigint end,
      p_maker, p_wallet, now() + make_interval(secs => p_life_seconds))
    returning made.id, made.amount, made.most_lamports, made.expires_at into id, amount, most_lamports, expires_at;
end
$$;

create function place_link_hold(
  p_buyer text, p_listings uuid[], p_amounts bigint[], p_most_lamports bigint, p_transfers boolean, p_wallet_sends boolean, p_max_holds integer, p_max_items integer, p_max_sellers integer, p_fee_basis_points integer, p_fee_wallet text, p_reference text, p_genesis_hash text, p_slot bigint, p_spendable bigint, p_network_fee bigint, p_hold_seconds integer, p_rent_minimum bigint, p_recipients text[], p_balances bigint[], p_link uuid, out refusal text, out refused uuid, out restriction json, out retry_seconds integer, out allowed integer, out needed_amount bigint, out purchase purchases, out items json
) returns record language plpgsql as $$
declare
  link pay_links;
  placed record;
begin
  perform share_restrictions();
  select * into link from pay_links where id = p_link for update;
  perform lock_link_maker(link.maker, link.maker_wallet);
  perform lock_link_subject('account', p_buyer);
  perform from players where wallet_address = p_buyer for update;
  select r.refusal, r.retry_seconds into refusal, retry_seconds from link_refusal(link, p_buyer, p_max_holds) r;
  if refusal is not null then
    return;
  end if;
  select * into placed from place_hold(
    p_buyer, p_listings, p_amounts, p_most_lamports, p_transfers, p_wallet_sends, p_max_holds, p_max_items, p_max_sellers,
    p_fee_basis_points, p_fee_wallet, p_reference, p_genesis_hash, p_slot, p_spendable, p_network_fee, p_hold_seconds, p_rent_minimum,
    p_recipients, p_balances
  );
  refusal := placed.refusal;
  refused := placed.refused;
  restriction := placed.restriction;
  retry_seconds := placed.retry_seconds;
  allowed := placed.allowed;
  needed_amount := placed.needed_amount;
  purchase := placed.purchase;
  items := placed.items;
  if refusal is null then
    insert into pay_link_holds (purchase_id, link_id, listing_id, account, maker, maker_wallet)
      values (purchase.id, link.id, link.listing_id, p_buyer, link.maker, link.maker_wallet) on conflict do nothing;
    update pay_links set purchase_id = purchase.id where pay_links.id = link.id;
  end if;
end
$$;

create function render_alert(a alerts) returns json language sql stable as $$
  select json_build_object(
    'id', a.id,
    'tokenType', a.token_type,
    'below', trim_scale(a.below_lamports * 0.000000001),
    'createdAt', json_time(a.created_at),
    'firedAt', json_time(a.fired_at),
    'price', trim_scale(a.fired_lamports * 0.000000001))
$$;

create function queue_push(p_wallet text, p_kind text, p_token_type text, p_quantity bigint) returns void language plpgsql as $$
begin
  insert into pushes (session_id, kind, token_type, quantity)
    select s.session_id, p_kind, p_token_type, p_quantity from push_subscriptions s
    where s.wallet_address = p_wallet and (select count(*) from pushes p where p.session_id = s.session_id) < 100;
end
$$;

create function cheapest_offer(p_token_type text, p_frozen text[], p_wallet text default null) returns bigint language plpgsql stable as $$
declare
  offer bigint;
begin
  select unit_lamports(l.price_lamports, l.amount) into offer
  from listings l
  where l.status = 'active' and l.token_type = p_token_type and l.held_by is null and l.seller is distinct from p_wallet
    and l.seller <> all (p_frozen)
  order by l.unit_lamports limit 1;
  return offer;
end
$$;

create function fire_alerts(p_limit integer, p_frozen text[], p_only uuid default null::uuid) returns integer language plpgsql as $$
declare
  alert alerts;
  fired integer := 0;
begin
  -- Few alerts lie at or above the floor and do not fire: those of whoever sells there.
  for alert in
    with floors as materialized (
      select t.token_type, cheapest_offer(t.token_type, p_frozen) as lamports from token_types t
      where exists (select from alerts a where a.token_type = t.token_type and a.fired_at is null)
    ), due as (
      select a.id, offer.lamports
      from floors f join alerts a on a.token_type = f.token_type and a.fired_at is null and a.below_lamports >= f.lamports
        cross join cheapest_offer(a.token_type, p_frozen, a.wallet_address) as offer (lamports)
      where offer.lamports <= a.below_lamports and (p_only is null or a.id = p_only)
      limit p_limit for update of a skip locked
    )
    update alerts a set fired_at = now(), fired_lamports = due.lamports from due where a.id = due.id returning a.*
  loop
    perform emit_event('alert.fired', array[alert.wallet_address],
      json_build_object('type', 'alert.fired', 'alert', render_alert(alert)));
    perform queue_push(alert.wallet_address, 'alert', alert.token_type, alert.fired_lamports);
    fired := fired + 1;
  end loop;
  return fired;
end
$$;

create function push_sales(p_limit integer) returns integer language plpgsql as $$
declare
  head bigint;
  reached bigint;
begin
  if (select h.ordinal from pushes_head h) >= (select h.ordinal from sales_head h) then
    return 0;
  end if;
  select ordinal into head from pushes_head for update;
  -- Each statement sees what was committed before it began: under the lock, all that others have told of.
  select max(next.ordinal) into reached from (select ordinal from sales where ordinal > head order by ordinal limit p_limit) next;
  if reached is null then
    return 0;
  end if;
  -- What is older than pushes are sent for is no news.
  perform queue_push(sold.seller, 'sale', sold.token_type, sold.amount)
    from (
      select s.seller, s.token_type, sum(s.amount)::bigint as amount from sales s
      where s.ordinal > head and s.ordinal <= reached and not s.is_reversal and s.settled_at > now() - interval '1 hour'
        and exists (select from push_subscriptions p where p.wallet_address = s.seller)
      group by s.purchase_id, s.seller, s.token_type order by min(s.ordinal)
    ) sold;
  update pushes_head set ordinal = reached;
  return reached - head;
end
$$;

create function lease_pushes(
  p_limit integer
) returns table(id uuid, session_id uuid, endpoint text, p256dh text, auth text, kind text, token_type text, quantity bigint, seconds_left integer) language sql as $$
  with ready as (
    select s.session_id from push_subscriptions s
    where s.attempt_at <= now()
      and s.session_id in (select p.session_id from pushes p where p.created_at > now() - interval '1 hour')
      and exists (select from sessions z where z.id = s.session_id and z.revoked_at is null and z.expires_at > now())
    order by s.attempt_at limit p_limit for update skip locked
  ), leased as (
    update push_subscriptions s
    set failed_attempts = s.failed_attempts + 1,
      attempt_at = now() + make_interval(secs => (array[30, 120, 600, 1800])[least(s.failed_attempts + 1, 4)])
    from ready where s.session_id = ready.session_id
    returning s.session_id, s.endpoint, s.p256dh, s.auth
  )
  select next.id, l.session_id, l.endpoint, l.p256dh, l.auth, next.kind, next.token_type, next.quantity, next.seconds_left
  from leased l cross join lateral (
    select p.id, p.kind, p.token_type, p.quantity, ceil(extract(epoch from p.created_at + interval '1 hour' - now()))::integer as seconds_left
    from pushes p where p.session_id = l.session_id and p.created_at > now() - interval '1 hour' order by p.id limit 1
  ) next
$$;

create function end_push_subscription() returns trigger language plpgsql as $$
begin
  delete from push_subscriptions where session_id = new.id;
  return null;
end
$$;

create trigger listings_before_write before insert or update on listings for each row execute function before_listing_write();

create trigger studio_log_append_only before delete or update or truncate on studio_log for each statement execute function refuse_change();

create trigger refuse_older_servers before insert or delete or update on listings for each statement execute function refuse_older_servers();

create trigger refuse_older_servers before insert or delete or update on purchases for each statement execute function refuse_older_servers();

create trigger refuse_older_servers before insert or delete or update on payments for each statement execute function refuse_older_servers();

create trigger refuse_older_servers before insert or delete or update on cases for each statement execute function refuse_older_servers();

create trigger refuse_older_servers before insert or delete or update on transfers for each statement execute function refuse_older_servers();

create trigger purchases_note_sale after update of status on purchases for each row when (old.status <> 'settled' and new.status = 'settled') execute function note_sale();

create trigger cases_note_reversal after insert on cases for each row when (new.kind = 'vanished') execute function note_reversal();

create trigger purchases_note_settled after update of status on purchases for each row when (old.status <> 'settled' and new.status = 'settled') execute function note_settled_purchase();

create trigger listings_note_created after insert on listings for each row when (new.status = 'active') execute function note_listing();

create trigger listings_note_changed after update of status on listings for each row when (old.status = 'reserved' and new.status = 'active' or old.status = 'active' and (new.status in ('removed', 'merged'))) execute function note_listing();

create trigger cases_note_opened after insert on cases for each row execute function note_case();

create trigger cases_note_closed after update of status on cases for each row when (old.closed_at is null and new.closed_at is not null) execute function note_case();

create trigger sessions_end_push after update of revoked_at on sessions for each row when (old.revoked_at is null and new.revoked_at is not null) execute function end_push_subscription();

comment on table migrations is 'The migrations that were applied. A server whose own files differ from them does not start.';
comment on column migrations.checksum is 'SHA-256 of the file, in hex.';
comment on column migrations.compatible is 'Servers that do not know this migration may run on the database.';
comment on table players is 'Every wallet that has ever signed in. Its row is also the lock that serializes the purchases of one buyer.';
comment on table sign_in_nonces is 'One open sign-in request per wallet, deleted when its nonce is used and some time after it expires. Unlogged, because a nonce need not reach the disk before it is sent: only a crash of the database loses the open ones, and those players ask for another.';
comment on table sessions is 'A session JWT carries the id of its row. Setting revoked_at ends the session on every server.';
comment on table token_types is 'What is traded here, or once was. Each server writes its catalogue here when it starts; an item that has left the catalogue keeps its row, for those who bought it.';
comment on column token_types.first_seen_at is 'When a server first had it in its catalogue; null for those of the three drinks that no server has had yet.';
comment on table balances is 'The tokens a wallet can use now. Those in its active listings are in escrow: see listings.amount.';
comment on column balances.amount is 'The upper bound keeps every balance exact in a JSON number.';
comment on table transfers is 'Every movement of tokens, append-only. Each has two sides, listed in ledger_entries:
  credit: studio to wallet     debit: wallet to studio
  escrow: wallet to listing    return: listing to its seller    sale: listing to the buyer
  split: listing to its part   merge: part to its listing
A listing is its own escrow account, so a seller with many listings does not queue on one row.';
comment on column transfers.parent_id is 'The listing that the part listing_id is split from or merges into.';
comment on view ledger_entries is 'Both sides of every transfer: what leaves an account is negative, so the entries of a transfer add up to zero.';
comment on table events is 'The outbox: written in the transaction that makes the change, read by every server in the order (xid, id). Order by id alone would
lose events, because a lower id may commit after a higher one was read. Nothing can still appear below the oldest running
transaction, so readers stop there.';
comment on column events.audience is 'The wallets whose streams carry the event; null for all streams.';
comment on column events.data is 'The event as the stream sends it, its type included.';
comment on function new_id() is 'A UUID version 7 by the database''s clock: ids sort by age. PostgreSQL has uuidv7() only from version 18.';
comment on table listings is 'Offers of tokens for SOL. Each order and filter of the market has its index, so that every page is one walk along an index. The
fillfactor leaves room on each page for the new row of a hold, which then needs no entry in any of them (HOT).';
comment on column listings.amount is 'While the listing is active, these tokens are in escrow here.';
comment on column listings.status is 'reserved: a part that a purchase holds and that has no card on the market. merged: a part that went back to the listing it was split from.';
comment on column listings.held_by is 'The purchase that holds the listing.';
comment on column listings.held_until is 'When the payment window of that purchase closes.';
comment on column listings.closed_at is 'When it left the market; of a part, when it was split off without entering it.';
comment on column listings.reply_json is 'The listing as replies and events carry it, rendered on write: rendering fifty rows on every read would cost more than the rest of a market page. That of a closed listing may lack fields that were added since: it is rendered when it is read.';
comment on column listings.waits_for_studio is 'The purchase that holds the listing is unprovable. Cleared with the hold.';
comment on column listings.divisible is 'Buyers may take a part. Each drink then costs at least a lamport, so that every part has a price, and so has the rest.';
comment on column listings.part_of is 'The listing that this part was split from.';
comment on column listings.whole_amount is 'What the seller listed, of a listing that was split; null until then. The rest and the parts add up to it.';
comment on column listings.whole_lamports is 'As whole_amount, its price.';
comment on function render_listing(listings) is 'A listing as the API shows it: the only place that says so.';
comment on table sellers is 'Everyone who has ever listed anything: a search by seller reads a few thousand addresses instead of a million listings.';
comment on index sellers_by_substring is 'Without fastupdate: its list of pending entries would have to be read by every search.';
comment on function before_listing_write() is 'Raises JB003 if a purchase would take over a listing that another one holds.';
comment on index listings_newest is 'This and the next two say "active" as "closed_at is null", those of one token or seller as "status = ''active''". A query uses one of
the two, so that the planner cannot read the whole market for one token and discard the rest.';
comment on index listings_by_token is 'Includes the seller, as the next two do: a search may walk far along these indexes and then reads nothing else.';
comment on table purchases is 'A hold on one listing or several, and what became of it. Every transaction takes its row locks in the same order: the buyer''s player row, the listings by their id, the purchase, the cases by their id, the balances by wallet and token.';
comment on column purchases.sellers is 'Who is paid, each once, in the order of the items.';
comment on column purchases.price_lamports is 'The sum of its items. The buyer pays the fee on top.';
comment on column purchases.reference is 'A public key made for this purchase alone. The payment carries it, so that it can be found on the chain and told apart from others.';
comment on column purchases.genesis_hash is 'The chain that the payment belongs on.';
comment on column purchases.held_at_slot is 'The highest processed slot of any endpoint before the hold was placed: an earlier transfer cannot be its payment.';
comment on column purchases.server_sends is 'True: only this product''s servers broadcast the payment. False: the buyer''s wallet may do so too.';
comment on column purchases.pay_before is 'When the payment window closes.';
comment on column purchases.signature is 'The payment that settled the purchase.';
comment on column purchases.release_height is 'Once the finalized chain is above this block height, no payment signed inside the payment window can land any more. Set after the window has closed.';
comment on column purchases.reconcile_at is 'When a server next reconciles the purchase with the chain. While one does, the end of its lease. Null: never.';
comment on column purchases.buyer_scans is 'How often the buyer''s own transactions were searched for the payment.';
comment on column purchases.unprovable_at is 'Since when every endpoint has an obstacle in history_searches, so that only the studio can end the hold. Null: the chain may still prove that no payment came.';
comment on column purchases.release_reason is 'Why the studio released the hold, in words for buyer and seller.';
comment on column purchases.agreed_pay_before is 'When the payment window would have closed without outages. Null: none has extended it.';
comment on column purchases.fee_basis_points is 'The studio''s rate when the hold was placed.';
comment on column purchases.fee_wallet is 'Who receives the fee; null if there is none to pay.';
comment on table cases is 'Payments that the chain accepted and that could not be delivered.';
comment on column cases.kind is 'late: landed after the hold had ended. wrong: another amount or form than agreed. double: a second payment for one purchase.
vanished: the chain dropped a payment for which tokens had moved.';
comment on column cases.deliverable is 'Only a payment of the exact amount that carries the purchase''s reference may still be delivered.';
comment on column cases.refund_reference is 'Set when a refund is first prepared, and kept: the seller''s wallet may sign and send it much later, with another blockhash.';
comment on column cases.refund_expiry_height is 'While set, a prepared refund may still land, up to this block height, and the listing is not delivered.';
comment on column cases.reconcile_at is 'As purchases.reconcile_at.';
comment on column cases.seller is 'Who received the SOL and can return it. Null: the transaction paid nobody but the fee wallet.';
comment on column cases.fee_lamports is 'The fee that the same transaction paid, which the studio owes to the buyer. In the first case of a transaction only.';
comment on column cases.buyer is 'Who paid, of a case without a purchase: lost, because the database has lost the purchase.';
comment on table payments is 'Every transaction that was recorded before it was broadcast, that settled a purchase, or that became a case. The primary key is
invariant I3: one signature serves one purpose.';
comment on column payments.expiry_height is 'Above this block height the transaction can no longer land.';
comment on column payments.status is 'recorded: broadcast until it lands or expires. settled: it counted. void: it expired, or it landed and did not count.';
comment on table heartbeat is 'When a server last reached both this database and the chain.';
comment on table outages is 'Times in which no server reached both this database and the chain, so that no payment could be submitted. Kept for 30 days.';
comment on function beat() is 'Every server calls this every few seconds while it reaches the chain. A silence of more than 15 s is recorded as an outage once it is over.';
comment on function ends_unsent(purchases) is 'Whether an open hold may end without asking the chain: nothing was submitted, only a server would have sent it, and none may any more.';
comment on function pay_millis_left(purchases) is 'Whole milliseconds that a buyer has left to pay.';
comment on table history_searches is 'How far the finalized history of an address was searched for the payment of a hold beyond its release height, on one endpoint: first every signature since the hold is listed, then each is decided, from the newest to the oldest. Written only if one look does not suffice. What was searched stays searched, because nothing older than a finalized signature can be added.';
comment on column history_searches.listed_to is 'The oldest signature listed so far.';
comment on column history_searches.listed is 'The list reaches back to the hold.';
comment on column history_searches.decided_to is 'This signature and all newer ones do not pay.';
comment on column history_searches.decided is 'No signature pays.';
comment on column history_searches.obstacle is 'Why this endpoint can never prove that no payment came. pruned: it keeps no blocks before first_slot, which is after the hold. too_many_pages: the address has more signatures than are searched. An endpoint that does not answer is none.';
comment on table studio_log is 'What was done through the studio API: by whom, with which call, to what, and why. Append-only.';
comment on column audits.started_by is 'Whose key or wallet. Null of those that nobody has started by a call, or an older server has.';
comment on function oldest_server() is 'The application_name of the oldest servers that may write: each server appends the number of the newest migration it knows.';
comment on function refuse_older_servers() is 'Raises JB002 for a server that does not know the newest incompatible migration.';
comment on function upgrade_servers(text) is 'Called before each incompatible migration, in its transaction, with its number. What older servers have begun to write is waited for; whatever they write afterwards is refused.';
comment on function outages_so_far() is 'The recorded outages, and the one that is not over, if there is one.';
comment on function pay_until(purchases) is 'When the payment window closes, outages included: each that began within it extends it by as long as it lasted, all together by at most as much again as was agreed. Never for a hold that was cancelled, has recorded bytes, or has a release height.';
comment on function window_closed(purchases) is 'Whether the time to pay is over. While an outage lasts that may extend it, it is not.';
comment on table listing_keys is 'Which listing a seller''s Idempotency-Key has created: asked for again, it is returned instead of another. Kept for a day.';
comment on index listings_open_parts is 'The parts that may merge again.';
comment on index transfers_into_escrow is 'A listing, or a part, takes its tokens into escrow only once.';
comment on index transfers_out_of_escrow is 'A listing, or a part, releases its tokens only once: the database itself refuses a second sale.';
comment on table purchase_items is 'What a purchase is of, as it was agreed. All its items are held, paid and delivered together or not at all.';
comment on column purchase_items.listing_id is 'The row that is held and sold: a whole listing, or the part that was split off for this purchase.';
comment on column purchase_items.part_of is 'The listing that the part was split from; null for a whole listing.';
comment on index purchases_no_ambiguous_holds is 'A payment without a reference could not tell two such holds apart. Also finds the open holds of a buyer.';
comment on function post_transfer(text,text,bigint,text,uuid,text,uuid) is 'The only writer of balances and transfers but for deliver_items. Returns the transfer''s id. Raises JB001 if the wallet has fewer tokens than it would pay.';
comment on function items_of(uuid) is 'The items of a purchase, in their order, as the server reads them.';
comment on function held_listings(uuid) is 'The rows that an open purchase holds.';
comment on function lock_listings(uuid[]) is 'Locks listings with all that may be split from them, or merge into them, in the one order in which every transaction locks listings.';
comment on function lock_listings_of(uuid) is 'As lock_listings, the items of a purchase.';
comment on function part_cost(listings,bigint) is 'What so much of a listing costs. Rounded up: the rest of a divisible listing keeps at least a lamport a drink.';
comment on function split_listing(listings,bigint,text,uuid,timestamp with time zone) is 'Splits a part off a listing, which keeps the rest and stays for sale. p_status: reserved, with the purchase that holds the part, or sold.';
comment on function merge_part(listings) is 'Returns a part to its listing, which is active. Returns that listing.';
comment on function free_part(listings) is 'What becomes of a part that nobody holds any more: it merges into its listing; if that was removed, its tokens return to the seller; if that is held or sold, it is for sale by itself.';
comment on function free_listing(listings) is 'Ends the hold on a row. Parts that were for sale by themselves merge into their listing now that it is free.';
comment on function abandoned_holds(text) is 'The purchases that a wallet has left unpaid in the last 48 hours. Without those that somebody else''s link has placed for it: they count in link_limits, where nobody can use them to keep the wallet from buying by itself.';
comment on function cooldown_until(text,uuid) is 'Until when a wallet may not hold a listing again, or a part of it: for 10 minutes after the second purchase of it that the wallet abandons within 24 hours, doubled by each further one. Null if it has abandoned fewer. No more than nine fit into 24 hours.';
comment on function allowed_items(text,integer) is 'How many items a wallet may hold in all: one after it abandoned three purchases within an hour.';
comment on function listing_refusal(text,listings,bigint) is 'Why nobody, or not this wallet, may hold so much of a listing now; null if it may. p_amount: null for all that is left.';
comment on function hold_plan(text,uuid[],bigint[]) is 'What a purchase of these listings would hold now, in their order: all that is left of each, or so much of it.';
comment on function repeat_hold(text,uuid[],bigint[],bigint,boolean,boolean) is 'The open hold of a buyer who places the same order again; null if there is none that stays. A wallet that now wants to send may: from then on only the chain can prove that no payment came. Refuses if paying for it would be a mistake, or is not what this client would do.';
comment on function end_hold(purchases,text,timestamp with time zone) is 'Ends an open hold, under the locks of lock_listings_of and of its purchase. Its listings are free again, first of all for those whose payment for them came too late: their cases are due at once. If the studio has taken a blocked seller''s listings back, so are these. p_search_at: when to search for a late payment; null for never.';
comment on function extend_hold(purchases) is 'Writes down what an outage has added to the time to pay, under the locks of listings and purchase, and tells both sides.';
comment on function extend_holds(integer) is 'Extends the holds that an outage interrupted, at most p_limit, and returns how many. One that somebody is at work on is left for the next time: its window does not close before.';
comment on function deliver_items(purchases,text,bigint,bytea,bigint) is 'Records the payment of a purchase and moves its tokens. Returns settled, or signature_used with nothing changed. Raises JB004 if one item cannot be delivered: its caller then rolls back to before the call.';
comment on function settle_purchase(uuid,text,bigint,bytea,bigint,boolean) is 'Delivers all items for a payment that the chain accepted, or none. Idempotent. Returns when, and
  settled: delivered, by this call or an earlier one;    paid_before: another payment settled this purchase;
  listing_gone: an item is sold, removed or held by someone else, or would cost more now;
  signature_used: the transaction served another purpose;
  refunding: a seller is paying it back, or may be.';
comment on table studio_keys is 'Keys for the studio API, besides STUDIO_API_KEY. They are never deleted, so that the holder of an old one hears what became of it.';
comment on table studio_key_days is 'What each key with a daily limit has credited on which day, in UTC. Its row is locked first of all that its orders lock.';
comment on table sales_to_stamp is 'Settled purchases, and those whose payment the chain has undone, that stamp_sales has not seen yet. Written by the transaction that settles: a row of its own, so that none waits for another.';
comment on table sales_head is 'The last ordinal in sales. Its row is also the lock that lets one stamp_sales work at a time.';
comment on table sales is 'Every settled item, and its reversal if the chain undid the payment. Append-only. Ordinals are committed one after the other, after the sale itself: whoever has read up to one has read everything below it. No foreign keys, which would have stamp_sales wait for locks on purchases.';
comment on column sales.stamped_at is 'The same for all that was stamped together. Cursors carry it: after a restore, an ordinal that is given again has another time.';
comment on column sales.fee_lamports is 'Its share of the fee: by how much it raises the fee of the items before it, rounded down.';
comment on column sales.settled_at is 'Of a reversal: when the server found out.';
comment on index sales_by_time is 'The sales of a day, for the statistics.';
comment on index transfers_of_orders is 'What the studio credited and debited in a day.';
comment on function sales_of(uuid) is 'The items of a settled purchase, as sales tells of them.';
comment on function stamp_sales(integer) is 'Gives ordinals to what was settled, of at most p_limit purchases, and returns how many it gave. Only one at a time works, and settling never waits for it.';
comment on table webhooks is 'Addresses of the studio that are told what happens. Each is a queue of its own.';
comment on column webhooks.events is 'The types of the messages that it gets.';
comment on column webhooks.switched_off is 'Why it is not enabled. asked: by the studio. gone: its receiver answered 410. failed: ten attempts at one message failed.';
comment on column webhooks.delivered_to is 'The ordinal of the last message that was delivered, or skipped.';
comment on column webhooks.replays is 'Raised by each call that changes where the queue stands: what a server reports of the time before no longer counts.';
comment on column webhooks.failed_attempts is 'At the oldest message that is not delivered.';
comment on column webhooks.attempt_at is 'When that message is tried again; null for at once.';
comment on column webhooks.lease_until is 'Until then one server delivers, and no other does.';
comment on table webhook_secrets is 'What messages are signed with: each with all of its webhook that have not expired.';
comment on column webhook_secrets.expires_at is 'Null for the newest; the others are valid for 24 hours after the next was made.';
comment on table webhook_outbox is 'What webhooks are to be told and what has no place in their order yet: nearly always empty. Written by the transaction that is the cause, a short row that needs no lock.';
comment on column webhook_outbox.subject is 'The purchase, the listing or the case.';
comment on column webhook_outbox.snapshot is 'What of it may have changed when it is read: a listing as replies carry it, the state of a case.';
comment on table webhook_messages is 'What is sent, byte for byte, and the order in which it is sent. One server at a time gives ordinals, so they are committed in their order: whoever has read up to one has read all below it. Kept for 30 days.';
comment on column webhook_messages.id is 'Sent as webhook-id.';
comment on table webhook_deliveries is 'Each attempt, and what the receiver answered. The newest of each webhook are kept.';
comment on column webhook_deliveries.status is 'Null if there was no answer: then error says why.';
comment on column webhook_deliveries.answer is 'The beginning of its body.';
comment on function note_for_webhooks(text,uuid,json) is 'Notes what just happened, if a webhook wants to know it.';
comment on table pauses is 'The pause of the market: one row, or none while it is open.';
comment on table blocks is 'Wallets that may neither list nor hold. Counts until `until`, or until it is deleted.';
comment on column blocks.takes_listings is 'The wallet''s listings go back to it, those that are held as soon as their hold has ended unpaid.';
comment on table token_rules is 'What the studio allows of a drink: whole lamports for one, listings of a wallet at a time, and what a wallet may spend on it in a UTC day. Null: no such rule.';
comment on function share_restrictions() is 'Taken before any row is locked, so that nobody who waits for it makes others wait. What is read after it holds until the transaction ends.';
comment on function restriction_of(text) is 'Why a wallet may neither list nor hold anything now; null if it may.';
comment on function broken_price_rule(text,bigint,bigint) is 'The rule of the unit price that so many drinks for so many lamports break; null if none. The rules are whole lamports, so that no part of a listing that keeps them breaks one, and no rest.';
comment on index purchases_settled_by_buyer is 'What a wallet has bought today.';
comment on function bought_today(text,text,uuid[]) is 'What a wallet buys of a drink today, by UTC, in lamports: what was delivered, and what it holds. p_replaced: the listings that it is about to hold, whose former holds do not count.';
comment on function broken_daily_rule(text,uuid[],bigint[]) is 'The rule of a wallet''s day that a purchase would break; null if none. Exact once the buyer''s row in players is locked.';
comment on function listing_restriction(text,text,bigint,bigint) is 'Why a wallet may not list this now; null if it may. max_listings: how many listings of the drink it may have then, which is counted once the wallet''s balance is locked; null if that is not limited. The first statement of a transaction that lists.';
comment on function take_back(listings) is 'Returns a listing that nobody holds to its seller, under its lock. False if the seller''s balance has no room: then it stays on the market.';
comment on function take_back_listings(text,uuid,integer) is 'Returns a seller''s listings to it, the next p_limit after one of them; those that buyers hold stay. last: where to go on; null at the end.';
comment on function decide_hold(text,uuid[],bigint[],bigint,boolean,integer,integer,integer,integer,text) is 'The rules of a purchase that need no chain: first whether the market is paused or the wallet blocked, then the rules of its items, in their order, then those of the wallet, then those of the payment. Returns the code of the refusal; refused: the listing it is about; restriction: of PAUSED, BLOCKED and RULE_BROKEN, what the studio has set; retry_seconds: of a COOLDOWN; allowed: of TOO_MANY_HOLDS, how many items, or null if it is the purchases that are too many. Without one, what is to be paid: in all, as a fee, and to each seller.';
comment on function check_hold(text,uuid[],bigint[],bigint,boolean,boolean,integer,integer,integer,integer,text) is 'Decides about a hold as far as that is possible without the chain, whose requests are scarce, and without waiting for the lock of a listing that somebody else is about to hold. Returns the same hold to a buyer who has it already, or the code of a refusal; neither if place_hold may succeed.';
comment on function place_hold(text,uuid[],bigint[],bigint,boolean,boolean,integer,integer,integer,integer,text,text,text,bigint,bigint,bigint,integer,bigint,text[],bigint[]) is 'Holds all items of a purchase for a buyer who is about to pay, or none, in one transaction: locks, decides again as check_hold did, splits and writes. Holds on them that may end unsent end first. p_spendable: what the wallet''s SOL leaves for prices and fees; p_network_fee: lamports for each payment; p_balances: the lamports of those sellers whose account might stay below p_rent_minimum. needed_amount: of PART_TOO_SMALL, how much of the listing it takes; null if all of it is too little.';
comment on table database_identity is 'Which database this was when a server last knew that nothing is missing. Empty until the first one has started.';
comment on column database_identity.files is 'Which files they were, of a built-in database: a copy has others.';
comment on function current_identity() is 'The cluster, the database in it, and the timeline of its log: a restored dump is another database, and each fail-over and each restore to a point in time begins another timeline. Null on a stand-by.';
comment on function is_in_doubt() is 'Whether this may be an earlier state of the database, because no server has said yet that nothing is missing.';
comment on table rewinds is 'Times when the database went back to an earlier state, or may have. The market is paused until one has ended: when a recovery has found nothing, or the studio has accepted what one could not check.';
comment on column rewinds.cause is 'restored: a server started on another database than before. lost: a running server missed what it had read. asked: by the studio.';
comment on column rewinds.expiry_height is 'Above this block height nothing can land any more that was signed before the first recovery began.';
comment on function current_pause() is 'Why nothing can be listed or held now: the studio''s pause, or else a rewind; no row while the market is open.';
comment on table chain_slots is 'How far the chain was when, noted every 20 seconds and kept for two days: what came after a backup, came after its last one.';
comment on table recoveries is 'Searches of the chain for payments that the database does not know, and how far each has come.';
comment on column recoveries.since is 'Up to then the database knows everything.';
comment on column recoveries.part is 'waiting: until nothing can land any more that was signed before. listing: the transactions of each wallet. reading: these transactions.';
comment on column recoveries.since_slot is 'A slot before the first payment that can be missing. Null until the chain was asked.';
comment on column recoveries.needed_slot is 'The database was written at this slot or later: an endpoint must keep at least what has landed since.';
comment on column recoveries.block_height is 'Of the finalized chain, while it waits for expiry_height.';
comment on column recoveries.fee_wallets is 'Who has received fees, besides the sellers.';
comment on column recoveries.last_wallet is 'Wallets up to this one, in their order, are listed.';
comment on column recoveries.payments is 'Payments found that carry a reference of ours.';
comment on column recoveries.refunds is 'Refunds found that the database does not know: the first of them.';
comment on table recovery_signatures is 'Transactions that a recovery has listed and not read yet.';
comment on function is_frozen(text) is 'Whether a seller''s listings are neither sold nor returned: one of them was paid for in a purchase that the database has lost, and nobody knows which.';
comment on function frozen_sellers() is 'As is_frozen, all of them.';
comment on function row_to_sell(purchase_items,uuid[]) is 'The row to sell for an item of an ended purchase that is paid after all; null if somebody else holds or has it, if that much is not left, or if it would cost more now: after the end, prices and amounts may have changed by parts. Of a part that was merged, the listing pays: as much of it is split off, or all that is left of it is sold. p_taken: the rows that other items of the purchase take.';
comment on function rows_to_sell(purchases) is 'The rows that deliver the items of a paid purchase, fewer than it has items if one of them cannot be delivered. A purchase that holds its items holds exactly what was agreed.';
comment on table studio_staff is 'What calls have said of wallets at the studio''s desk. It comes before the setting STUDIO_WALLETS, so a wallet that was taken off keeps its row.';
comment on table studio_challenges is 'Texts that wallets of the staff sign, each for one call. Kept for a while when used or expired, so that a repetition hears why it is refused. Unlogged, because a crash of the database that loses them makes somebody sign again, and never lets a signature count twice.';
comment on function trade_time(timestamp with time zone) is 'A time as replies show it, in whole milliseconds: whoever sorts trades by what was shown gets the order in which candles open and close.';
comment on function unit_lamports(bigint,bigint) is 'What one costs, in whole lamports (nine decimals of SOL); a half is rounded up. Exact: only integers.';
comment on function candle_start(text,timestamp with time zone) is 'When the candle begins that a time belongs to: a whole step in UTC, whatever the time zone of the session.';
comment on index sales_as_trades is 'Trades in their order, which is that of their times and then of their ids; of one token by the next index.';
comment on view trades is 'The sales whose payment the chain has kept.';
comment on table candles is 'What was traded of a token in a step of time, from its start up to the next. Steps without a trade have none. Written by roll_up_sales alone, which never adds to one: it derives those again in which something was sold or undone. open, high, low and close are unit_lamports.';
comment on column candles.lamports is 'What was paid in all, without fees. In numeric, as the sum of the highest prices is no bigint.';
comment on table candles_head is 'The watermark: candles show all sales up to this ordinal, and none after it. Its row is also the lock that lets one roll_up_sales work at a time.';
comment on function derive_candle(text,text,timestamp with time zone) is 'A candle from all its trades, or from the candles of the next shorter step. trades is 0 if there is nothing in it.';
comment on function renew_candles(text,text[],timestamp with time zone[]) is 'Derives the candles again that these times of these tokens belong to.';
comment on function roll_up_sales(integer) is 'Has the candles show the next sales in their order, at most p_limit, and returns how many it went on by. Only one at a time works, and nothing that lists, holds or delivers waits for it.';
comment on table pay_links is 'Links that a wallet on a phone buys through: each for an amount of a listing, for ten minutes, with one open hold at a time, and paid once.';
comment on column pay_links.maker is 'The network that the link was made from, as a keyed hash.';
comment on column pay_links.maker_wallet is 'Who made it; null if nobody was signed in.';
comment on column pay_links.purchase_id is 'The hold that it placed last.';
comment on table pay_link_holds is 'Holds that were placed through links. Nobody has proved that the account asked for one, so they count against whoever made the link as well. Kept as long as an abandoned hold counts.';
comment on function link_limits(bytea,text,text,uuid,integer) is 'Whether links of a maker may hold a listing, for an account if one is named; null if so. A cooldown of the listing as for wallets, for maker and account alike; after as many abandoned holds within an hour as there may be open ones, none for the rest of that hour; and no more open holds than a wallet may have, those of the maker''s own wallet included.';
comment on function link_refusal(pay_links,text,integer) is 'Why an account cannot hold through a link now; null if it may, or has its hold already. What nobody has proved to be a wallet''s own wish may be one open hold of it, and never changes one that the wallet has placed itself.';
comment on function lock_link_subject(text,text) is 'Makes counting exact, also for those who never signed in and have no row to lock. In this order, after the link and before all other rows: maker, wallet, account.';
comment on function make_pay_link(uuid,bytea,bytea,text,integer,text,integer,integer,integer) is 'Makes a link for all that is left of a listing, at its price now. Or the code of a refusal; restriction: of PAUSED and BLOCKED, what the studio has set; retry_seconds: of COOLDOWN and PAY_LINK_LIMIT.';
comment on function place_link_hold(text,uuid[],bigint[],bigint,boolean,boolean,integer,integer,integer,integer,text,text,text,bigint,bigint,bigint,integer,bigint,text[],bigint[],uuid) is 'What place_hold does, for an account that pays through a link: decided again and noted for the link in the same transaction.';
comment on table alerts is 'Prices that players want to hear of. Each fires once, and stays until its player deletes it or needs its place.';
comment on column alerts.below_lamports is 'What one may cost at most; compared with unit_lamports.';
comment on column alerts.fired_lamports is 'What one cost at that moment.';
comment on table push_keys is 'The VAPID keys (RFC 8292) by which push services know this market, of all servers: generated when they are first needed. Subscriptions are made for the public key, so they are lost with it.';
comment on table push_subscriptions is 'Browsers that show pushes. Each belongs to a session, and is gone when that ends.';
comment on column push_subscriptions.endpoint is 'Of the browser''s push service. Whoever knows it and the keys can show messages there.';
comment on column push_subscriptions.failed_attempts is 'Since the last push that was taken. Raised when an attempt begins, so that one during which a server is killed counts.';
comment on column push_subscriptions.attempt_at is 'Before that, nothing is sent: an attempt is under way, or the one before failed.';
comment on table pushes is 'What browsers are to show and have not been sent: nearly always empty. Written in the transaction of its cause, sent for an hour.';
comment on column pushes.quantity is 'Of an alert what one cost, in lamports; of a sale how many were sold.';
comment on table pushes_head is 'The watermark: sellers have been told of all sales up to this ordinal. Its row is also the lock that lets one push_sales work at a time.';
comment on function render_alert(alerts) is 'An alert as replies and events carry it.';
comment on function queue_push(text,text,text,bigint) is 'Has the browsers of a wallet show something. One that is sent nothing for long, as its push service does not answer, has at most 100 waiting.';
comment on function cheapest_offer(text,text[],text) is 'What one costs at least now, in whole lamports: the floor, as depth and summary show it. Without the listings of frozen sellers, and with a wallet without its own. Null if none is for sale.';
comment on function fire_alerts(integer,text[],uuid) is 'Fires the alerts whose price is on the market now, at most p_limit, and returns how many; with p_only at most that one. What frozen sellers offer does not count. Row locks let any number of servers do this at the same time: an alert that another is firing is left to it.';
comment on function push_sales(integer) is 'Tells sellers of the next sales in their order, at most p_limit, and returns how many it went on by. Only one at a time works, and nothing that lists, holds or delivers waits for it.';
comment on function lease_pushes(integer) is 'Takes the oldest push of each of at most p_limit browsers to which nothing is being sent. The next attempt at a browser is made when this one has succeeded, else after half a minute, two, ten, and then half an hour each.';
comment on index sales_of_buyer is 'What a player bought in its order, which is that of trades; what one sold by the next index.';
comment on index transfers_of_orders_by_wallet is 'What the studio credited to a player and debited.';

insert into migrations (name, checksum, compatible) values
  ('0001-sign-in.sql', '6291e3d52874ecba9135dd0a515858d554aa8fe095ac40f29ea5afe1cd9763de', false),
  ('0002-ledger.sql', 'f9a546d972a56c42d6272fa3f59ea704d32dc6356f9ad5c77880766160dcb308', false),
  ('0003-events.sql', 'b2de72321dc1a8e8a237a360123c5151ec924951a05fc3b8e883089a49e3c3a9', false),
  ('0004-listings.sql', '8765326115b568f09662a315700898a4bf72ce8b9b26b6be61ca119c31835b14', false),
  ('0005-purchases.sql', '1da41d4c6e5e9cd319147f8a83593ae4522c1f36f22ad6ff99a832176c8b5c64', false),
  ('0006-holds.sql', '6736d0eb21196d0c9bdc06ca007248d8a56e7eb00f9f6488a87772416853f99a', false),
  ('0007-release.sql', '150a675d00c34ecfe047c588a957befe34a4104913527b5b6165e676541ce314', false),
  ('0008-audits.sql', 'c9cf2ab835ecf0f107c715c06adde2eb8994fa7fa2c0904d5c5f7e2b87e4e3fa', false),
  ('0009-due-purchases.sql', 'fbfd18c2368b583dd5d0b611814ac6f1cd52b31fe9b2c1c2051ebadde42f8a8a', false),
  ('0011-older-servers.sql', '1c47ae079a6e30491b726350d0f0d54a5e9ec19abd40de6bc8a6d0f406132b3b', false),
  ('0013-outages.sql', '79e9dfb5bcc0522ec257aeefe65fc5dd72c6f43b8e99af84f403cb271cc4dbb6', false),
  ('0014-holds-of-a-buyer.sql', '818c30abc2650bf65d99b8f711c80c090f72485520b5ec4213415919386d5c51', false),
  ('0015-divisible-listings.sql', '347c955737dec436f70bce9f022e2aa10faa2bb25c2967fcb7d035717799fcce', false),
  ('0016-purchase-items.sql', '75e628a52d68a2b520da263fac129b10944234a1f0acc535e823544ea1442a5a', false),
  ('0017-holds-of-several-items.sql', '81c36eac0c674f13c6ce3e2d64e49e9a7bffc3b9d573e4588ac3ee8739c4b7d3', false),
  ('0018-studio-keys.sql', '4726e7960038494202df4424320d60cdbe5282966bc7b5baa4a0f84245b2b891', true),
  ('0019-sales.sql', 'd1251f0544dae7e45cf3f11270d7a9915dd93108129424d4525ab1fcb0d67a36', false),
  ('0020-webhooks.sql', 'f3ff6ccc9ec7fd31bdfb761f05020e0842da795059f1978169c6705a9ccb023b', false),
  ('0021-restrictions.sql', '8a5bc627bb9f86da5b3f9a26c66274bda10f4b8639fc084c18fb273affdd23b3', false),
  ('0022-recovery.sql', '73d89ce572230fbd8c8f3846f22576b16d31fe9e3a27f524ec4c0e55d25d8585', false),
  ('0024-deliveries-in-one-statement.sql', '5649348c0f59004376b1522e57b4886905a6d309a66d651ae20986ee25acd8f4', false),
  ('0025-staff.sql', 'f0d891fee38959e4c8882f1276bd818c04889c1884e33f454124cad2b855b204', true),
  ('0026-catalogue.sql', '4dddb4ede32432538fb7e3f7519e52c51210715689242978289c0afb19ba205d', true),
  ('0027-candles.sql', 'c0cb673d6f801a9d7c2fcf97de77e098df119125bd88461e417de9a959f1a65e', true),
  ('0028-pay-links.sql', '2385bd4c7ad3ac5451c10fa62809b08da5c46a3927972880f55d1062ad1e6d6f', false),
  ('0029-alerts.sql', '9d49dec33d6fa7442ce0620543d9dd28056d2600b55def9a00144f355f9eec59', true),
  ('0030-desk-lists.sql', 'a5ec4e43d743a36652236a0200b0fabe18d3111596e408d646db1e6b167f9fbd', true),
  ('0031-ledger-of-a-player.sql', '0ee327754cf6ddd7caf4cbff38b44716e3d39d08bacb1f33e1f2ec7f6766d04e', true);
