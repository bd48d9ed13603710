-- The database as migrations and functions leave it, for reading; nothing applies this file. `npm run schema` writes it, and a test compares
-- it with a migrated database.

-- A function may call others that come after it.
set check_function_bodies = off;

create extension pg_trgm;

-- A UUID version 7 by the database's clock: ids sort by age. PostgreSQL has uuidv7() only from version 18.
create function new_id() returns uuid language sql as $$
  select encode(
    set_bit(set_bit(
      overlay(uuid_send(gen_random_uuid())
        placing substring(int8send((extract(epoch from clock_timestamp()) * 1000)::bigint) from 3) from 1 for 6),
      52, 1), 53, 1),
    'hex')::uuid
$$;

-- A time as replies show it, in whole milliseconds: whoever sorts trades by what was shown gets the order in which candles open and close.
create function trade_time(p_time timestamptz) returns timestamptz language sql immutable as $$
  select date_bin('1 millisecond', p_time, '2000-01-01 00:00:00+00'::timestamptz)
$$;

-- What one costs, in whole lamports (nine decimals of SOL); a half is rounded up. Exact: only integers.
create function unit_lamports(p_lamports bigint, p_amount bigint) returns bigint language sql immutable as $$
  select (2 * p_lamports + p_amount) / (2 * p_amount)
$$;

-- The migrations that were applied. A server whose own files differ from them does not start.
create table migrations (
  name text primary key,
  -- SHA-256 of the file, in hex.
  checksum text not null,
  applied_at timestamptz not null default now(),
  -- Servers that do not know this migration may run on the database.
  compatible boolean not null default false
);

-- Every wallet that has ever signed in. Its row is also the lock that serializes the purchases of one buyer.
create table players (
  wallet_address text primary key,
  created_at timestamptz not null default now()
);

-- One open sign-in request per wallet, deleted when its nonce is used and some time after it expires. Unlogged, because a nonce need not
-- reach the disk before it is sent: only a crash of the database loses the open ones, and those players ask for another.
create unlogged table sign_in_nonces (
  wallet_address text primary key,
  nonce text not null,
  expires_at timestamptz not null
);
create index sign_in_nonces_by_expiry on sign_in_nonces (expires_at);

-- A session JWT carries the id of its row. Setting revoked_at ends the session on every server.
create table sessions (
  id uuid primary key,
  wallet_address text not null references players(wallet_address),
  created_at timestamptz not null default now(),
  expires_at timestamptz not null,
  revoked_at timestamptz
);
create index sessions_by_expiry on sessions (expires_at);
create index sessions_by_wallet on sessions (wallet_address) where revoked_at is null;

-- What is traded here, or once was. Each server writes its catalogue here when it starts; an item that has left the catalogue keeps its
-- row, for those who bought it.
create table token_types (
  token_type text primary key constraint token_types_code check (token_type ~ '^[A-Z][A-Z0-9]*(_[A-Z0-9]+)*$' and char_length(token_type) <= 40),
  name text not null constraint token_types_name check (name <> ''),
  -- When a server first had it in its catalogue; null for those of the three drinks that no server has had yet.
  first_seen_at timestamptz
);
insert into token_types (token_type, name, first_seen_at) values
  ('APPLE_JUICE', 'Apple Juice', NULL),
  ('GRAPE_SODA', 'Grape Soda', NULL),
  ('ORANGE_JUICE', 'Orange Juice', NULL);

-- The tokens a wallet can use now. Those in its active listings are in escrow: see listings.amount.
create table balances (
  wallet_address text not null,
  token_type text not null references token_types(token_type),
  -- The upper bound keeps every balance exact in a JSON number.
  amount bigint not null constraint balance_bounds check (amount >= 0 and amount <= 9007199254740991),
  primary key (wallet_address, token_type)
);

-- Every movement of tokens, append-only. Each has two sides, listed in ledger_entries:
--   credit: studio to wallet     debit: wallet to studio
--   escrow: wallet to listing    return: listing to its seller    sale: listing to the buyer
--   split: listing to its part   merge: part to its listing
-- A listing is its own escrow account, so a seller with many listings does not queue on one row.
create table transfers (
  id bigint primary key generated always as identity,
  kind text not null check (kind in ('credit', 'debit', 'escrow', 'return', 'sale', 'split', 'merge')),
  token_type text not null,
  amount bigint not null check (amount >= 1 and amount <= 1000000000),
  wallet_address text not null,
  listing_id uuid,
  idempotency_key text,
  created_at timestamptz not null default now(),
  -- The listing that the part listing_id is split from or merges into.
  parent_id uuid,
  -- Where the idempotency key of a credit or debit is known: empty for those that all keys without a daily limit share. Null: everywhere,
  -- since it was posted before there were any.
  namespace text,
  check ((kind in ('credit', 'debit')) = (listing_id is null)),
  check ((kind in ('credit', 'debit')) = (idempotency_key is not null)),
  constraint transfers_parent check ((kind in ('split', 'merge')) = (parent_id is not null))
);
create index transfers_by_wallet on transfers (wallet_address, token_type);
-- A listing, or a part, takes its tokens into escrow only once.
create unique index transfers_into_escrow on transfers (listing_id) where kind in ('escrow', 'split');
-- A listing, or a part, releases its tokens only once: the database itself refuses a second sale.
create unique index transfers_out_of_escrow on transfers (listing_id) where kind in ('return', 'sale', 'merge');
-- What the studio credited and debited in a day.
create index transfers_of_orders on transfers (created_at) include (kind, token_type, amount) where kind in ('credit', 'debit');
-- What the studio credited to a player and debited.
create index transfers_of_orders_by_wallet on transfers (wallet_address, trade_time(created_at), id) where kind in ('credit', 'debit');
create unique index transfers_idempotency_key_key on transfers (idempotency_key, coalesce(namespace, ''));

-- The outbox: written in the transaction that makes the change, read by every server in the order (xid, id). Order by id alone would
-- lose events, because a lower id may commit after a higher one was read. Nothing can still appear below the oldest running
-- transaction, so readers stop there.
create table events (
  id bigint primary key generated always as identity,
  xid xid8 not null default pg_current_xact_id(),
  type text not null,
  -- The wallets whose streams carry the event; null for all streams.
  audience text[],
  -- The event as the stream sends it, its type included.
  data json not null,
  created_at timestamptz not null default now()
);
create index events_in_order on events (xid, id);
create index events_by_age on events (created_at);

-- Offers of tokens for SOL. Each order and filter of the market has its index, so that every page is one walk along an index. The
-- fillfactor leaves room on each page for the new row of a hold, which then needs no entry in any of them (HOT).
create table listings (
  id uuid primary key default new_id(),
  seller text not null,
  token_type text not null references token_types(token_type),
  -- While the listing is active, these tokens are in escrow here.
  amount bigint not null check (amount >= 1 and amount <= 1000000000),
  price_lamports bigint not null constraint listings_price_bounds check (price_lamports >= 1 and price_lamports <= 1000000000000000),
  unit_lamports numeric not null generated always as (round(price_lamports::numeric / amount::numeric, 9)) stored,
  -- reserved: a part that a purchase holds and that has no card on the market. merged: a part that went back to the listing it was split
  -- from.
  status text not null default 'active' check (status in ('active', 'reserved', 'sold', 'removed', 'merged')),
  -- The purchase that holds the listing.
  held_by uuid,
  -- When the payment window of that purchase closes.
  held_until timestamptz,
  created_at timestamptz not null default now(),
  -- When it left the market; of a part, when it was split off without entering it.
  closed_at timestamptz,
  -- The listing as replies and events carry it, rendered on write: rendering fifty rows on every read would cost more than the rest of a
  -- market page. That of a closed listing may lack fields that were added since: it is rendered when it is read.
  reply_json text not null default '',
  -- The purchase that holds the listing is unprovable. Cleared with the hold.
  waits_for_studio boolean not null default false,
  -- Buyers may take a part. Each drink then costs at least a lamport, so that every part has a price, and so has the rest.
  divisible boolean not null default false,
  -- The listing that this part was split from.
  part_of uuid references listings(id),
  -- What the seller listed, of a listing that was split or whose price was changed; null until then. The rest and the parts add up to it.
  whole_amount bigint,
  -- As whole_amount, its price.
  whole_lamports bigint,
  -- How much was left when its seller last changed the price; null while it has its first one.
  priced_amount bigint,
  -- As priced_amount, its new price.
  priced_lamports bigint,
  -- When that was.
  priced_at timestamptz,
  check ((held_by is null) = (held_until is null)),
  check ((status = 'active') = (closed_at is null)),
  constraint listings_divisible_check check (not divisible or price_lamports >= amount),
  constraint listings_listed_price check (part_of is not null or coalesce(whole_lamports, price_lamports) >= 1000000 and (coalesce(whole_lamports, price_lamports) % 1000000) = 0),
  constraint listings_held check (held_by is null or (status in ('active', 'reserved'))),
  constraint listings_reserved check (status <> 'reserved' or held_by is not null),
  constraint listings_parts check (part_of is not null or (status <> all (array['reserved', 'merged']))),
  constraint listings_whole check ((whole_amount is null) = (whole_lamports is null) and (part_of is null or whole_amount is null)),
  constraint listings_rest check (amount <= whole_amount and (priced_lamports is not null or price_lamports <= whole_lamports)),
  constraint listings_priced check ((priced_amount is null) = (priced_lamports is null) and (priced_amount is null) = (priced_at is null) and priced_lamports >= 1000000 and (priced_lamports % 1000000) = 0)
) with (fillfactor=90);
-- This and the next two say "active" as "closed_at is null", those of one token or seller as "status = 'active'". A query uses one of
-- the two, so that the planner cannot read the whole market for one token and discard the rest.
create index listings_newest on listings (id) where closed_at is null;
create index listings_by_price on listings (price_lamports, id) where closed_at is null;
create index listings_by_unit_price on listings (unit_lamports, id) where closed_at is null;
-- Includes the seller, as the next two do: a search may walk far along these indexes and then reads nothing else.
create index listings_by_token on listings (token_type, id) include (seller) where status = 'active';
create index listings_by_token_price on listings (token_type, price_lamports, id) include (seller) where status = 'active';
create index listings_by_token_unit_price on listings (token_type, unit_lamports, id) include (seller) where status = 'active';
create index listings_by_seller on listings (seller, id);
create index listings_by_seller_token on listings (seller, token_type, id) where status = 'active';
create index listings_by_seller_token_price on listings (seller, token_type, price_lamports, id) where status = 'active';
create index listings_by_seller_token_unit_price on listings (seller, token_type, unit_lamports, id) where status = 'active';
-- The parts that may merge again.
create index listings_open_parts on listings (part_of) where part_of is not null and (status in ('active', 'reserved'));
-- What became of the parts of a listing.
create index listings_parts on listings (part_of) where part_of is not null;

-- Everyone who has ever listed anything: a search by seller reads a few thousand addresses instead of a million listings.
create table sellers (
  seller text primary key
);
-- Without fastupdate: its list of pending entries would have to be read by every search.
create index sellers_by_substring on sellers using gin (lower(seller) gin_trgm_ops) with (fastupdate=off);

-- What a player pays for at the request of a game. Whoever knows the public identifier may pay.
create table checkouts (
  id uuid primary key default new_id(),
  public_id text not null unique check (public_id ~ '^[A-Za-z0-9_-]{24}$'),
  token_type text not null references token_types(token_type),
  amount bigint not null check (amount > 0),
  -- The most that it may cost, the fee included; null without a limit.
  max_lamports bigint check (max_lamports >= 0),
  -- The only wallet that may pay; null for any.
  wallet text,
  client_reference text check (char_length(client_reference) >= 1 and char_length(client_reference) <= 200),
  return_url text not null check (char_length(return_url) <= 2048),
  expires_at timestamptz not null,
  -- An open one whose time is over has expired, although this says so up to a second later.
  status text not null default 'open' check (status in ('open', 'paying', 'completed', 'expired')),
  -- The purchase that pays for it, or has paid, which refers to it in turn.
  purchase_id uuid,
  -- When its page was first opened.
  opened_at timestamptz,
  -- Whose key or wallet made it.
  created_by text not null,
  -- Of the studio keys that share idempotency keys.
  key_namespace text not null,
  idempotency_key text not null check (char_length(idempotency_key) >= 1 and char_length(idempotency_key) <= 128),
  request jsonb not null,
  created_at timestamptz not null default now(),
  unique (key_namespace, idempotency_key),
  check ((status in ('paying', 'completed')) = (purchase_id is not null))
);
create index checkouts_to_expire on checkouts (expires_at) where status = 'open';
create index checkouts_by_reference on checkouts (client_reference, id) where client_reference is not null;
create index checkouts_by_status on checkouts (status, id);

-- A hold on one listing or several, and what became of it. Every transaction takes its row locks in the same order: the buyer's player row,
-- the listings by their id, the purchase, the cases by their id, the balances by wallet and token.
create table purchases (
  id uuid primary key default new_id(),
  buyer text not null,
  -- Who is paid, each once, in the order of the items.
  sellers text[] not null,
  -- The sum of its items. The buyer pays the fee on top.
  price_lamports bigint not null,
  -- A public key made for this purchase alone. The payment carries it, so that it can be found on the chain and told apart from others.
  reference text not null unique,
  -- The chain that the payment belongs on.
  genesis_hash text not null,
  -- A slot that the chain had reached when the hold was placed: an earlier transfer cannot be its payment.
  held_at_slot bigint not null,
  -- True: only this product's servers broadcast the payment. False: the buyer's wallet may do so too.
  server_sends boolean not null,
  -- When the payment window closes; of a co-signed purchase, when it was reserved.
  pay_before timestamptz not null,
  cancel_requested boolean not null default false,
  status text not null default 'held' check (status in ('held', 'settled', 'ended')),
  end_reason text check (end_reason in ('cancelled', 'lapsed', 'expired', 'failed', 'chain_gone', 'released')),
  -- The payment that settled the purchase.
  signature text unique,
  -- Once the finalized chain is above this block height, no payment signed inside the payment window can land any more. Set after the
  -- window has closed.
  release_height bigint,
  -- When a server next reconciles the purchase with the chain. While one does, the end of its lease. Null: never.
  reconcile_at timestamptz default now(),
  reconciled_at timestamptz,
  reconciliations integer not null default 0,
  -- How often the buyer's own transactions were searched for the payment.
  buyer_scans integer not null default 0,
  created_at timestamptz not null default now(),
  settled_at timestamptz,
  ended_at timestamptz,
  finalized_at timestamptz,
  -- Since when every endpoint has an obstacle in history_searches, so that only the studio can end the hold. Null: the chain may still
  -- prove that no payment came.
  unprovable_at timestamptz,
  -- Why the studio released the hold, in words for buyer and seller.
  release_reason text check (char_length(release_reason) >= 1 and char_length(release_reason) <= 1000),
  -- When the payment window would have closed without outages. Null: none has extended it.
  agreed_pay_before timestamptz,
  -- The studio's rate when the hold was placed.
  fee_basis_points integer not null default 0 check (fee_basis_points >= 0 and fee_basis_points <= 1000),
  fee_lamports bigint not null default 0 check (fee_lamports >= 0),
  -- Who receives the fee; null if there is none to pay.
  fee_wallet text,
  -- Only the market can send the payment, since it signs last. Everything is reserved from the moment at which the bytes are recorded.
  co_signed boolean not null default false,
  -- Only a payment that carries the reference counts, as the setting was when it was held.
  needs_reference boolean not null default false,
  -- Its buyer has seen to it that it was not paid: of a co-signed purchase, the SOL was gone or the blockhash was too old soon after the
  -- bytes were recorded, or the SOL was gone when they expired; of a hold, its payment window was closed because the SOL was gone.
  unfunded boolean not null default false,
  -- Of a hold of a wallet that had never completed a purchase: a keyed hash of where it came from.
  network bytea check (octet_length(network) = 32),
  -- Of a hold: when a server last went to read the balance of its buyer.
  funds_read_at timestamptz,
  -- Of a hold: when its buyer's balance was last read, if that was too little for it.
  short_at timestamptz,
  -- Of the transactions that name the reference, up to which one, the oldest first, it is decided whether they pay for it. Null while they
  -- are few.
  decided_to text,
  -- Down to which of those transactions the list was followed without reaching the decided ones. Null to begin with the newest.
  listed_to text,
  -- The checkout that it was reserved for, or held.
  checkout_id uuid references checkouts(id),
  check ((status = 'settled') = (settled_at is not null)),
  check ((status = 'settled') = (signature is not null)),
  check ((status = 'ended') = (end_reason is not null)),
  check (status <> 'ended' or ended_at is not null),
  constraint purchases_sellers check (cardinality(sellers) >= 1 and cardinality(sellers) <= 10 and (buyer <> all (sellers))),
  constraint purchases_fee check ((fee_lamports > 0) = (fee_wallet is not null))
);
create index purchases_by_buyer on purchases (buyer, id);
create index purchases_by_finality on purchases (finalized_at, id) where status = 'settled';
create index purchases_due_open on purchases (reconcile_at) where reconcile_at is not null and (status = 'held' or status = 'settled' and finalized_at is null);
create index purchases_due_closed on purchases (reconcile_at) where reconcile_at is not null and not (status = 'held' or status = 'settled' and finalized_at is null);
-- What a wallet has bought today.
create index purchases_settled_by_buyer on purchases (buyer, settled_at) where status = 'settled';
create index purchases_held_from on purchases (network) where status = 'held' and network is not null;
-- A payment without a reference could not tell two such holds apart. Also finds the open purchases of a buyer.
create unique index purchases_no_ambiguous_holds on purchases (buyer, (
case
    when cardinality(sellers) = 1 and fee_lamports = 0 and not co_signed then (sellers[1] || ' ') || price_lamports
    else id::text
end)) where status = 'held';
create index purchases_left_unpaid on purchases (buyer, ended_at) where end_reason in ('cancelled', 'lapsed', 'expired', 'failed');
create index purchases_by_checkout on purchases (checkout_id) where checkout_id is not null;

-- Payments that the chain accepted and that could not be delivered.
create table cases (
  id uuid primary key default new_id(),
  purchase_id uuid references purchases(id),
  -- late: landed after the hold had ended. wrong: another amount or form than agreed. double: a second payment for one purchase.
  -- vanished: the chain dropped a payment for which tokens had moved.
  kind text not null check (kind in ('late', 'wrong', 'double', 'vanished', 'lost')),
  status text not null default 'open' check (status in ('open', 'refunding', 'delivered', 'refunded', 'closed')),
  signature text not null,
  lamports bigint not null check (lamports >= 0),
  -- Only a payment of the exact amount that carries the purchase's reference may still be delivered.
  deliverable boolean not null,
  -- Set when a refund is first prepared, and kept: the seller's wallet may sign and send it much later, with another blockhash.
  refund_reference text unique,
  -- While set, a prepared refund may still land, up to this block height, and the listing is not delivered.
  refund_expiry_height bigint,
  note text,
  -- As purchases.reconcile_at.
  reconcile_at timestamptz,
  opened_at timestamptz not null default now(),
  closed_at timestamptz,
  -- Who received the SOL and can return it. Null: the transaction paid nobody but the fee wallet.
  seller text,
  -- The fee that the same transaction paid, which the studio owes to the buyer. In the first case of a transaction only.
  fee_lamports bigint not null default 0 check (fee_lamports >= 0),
  -- Who paid, of a case without a purchase: lost, because the database has lost the purchase.
  buyer text,
  -- Of a lost case: the chain that shows the payment.
  genesis_hash text,
  -- Of a lost case: the slot of the payment. No refund is older.
  paid_at_slot bigint,
  -- False while the chain may still drop the payment: its seller cannot refund it yet. True of one too small to be followed.
  payment_final boolean not null default true,
  check ((status in ('delivered', 'refunded', 'closed')) = (closed_at is not null)),
  check (refund_expiry_height is null or refund_reference is not null),
  constraint cases_lost check ((kind = 'lost') = (purchase_id is null) and (kind = 'lost') = (buyer is not null) and (kind = 'lost') = (genesis_hash is not null) and (kind = 'lost') = (paid_at_slot is not null))
);
create index cases_by_status on cases (status, id);
create index cases_due on cases (reconcile_at) where reconcile_at is not null;
create index cases_by_seller on cases (seller, id);
create index cases_by_signature on cases (signature);
create index cases_by_buyer on cases (buyer, id) where buyer is not null;
create index cases_that_freeze on cases (seller) where kind = 'lost' and (status in ('open', 'refunding'));
create unique index cases_one_a_seller on cases (purchase_id, signature, seller, buyer, (kind = 'vanished')) nulls not distinct;

-- Every transaction that was recorded before it was broadcast, that settled a purchase, or that became a case. The primary key is
-- invariant I3: one signature serves one purpose.
create table payments (
  signature text primary key,
  kind text not null check (kind in ('purchase', 'refund')),
  -- Null for the refund of a case whose purchase is lost.
  purchase_id uuid references purchases(id),
  case_id uuid references cases(id),
  genesis_hash text not null,
  transaction_bytes bytea not null,
  -- Above this block height the transaction can no longer land.
  expiry_height bigint not null,
  -- recorded: broadcast until it lands or expires. settled: it counted. void: it expired, it landed and did not count, or another payment
  -- of its purchase counted.
  status text not null check (status in ('recorded', 'settled', 'void')),
  confirmed_at timestamptz,
  slot bigint,
  created_at timestamptz not null default now(),
  -- SHA-256 of the message that its signers sign, of a co-signed payment: its buyer can make many signatures of one message, but it is one
  -- payment.
  message_hash bytea check (octet_length(message_hash) = 32),
  check ((kind = 'refund') = (case_id is not null)),
  constraint payments_purchase check (purchase_id is not null or kind = 'refund')
);
create unique index payments_one_recorded on payments (purchase_id) where kind = 'purchase' and status = 'recorded';
create unique index payments_one_refund on payments (case_id) where kind = 'refund' and status <> 'void';
create index payments_by_purchase on payments (purchase_id);
create unique index payments_by_message on payments (message_hash) where message_hash is not null;

-- When a server last reached both this database and the chain.
create table heartbeat (
  only_row boolean primary key default true check (only_row),
  beat_at timestamptz not null
);

-- Times in which no server reached both this database and the chain, so that no payment could be submitted. Kept for 30 days.
create table outages (
  began_at timestamptz primary key,
  ended_at timestamptz not null,
  check (ended_at > began_at)
);

-- How far the finalized history of an address was searched for the payment of a hold beyond its release height, on one endpoint: first
-- every signature since the hold is listed, then each is decided, from the newest to the oldest. Written only if one look does not suffice.
-- What was searched stays searched, because nothing older than a finalized signature can be added.
create table history_searches (
  purchase_id uuid not null references purchases(id),
  endpoint text not null,
  address text not null,
  pages integer not null,
  -- The oldest signature listed so far.
  listed_to text,
  -- The list reaches back to the hold.
  listed boolean not null,
  -- This signature and all newer ones do not pay.
  decided_to text,
  -- No signature pays.
  decided boolean not null,
  -- Why this endpoint can never prove that no payment came. pruned: it keeps no blocks before first_slot, which is after the hold.
  -- too_many_pages: the address has more signatures than are searched. An endpoint that does not answer is none.
  obstacle text check (obstacle in ('pruned', 'too_many_pages')),
  first_slot bigint,
  updated_at timestamptz not null default now(),
  primary key (purchase_id, endpoint, address),
  check (listed or not decided),
  check ((not obstacle is distinct from 'pruned') = (first_slot is not null))
);

-- What was done through the studio API: by whom, with which call, to what, and why. Append-only.
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
  -- Whose key or wallet. Null of those that nobody has started by a call, or an older server has.
  started_by text
);
create unique index audits_one_running on audits ((true)) where finished_at is null;

-- What a seller's Idempotency-Key has done: created a listing, or changed its price. Asked for again, nothing is done again. Kept for a
-- day.
create table listing_keys (
  seller text not null,
  idempotency_key text not null check (char_length(idempotency_key) >= 1 and char_length(idempotency_key) <= 128),
  listing_id uuid not null references listings(id),
  created_at timestamptz not null default now(),
  -- The price to which the key has changed the listing; null if the key has created it.
  changed_lamports bigint,
  primary key (seller, idempotency_key)
);
create index listing_keys_by_age on listing_keys (created_at);

-- What a purchase is of, as it was agreed. All its items are held, paid and delivered together or not at all.
create table purchase_items (
  purchase_id uuid not null references purchases(id),
  place smallint not null check (place >= 1 and place <= 20),
  -- The row that is held and sold: a whole listing, or the part that was split off for this purchase.
  listing_id uuid not null references listings(id),
  -- The listing that the part was split from; null for a whole listing.
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

-- Keys for the studio API, besides STUDIO_API_KEY. They are never deleted, so that the holder of an old one hears what became of it.
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
  created_at timestamptz not null default now(),
  -- The key that made it. Null if that was STUDIO_API_KEY or one of the staff, or if it was made before this was recorded.
  maker_id uuid references studio_keys(id),
  -- Whose idempotency keys its orders have: those of the key that it replaces. Null: its own if it has a daily limit, otherwise those that
  -- all share.
  namespace text
);

-- What each key with a daily limit and the keys below it have credited on which day, in UTC. The rows of a key and of those above it are
-- locked, from the highest down, first of all that its orders lock.
create table studio_key_days (
  key_id uuid not null references studio_keys(id),
  day date not null,
  credited bigint not null check (credited >= 0),
  primary key (key_id, day)
);

-- Settled purchases, and those whose payment the chain has undone, that stamp_sales has not seen yet. Written by the transaction that
-- settles: a row of its own, so that none waits for another.
create table sales_to_stamp (
  id bigint primary key generated always as identity,
  purchase_id uuid not null,
  is_reversal boolean not null,
  noted_at timestamptz not null default now()
);

-- The last ordinal in sales. Its row is also the lock that lets one stamp_sales work at a time.
create table sales_head (
  only_row boolean primary key default true check (only_row),
  ordinal bigint not null
);
insert into sales_head (only_row, ordinal) values
  ('true', '0');

-- Every settled item, and its reversal if the chain undid the payment. Append-only. Ordinals are committed one after the other, after the
-- sale itself: whoever has read up to one has read everything below it. No foreign keys, which would have stamp_sales wait for locks on
-- purchases.
create table sales (
  ordinal bigint primary key,
  -- The same for all that was stamped together. Cursors carry it: after a restore, an ordinal that is given again has another time.
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
  -- Its share of the fee: by how much it raises the fee of the items before it, rounded down.
  fee_lamports bigint not null,
  fee_basis_points integer not null,
  signature text not null,
  -- Of a reversal: when the server found out.
  settled_at timestamptz not null,
  -- The checkout that it was sold through; null for a sale in the market.
  checkout_id uuid,
  -- What the game calls that checkout.
  client_reference text,
  constraint sales_once unique (purchase_id, is_reversal, place)
);
-- The sales of a day, for the statistics.
create index sales_by_time on sales (settled_at) where not is_reversal;
create index sales_undone on sales (purchase_id) where is_reversal;
-- Trades in their order, which is that of their times and then of their ids; of one token by the next index.
create index sales_as_trades on sales (trade_time(settled_at), purchase_id, place) where not is_reversal;
create index sales_as_trades_of_token on sales (token_type, trade_time(settled_at), purchase_id, place) where not is_reversal;
-- What a player bought in its order, which is that of trades; what one sold by the next index.
create index sales_of_buyer on sales (buyer, trade_time(settled_at), purchase_id, place) where not is_reversal;
create index sales_of_seller on sales (seller, trade_time(settled_at), purchase_id, place) where not is_reversal;

-- Addresses of the studio that are told what happens. Each is a queue of its own.
create table webhooks (
  id uuid primary key default new_id(),
  url text not null check (char_length(url) <= 2048),
  -- The types of the messages that it gets.
  events text[] not null check (cardinality(events) >= 1 and cardinality(events) <= 20),
  enabled boolean not null default true,
  -- Why it is not enabled. asked: by the studio. gone: its receiver answered 410. failed: ten attempts at one message failed.
  switched_off text check (switched_off in ('asked', 'gone', 'failed')),
  -- The ordinal of the last message that was delivered, or skipped.
  delivered_to bigint not null,
  -- Raised by each call that changes where the queue stands: what a server reports of the time before no longer counts.
  replays integer not null default 0,
  -- At the oldest message that is not delivered.
  failed_attempts integer not null default 0,
  -- When that message is tried again; null for at once.
  attempt_at timestamptz,
  lease_id uuid,
  -- Until then one server delivers, and no other does.
  lease_until timestamptz not null default now(),
  created_at timestamptz not null default now(),
  check (enabled = (switched_off is null))
);

-- What messages are signed with: each with all of its webhook that have not expired.
create table webhook_secrets (
  id bigint primary key generated always as identity,
  webhook_id uuid not null references webhooks(id) on delete cascade,
  secret text not null,
  -- Null for the newest; the others are valid for 24 hours after the next was made.
  expires_at timestamptz
);
create index webhook_secrets_by_webhook on webhook_secrets (webhook_id, id);

-- What webhooks are to be told and what has no place in their order yet: nearly always empty. Written by the transaction that is the cause,
-- a short row that needs no lock.
create table webhook_outbox (
  id bigint primary key generated always as identity,
  type text not null,
  -- The purchase, the listing, the case or the checkout.
  subject uuid not null,
  -- What of it may have changed when it is read: a listing as replies carry it, the state of a case.
  snapshot json,
  created_at timestamptz not null default now()
);

-- What is sent, byte for byte, and the order in which it is sent. One server at a time gives ordinals, so they are committed in their
-- order: whoever has read up to one has read all below it. Kept for 30 days.
create table webhook_messages (
  ordinal bigint primary key generated always as identity,
  -- Sent as webhook-id.
  id uuid not null default new_id() unique,
  type text not null,
  body text not null check (octet_length(body) < 20000),
  created_at timestamptz not null default now()
);
create index webhook_messages_by_type on webhook_messages (type, ordinal);
create index webhook_messages_by_age on webhook_messages (created_at);

-- Each attempt, and what the receiver answered. The newest of each webhook are kept.
create table webhook_deliveries (
  id bigint primary key generated always as identity,
  webhook_id uuid not null references webhooks(id) on delete cascade,
  message_id uuid not null,
  type text not null,
  attempt integer not null,
  sent_at timestamptz not null,
  latency_millis integer not null,
  -- Null if there was no answer: then error says why.
  status integer,
  error text,
  -- The beginning of its body.
  answer text not null
);
create index webhook_deliveries_by_webhook on webhook_deliveries (webhook_id, id);

-- The pause of the market: one row, or none while it is open.
create table pauses (
  is_now boolean primary key default true check (is_now),
  message text not null,
  actor text not null,
  since timestamptz not null default now()
);

-- Wallets that may neither list nor hold. Counts until `until`, or until it is deleted.
create table blocks (
  wallet_address text primary key,
  reason text not null,
  until timestamptz,
  -- The wallet's listings go back to it, those that are held as soon as their hold has ended unpaid.
  takes_listings boolean not null,
  actor text not null,
  since timestamptz not null default now()
);
create index blocks_by_time on blocks (since desc, wallet_address);

-- What the studio allows of a drink: whole lamports for one, listings of a wallet at a time, and what a wallet may spend on it in a UTC
-- day. Null: no such rule.
create table token_rules (
  token_type text primary key references token_types(token_type),
  min_unit_lamports bigint check (min_unit_lamports >= 0),
  max_unit_lamports bigint check (max_unit_lamports >= 0),
  max_listings integer check (max_listings >= 0),
  max_daily_lamports bigint check (max_daily_lamports >= 0),
  check (min_unit_lamports <= max_unit_lamports)
);

-- Which database this was when a server last knew that nothing is missing. Empty until the first one has started.
create table database_identity (
  only_row boolean primary key default true check (only_row),
  identity text not null,
  -- Which files they were, of a built-in database: a copy has others.
  files text
);

-- Times when the database went back to an earlier state, or may have. The market is paused until one has ended: when a recovery has found
-- nothing, or the studio has accepted what one could not check.
create table rewinds (
  id uuid primary key default new_id(),
  -- restored: a server started on another database than before. lost: a running server missed what it had read. asked: by the studio.
  cause text not null check (cause in ('restored', 'lost', 'asked')),
  found_at timestamptz not null default now(),
  -- Above this block height nothing can land any more that was signed before the first recovery began.
  expiry_height bigint,
  ended_at timestamptz,
  ended_by text,
  check ((ended_at is null) = (ended_by is null))
);
create unique index rewinds_one_open on rewinds ((true)) where ended_at is null;

-- How far the chain was when, noted every 20 seconds and kept for two days: what came after a backup, came after its last one.
create table chain_slots (
  seen_at timestamptz primary key default now(),
  genesis_hash text not null,
  slot bigint not null
);

-- Searches of the chain for payments that the database does not know, and how far each has come.
create table recoveries (
  id uuid primary key default new_id(),
  rewind_id uuid not null references rewinds(id),
  -- Up to then the database knows everything.
  since timestamptz not null,
  created_at timestamptz not null default now(),
  finished_at timestamptz,
  lease_id uuid,
  lease_until timestamptz not null default now(),
  failures integer not null default 0,
  -- waiting: until nothing can land any more that was signed before. listing: the transactions of each wallet. reading: these transactions.
  part text not null default 'waiting' check (part in ('waiting', 'listing', 'reading')),
  genesis_hash text,
  -- A slot before the first payment that can be missing. Null until the chain was asked.
  since_slot bigint,
  -- The database was written at this slot or later: an endpoint must keep at least what has landed since.
  needed_slot bigint,
  -- Of the finalized chain, while it waits for expiry_height.
  block_height bigint,
  expiry_height bigint,
  -- Who has received fees, besides the sellers.
  fee_wallets text[] not null,
  -- Wallets up to this one, in their order, are listed.
  last_wallet text not null default '',
  wallets integer not null default 0,
  wallets_listed integer not null default 0,
  transactions integer not null default 0,
  transactions_read integer not null default 0,
  -- Payments found that carry a reference of ours.
  payments integer not null default 0,
  cases_opened integer not null default 0,
  -- Refunds found that the database does not know: the first of them.
  refunds json not null default '[]'::json,
  unchecked json not null default '[]'::json,
  unchecked_count integer not null default 0,
  limits json not null default '[]'::json,
  -- How many refunds were found that the database does not know.
  refunds_count integer not null default 0
);
create unique index recoveries_one_running on recoveries ((true)) where finished_at is null;

-- Transactions that a recovery has listed and not read yet.
create table recovery_signatures (
  recovery_id uuid not null references recoveries(id),
  signature text not null,
  primary key (recovery_id, signature)
);

-- What calls have said of wallets at the studio's desk. It comes before the setting STUDIO_WALLETS, so a wallet that was taken off keeps
-- its row.
create table studio_staff (
  wallet_address text primary key,
  name text check (char_length(name) >= 1 and char_length(name) <= 64),
  scopes text[] not null check (cardinality(scopes) > 0),
  set_by text not null,
  set_at timestamptz not null default now(),
  removed_at timestamptz
);

-- Texts that wallets of the staff sign, each for one call. Kept for a while when used or expired, so that a repetition hears why it is
-- refused. Unlogged, because a crash of the database that loses them makes somebody sign again, and never lets a signature count twice.
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

-- What was traded of a token in a step of time, from its start up to the next. Steps without a trade have none. Written by roll_up_sales
-- alone, which never adds to one: it derives those again in which something was sold or undone. open, high, low and close are
-- unit_lamports.
create table candles (
  token_type text not null,
  step text not null check (step in ('5m', '1h', '1d')),
  start timestamptz not null,
  open bigint not null,
  high bigint not null,
  low bigint not null,
  close bigint not null,
  amount bigint not null,
  -- What was paid in all, without fees. In numeric, as the sum of the highest prices is no bigint.
  lamports numeric not null,
  trades bigint not null check (trades > 0),
  primary key (token_type, step, start)
) with (fillfactor=80);

-- The watermark: candles show all sales up to this ordinal, and none after it. Its row is also the lock that lets one roll_up_sales work at
-- a time.
create table candles_head (
  only_row boolean primary key default true check (only_row),
  ordinal bigint not null
);
insert into candles_head (only_row, ordinal) values
  ('true', '0');

-- Links that a wallet on a phone buys through: each for an amount of a listing, for ten minutes, with one open hold at a time, and paid
-- once.
create table pay_links (
  id uuid primary key default new_id(),
  token_hash bytea not null unique check (octet_length(token_hash) = 32),
  listing_id uuid not null references listings(id),
  amount bigint not null check (amount > 0),
  most_lamports bigint not null check (most_lamports > 0),
  -- The network that the link was made from, as a keyed hash.
  maker bytea not null check (octet_length(maker) = 32),
  -- Who made it; null if nobody was signed in.
  maker_wallet text,
  -- The hold that it placed last.
  purchase_id uuid references purchases(id),
  created_at timestamptz not null default now(),
  expires_at timestamptz not null
);
create index pay_links_by_maker on pay_links (maker, expires_at);
create index pay_links_by_wallet on pay_links (maker_wallet, expires_at) where maker_wallet is not null;
create index pay_links_by_expiry on pay_links (expires_at);

-- Holds that were placed through links. Nobody has proved that the account asked for one, so they count against whoever made the link as
-- well. Kept as long as an abandoned hold counts.
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

-- Prices that players want to hear of. Each fires once, and stays until its player deletes it or needs its place.
create table alerts (
  id uuid primary key default new_id(),
  wallet_address text not null references players(wallet_address),
  token_type text not null,
  -- What one may cost at most; compared with unit_lamports.
  below_lamports bigint not null check (below_lamports > 0),
  created_at timestamptz not null default now(),
  fired_at timestamptz,
  -- What one cost at that moment.
  fired_lamports bigint,
  check ((fired_at is null) = (fired_lamports is null))
);
create index alerts_by_wallet on alerts (wallet_address, id);
create unique index alerts_waiting on alerts (wallet_address, token_type, below_lamports) where fired_at is null;
create index alerts_to_fire on alerts (token_type, below_lamports) where fired_at is null;

-- The VAPID keys (RFC 8292) by which push services know this market, of all servers: generated when they are first needed. Subscriptions
-- are made for the public key, so they are lost with it.
create table push_keys (
  only_row boolean primary key default true check (only_row),
  public_key text not null,
  private_key text not null,
  created_at timestamptz not null default now()
);

-- Browsers that show pushes. Each belongs to a session, and is gone when that ends.
create table push_subscriptions (
  session_id uuid primary key references sessions(id) on delete cascade,
  wallet_address text not null,
  -- Of the browser's push service. Whoever knows it and the keys can show messages there.
  endpoint text not null unique check (char_length(endpoint) <= 1024),
  p256dh text not null,
  auth text not null,
  created_at timestamptz not null default now(),
  -- Since the last push that was taken. Raised when an attempt begins, so that one during which a server is killed counts.
  failed_attempts integer not null default 0,
  -- Before that, nothing is sent: an attempt is under way, or the one before failed.
  attempt_at timestamptz not null default now()
);
create index push_subscriptions_by_wallet on push_subscriptions (wallet_address, created_at);

-- What browsers are to show and have not been sent: nearly always empty. Written in the transaction of its cause, sent for an hour.
create table pushes (
  id uuid primary key default new_id(),
  session_id uuid not null references push_subscriptions(session_id) on delete cascade,
  kind text not null check (kind in ('alert', 'sale')),
  token_type text not null,
  -- Of an alert what one cost, in lamports; of a sale how many were sold.
  quantity bigint not null,
  created_at timestamptz not null default now()
);
create index pushes_by_subscription on pushes (session_id, id);
create index pushes_by_age on pushes (created_at);

-- The watermark: sellers have been told of all sales up to this ordinal. Its row is also the lock that lets one push_sales work at a time.
create table pushes_head (
  only_row boolean primary key default true check (only_row),
  ordinal bigint not null
);
insert into pushes_head (only_row, ordinal) values
  ('true', '0');

-- The functions that the database has had, as a whole; the last row are those it has. A server whose own are an earlier row leaves them
-- alone.
create table function_sets (
  id bigint primary key generated always as identity,
  -- SHA-256 of all their files, in hex.
  checksum text not null,
  -- The newest migration of the server that applied them.
  migration text not null,
  applied_at timestamptz not null default now()
);

-- Signed payments that the market has refused to sign, until their bytes expire: what was refused is never sent.
create table refused_payments (
  message_hash bytea primary key check (octet_length(message_hash) = 32),
  buyer text not null references players(wallet_address),
  reference text not null,
  code text not null,
  detail text,
  listing_id text,
  -- Above this block height the transaction can no longer land.
  expiry_height bigint not null,
  refused_at timestamptz not null default now(),
  -- The checkout that it should have paid for.
  checkout_id uuid
);
create index refused_payments_by_buyer on refused_payments (buyer);
create index refused_payments_by_age on refused_payments (refused_at);
create index refused_payments_by_checkout on refused_payments (checkout_id) where checkout_id is not null;

-- How far the finalized transactions that name a key of the market have been searched for payments that it signed and the database does not
-- know.
create table co_signer_histories (
  co_signer text not null,
  genesis_hash text not null,
  -- Everything up to this slot is decided. Null before the first search.
  done_slot bigint,
  -- Up to which slot the search under way decides, the newest first. Null between two searches.
  top_slot bigint,
  -- The signature down to which the search under way has decided. Null at its beginning.
  decided_to text,
  -- When to go on. A server that does so moves it on, so that no other does at the same time.
  due_at timestamptz not null default now(),
  primary key (co_signer, genesis_hash),
  check (decided_to is null or top_slot is not null)
);

-- Co-signed payments that became cases, in the order in which they did: whoever compares the market with the chain finds here what is no
-- trade.
create table unmatched_payments (
  ordinal bigint primary key,
  signature text not null unique,
  opened_at timestamptz not null default clock_timestamp()
);

-- Transactions on the chain that name the reference of a case's refund: the seller's wallet has sent the SOL back by itself, or may have.
-- Settlement reads them under its locks, so what one server has seen, no other delivers.
create table refunds_seen (
  case_id uuid not null references cases(id),
  signature text not null,
  -- Above this block height it can no longer land if the chain drops it.
  expiry_height bigint not null,
  seen_at timestamptz not null default now(),
  primary key (case_id, signature)
);

-- Payments below the least price of a listing: those of one purchase to one seller add up in one case, which names the first. None is
-- dropped, none counts twice, and none of them is delivered.
create table small_payments (
  case_id uuid not null references cases(id),
  signature text not null,
  lamports bigint not null check (lamports >= 0),
  fee_lamports bigint not null check (fee_lamports >= 0),
  primary key (case_id, signature)
);
create index small_payments_by_signature on small_payments (signature);

-- Both sides of every transfer: what leaves an account is negative, so the entries of a transfer add up to zero.
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

-- The sales whose payment the chain has kept.
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

-- The purchases that a wallet has left unpaid in the last 48 hours, with their listings and those that they were parts of, as the server
-- reads them. Without those that somebody else's link has placed for it: they count in link_limits, where nobody can use them to keep the
-- wallet from buying by itself.
create function abandonments(p_buyer text) returns json language plpgsql stable as $$
begin
  return (
    select coalesce(json_agg(json_build_object('at', json_time(p.ended_at), 'listingIds', (
      select json_agg(id) from (
        select listing_id as id from purchase_items where purchase_id = p.id
        union select part_of from purchase_items where purchase_id = p.id and part_of is not null
      ) named
    ))), '[]')
    from purchases p
    where buyer = p_buyer and end_reason in ('cancelled', 'lapsed') and ended_at > now() - interval '48 hours' and not co_signed
      and not exists (select from outages_so_far() o where o.began_at < p.pay_before and o.ended_at > p.created_at)
      and not exists (select from pay_link_holds h where h.purchase_id = p.id and h.maker_wallet is distinct from p_buyer)
  );
end
$$;

create function balance_event(p_wallet text) returns table(type text, audience text[], data json) language sql stable as $$
  select 'balance.changed', array[p_wallet], json_build_object('type', 'balance.changed')
$$;

-- Every server calls this every few seconds while it reaches the chain. A silence of more than 15 s is recorded as an outage once it is
-- over.
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

-- Raises JB003 if a purchase would take over a listing that another one holds.
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

-- Binds an open checkout to the purchase that was just reserved or held for it, under the locks of lock_reservation_facts.
create function begin_checkout(p_checkout uuid, p_purchase uuid) returns void language plpgsql as $$
begin
  update purchases set checkout_id = p_checkout where id = p_purchase;
  update checkouts set status = 'paying', purchase_id = p_purchase where id = p_checkout;
end
$$;

-- What was delivered to a wallet of an item today, by UTC, in lamports.
create function bought_today(p_buyer text, p_token_type text) returns numeric language plpgsql stable as $$
begin
  return (
    select coalesce(sum(i.price_lamports), 0)
    from purchases p join purchase_items i on i.purchase_id = p.id and i.token_type = p_token_type
    where p.buyer = p_buyer and p.status = 'settled' and p.settled_at >= date_trunc('day', now(), 'utc')
  );
end
$$;

create function candle_length(p_step text) returns interval language sql immutable as $$
  select case p_step when '5m' then interval '5 minutes' when '1h' then interval '1 hour' when '1d' then interval '24 hours' end
$$;

-- When the candle begins that a time belongs to: a whole step in UTC, whatever the time zone of the session.
create function candle_start(p_step text, p_time timestamptz) returns timestamptz language sql immutable as $$
  select date_bin(candle_length(p_step), p_time, '2000-01-01 00:00:00+00'::timestamptz)
$$;

-- Locks the cases of a payment. Returns those that are over once it counts; null if it is being paid back, or may be: a refund is reserved
-- or was prepared, or a server has seen one on the chain; or if it adds up with other small payments in a case.
create function cases_to_close(p_purchase uuid, p_signature text) returns uuid[] language plpgsql as $$
declare
  c cases;
  open_cases uuid[] := '{}';
begin
  for c in
    select * from cases where purchase_id = p_purchase
      and (signature = p_signature or id in (select case_id from small_payments where signature = p_signature))
    order by id for update
  loop
    if c.status in ('refunding', 'refunded', 'closed') or c.status = 'open' and c.refund_expiry_height is not null
        or exists (select from refunds_seen where case_id = c.id) or exists (select from small_payments where case_id = c.id) then
      return null;
    end if;
    if c.status = 'open' then
      open_cases := open_cases || c.id;
    end if;
  end loop;
  return open_cases;
end
$$;

-- What one costs at least now, in whole lamports: the floor, as depth and summary show it. Without the listings of frozen sellers, and with
-- a wallet without its own. Null if none is for sale.
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

-- What decides whether a checkout can be paid; null if there is none.
create function checkout_facts(p_public_id text) returns json language plpgsql stable as $$
begin
  return (
    select json_build_object('id', c.id, 'status', checkout_status(c), 'tokenType', c.token_type, 'amount', c.amount,
      'maxLamports', c.max_lamports::text, 'wallet', c.wallet)
    from checkouts c where public_id = p_public_id
  );
end
$$;

-- The status as it is now: the column of one that has just expired does not say so yet.
create function checkout_status(c checkouts) returns text language sql stable as $$
  select case when c.status = 'open' and c.expires_at <= now() then 'expired' else c.status end
$$;

create function close_delivered(p_cases uuid[]) returns void language plpgsql as $$
begin
  update cases set status = 'delivered', closed_at = now(), reconcile_at = null where id = any (p_cases);
  perform emit_case(id) from unnest(p_cases) id;
end
$$;

-- The cluster, the database in it, and the timeline of its log: a restored dump is another database, and each fail-over and each restore to
-- a point in time begins another timeline. Null on a stand-by.
create function current_identity() returns text language sql stable as $$
  select case when not pg_is_in_recovery() then concat_ws(' ',
    (select system_identifier from pg_control_system()),
    (select oid from pg_database where datname = current_database()),
    left(pg_walfile_name(pg_current_wal_lsn()), 8)
  ) end
$$;

-- Why nothing can be listed or held now: the studio's pause, or else a rewind; no row while the market is open.
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

-- Records the payment of a purchase and moves its tokens. Returns settled, or signature_used with nothing changed. Raises JB004 if one item
-- cannot be delivered: its caller then rolls back to before the call.
create function deliver_items(
  purchase purchases, p_signature text, p_slot bigint, p_transaction_bytes bytea, p_expiry_height bigint
) returns text language plpgsql as $$
declare
  to_sell uuid[];
begin
  if not record_settled(purchase, p_signature, p_slot, p_transaction_bytes, p_expiry_height) then
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

-- A candle from all its trades up to the watermark, or from the candles of the next shorter step. trades is 0 if there is nothing in it.
create function derive_candle(
  p_step text, p_token_type text, p_start timestamptz, out open bigint, out high bigint, out low bigint, out close bigint, out amount bigint, out lamports numeric, out trades bigint
) returns record language plpgsql stable as $$
begin
  if p_step = '5m' then
    select (array_agg(t.unit_lamports order by t.settled_at, t.purchase_id, t.place))[1], max(t.unit_lamports), min(t.unit_lamports),
      (array_agg(t.unit_lamports order by t.settled_at desc, t.purchase_id desc, t.place desc))[1], sum(t.amount), sum(t.price_lamports), count(*)
    into open, high, low, close, amount, lamports, trades
    from (
      select trade_time(s.settled_at) as settled_at, s.purchase_id, s.place, s.amount, s.price_lamports, unit_lamports(s.price_lamports, s.amount)
      from sales s cross join candles_head head
      where s.token_type = p_token_type and not s.is_reversal and s.ordinal <= head.ordinal
        and trade_time(s.settled_at) >= p_start and trade_time(s.settled_at) < p_start + candle_length(p_step)
        and not exists (
          select from sales undone
          where undone.purchase_id = s.purchase_id and undone.place = s.place and undone.is_reversal and undone.ordinal <= head.ordinal
        )
    ) t;
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

create function emit_balance(p_wallet text) returns void language sql as $$
  insert into events (type, audience, data) select * from balance_event(p_wallet)
$$;

-- Tells buyer and seller that a case changed, when the transaction commits.
create function emit_case(p_case uuid) returns void language sql as $$
  select emit_event('case.changed', array_remove(array[coalesce(p.buyer, c.buyer), c.seller], null),
    json_build_object('type', 'case.changed', 'caseId', c.id))
  from cases c left join purchases p on p.id = c.purchase_id where c.id = p_case
$$;

create function emit_event(p_type text, p_audience text[], p_data json) returns void language sql as $$
  insert into events (type, audience, data) values (p_type, p_audience, p_data)
$$;

create function emit_listing(p_type text, l listings) returns void language sql as $$
  insert into events (type, audience, data) select * from listing_event(p_type, l)
$$;

create function emit_purchase(p purchases) returns void language sql as $$
  insert into events (type, audience, data) select * from purchase_event(p)
$$;

-- Ends an open hold, under the locks of lock_listings_of and of its purchase. Its listings are free again, first of all for those whose
-- payment for them came too late: their cases are due at once. If the studio has taken a blocked seller's listings back, so are these.
-- p_search_at: when to search for a late payment; null for never.
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
      where status = 'active' and held_by is null and is_taken_back(seller) and id = any(array(
        select unnest(array[listing_id, part_of]) from purchase_items where purchase_id = p.id
        union select s.id from listings s where s.status in ('active', 'reserved') and s.part_of = any(array(
          select unnest(array[listing_id, part_of]) from purchase_items where purchase_id = p.id
        ))
      ))
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

create function end_push_subscription() returns trigger language plpgsql as $$
begin
  delete from push_subscriptions where session_id = new.id;
  return null;
end
$$;

-- Ends open checkouts whose time is over, and returns how many.
create function expire_checkouts(p_limit integer) returns integer language plpgsql as $$
declare
  expired integer;
begin
  update checkouts set status = 'expired' where id in (
    select id from checkouts where status = 'open' and expires_at <= now() order by expires_at limit p_limit for update skip locked
  );
  get diagnostics expired = row_count;
  return expired;
end
$$;

-- Writes down what an outage has added to the time to pay, under the locks of listings and purchase, and tells both sides.
create function extend_hold(p purchases) returns purchases language plpgsql as $$
declare
  deadline constant timestamptz := pay_until(p);
  l listings;
begin
  if deadline <= p.pay_before then
    return p;
  end if;
  update purchases
    set agreed_pay_before = coalesce(agreed_pay_before, pay_before), pay_before = deadline
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

-- Extends the holds that an outage interrupted, at most p_limit, and returns how many. One that somebody is at work on is left for the next
-- time: its window does not close before.
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

-- When co-signed purchases of a wallet have lately ended because of the wallet: the chain refused the payment, or it lacked the SOL.
create function failed_payments(p_buyer text) returns json language plpgsql stable as $$
begin
  return (
    select coalesce(json_agg(json_time(ended_at)), '[]') from purchases p
    where buyer = p_buyer and co_signed and ended_at > now() - interval '2 hours'
      and (end_reason = 'failed' or end_reason = 'expired' and unfunded)
      and not exists (select from outages_so_far() o where o.began_at < p.ended_at and o.ended_at > p.created_at)
  );
end
$$;

-- Fires the alerts whose price is on the market now, at most p_limit, and returns how many; with p_only at most that one. What frozen
-- sellers offer does not count. Row locks let any number of servers do this at the same time: an alert that another is firing is left to
-- it.
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

-- What becomes of a checkout when a purchase of it is delivered or ends unpaid, under the locks of lock_listings_of. A late payment for a
-- hold that had ended completes it, too.
create function follow_purchase() returns trigger language plpgsql as $$
declare
  paid uuid;
begin
  select id into paid from purchases where checkout_id = new.checkout_id and status = 'settled' order by settled_at, id limit 1;
  update checkouts set
      status = case when paid is not null then 'completed' when expires_at > now() then 'open' else 'expired' end, purchase_id = paid
    where id = new.checkout_id and status <> 'completed';
  return null;
end
$$;

-- Ends the hold on a row. Parts that were for sale by themselves merge into their listing now that it is free.
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

-- What becomes of a part that nobody holds any more: it merges into its listing; if that was removed, its tokens return to the seller; if
-- that is held or sold, or the seller's balance has no room for them, it is for sale by itself.
create function free_part(part listings) returns void language plpgsql as $$
declare
  parent listings;
  was_on_market constant boolean := part.status = 'active';
begin
  select * into parent from listings where id = part.part_of;
  if parent.status = 'active' and parent.held_by is null then
    parent := merge_part(part);
    insert into events (type, audience, data) select * from listing_event('listing.changed', parent);
  elsif parent.status <> 'removed' or not take_back(part, false) then
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

-- As is_frozen, all of them.
create function frozen_sellers() returns text[] language plpgsql stable as $$
begin
  return array(select distinct seller from cases where kind = 'lost' and status in ('open', 'refunding') and seller is not null);
end
$$;

-- The rows that an open purchase holds.
create function held_listings(p_purchase uuid) returns setof listings language sql stable as $$
  select l.* from purchase_items i join listings l on l.id = i.listing_id where i.purchase_id = p_purchase and l.held_by = p_purchase
$$;

-- Whether a seller's listings are neither sold nor returned: one of them was paid for in a purchase that the database has lost, and nobody
-- knows which.
create function is_frozen(p_seller text) returns boolean language plpgsql stable as $$
begin
  return exists (select from cases where seller = p_seller and kind = 'lost' and status in ('open', 'refunding'));
end
$$;

-- Whether this may be an earlier state of the database, because no server has said yet that nothing is missing.
create function is_in_doubt() returns boolean language sql stable as $$
  select exists (select from database_identity where identity <> current_identity())
$$;

create function is_taken_back(p_wallet text) returns boolean language plpgsql stable as $$
begin
  return (
    select exists (select from blocks where wallet_address = p_wallet and takes_listings and (until is null or until > now()))
  );
end
$$;

-- The items of a purchase, in their order, as the server reads them.
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

create function json_time(p_time timestamptz) returns text language sql stable as $$
  select to_char(p_time at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')
$$;

-- The open hold of a buyer who places the same order again.
create function keep_hold(p_purchase uuid, out purchase purchases, out items json) returns record language plpgsql as $$
begin
  select * into purchase from purchases where id = p_purchase;
  purchase := extend_hold(purchase);
  items := items_of(purchase.id);
end
$$;

-- What the market knows of a co-signed payment: a reservation or a refusal of the same message, another use of its reference, and until
-- which block heights other refused payments of its buyer could land.
create function known_payment(p_buyer text, p_message_hash bytea, p_reference text) returns json language plpgsql stable as $$
begin
  return json_build_object(
    'reserved', (
      select json_build_object('purchaseId', purchase_id, 'signature', signature) from payments where message_hash = p_message_hash
    ),
    'refused', (
      select json_strip_nulls(json_build_object('code', code, 'detail', detail, 'listingId', listing_id))
      from refused_payments where message_hash = p_message_hash
    ),
    'referenceUsed', exists (select from purchases where reference = p_reference),
    'refusals', (select json_agg(expiry_height::text) from refused_payments where buyer = p_buyer)
  );
end
$$;

-- Takes the oldest push of each of at most p_limit browsers to which nothing is being sent. The next attempt at a browser is made when this
-- one has succeeded, else after half a minute, two, ten, and then half an hour each.
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

-- Whether links of a maker may hold a listing, for an account if one is named; null if so. A cooldown of the listing as for wallets, for
-- maker and account alike; after as many abandoned holds within an hour as there may be open ones, none for the rest of that hour; and no
-- more open holds than a wallet may have, those of the maker's own wallet included.
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

-- Why an account cannot hold through a link now; null if it may, or has its hold already. What nobody has proved to be a wallet's own wish
-- may be one open hold of it, and never changes one that the wallet has placed itself.
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

-- Whether a maker may have one more link, under the locks of lock_link_maker; null if so. retry_seconds: of COOLDOWN and PAY_LINK_LIMIT.
create function link_room(
  p_maker bytea, p_wallet text, p_listing uuid, p_max_holds integer, p_max_links integer, out refusal text, out retry_seconds integer
) returns record language plpgsql stable as $$
declare
  live bigint;
begin
  select t.refusal, t.retry_seconds into refusal, retry_seconds from link_limits(p_maker, p_wallet, null, p_listing, p_max_holds) t;
  if refusal is not null then
    return;
  end if;
  select greatest(count(*) filter (where k.maker = p_maker), count(*) filter (where k.maker_wallet = p_wallet)),
      ceil(extract(epoch from min(k.expires_at) - now()))
    into live, retry_seconds
    from pay_links k where (k.maker = p_maker or k.maker_wallet = p_wallet) and k.expires_at > now();
  refusal := case when live >= p_max_links then 'PAY_LINK_LIMIT' end;
end
$$;

create function listing_event(p_type text, l listings) returns table(type text, audience text[], data json) language sql stable as $$
  select p_type, null::text[], json_build_object('type', p_type, 'listing', l.reply_json::json)
$$;

create function listing_facts(l listings) returns json language plpgsql stable as $$
begin
  return json_build_object(
    'id', l.id, 'seller', l.seller, 'tokenType', l.token_type, 'amount', l.amount, 'lamports', l.price_lamports::text,
    'wholeAmount', coalesce(l.priced_amount, l.whole_amount, l.amount),
    'wholeLamports', coalesce(l.priced_lamports, l.whole_lamports, l.price_lamports)::text,
    'divisible', l.divisible, 'status', l.status, 'partOf', l.part_of, 'frozen', is_frozen(l.seller),
    'heldBy', (select buyer from purchases where id = l.held_by)
  );
end
$$;

-- As link_refusal, under the locks of the link and of all that it counts against, in the transaction that holds for an account.
create function lock_link(
  p_link uuid, p_account text, p_max_holds integer, out refusal text, out retry_seconds integer
) returns record language plpgsql as $$
declare
  link pay_links;
begin
  perform share_restrictions();
  select * into link from pay_links where id = p_link for update;
  perform lock_link_maker(link.maker, link.maker_wallet);
  perform pg_advisory_xact_lock(hashtextextended('account ' || p_account, 28));
  perform from players where wallet_address = p_account for update;
  select r.refusal, r.retry_seconds into refusal, retry_seconds from link_refusal(link, p_account, p_max_holds) r;
end
$$;

-- Makes counting exact, also for those who never signed in and have no row to lock. In this order, after the link and before all other
-- rows: maker, wallet, account.
create function lock_link_maker(p_maker bytea, p_wallet text) returns void language plpgsql as $$
begin
  perform pg_advisory_xact_lock(hashtextextended('maker ' || encode(p_maker, 'hex'), 28));
  if p_wallet is not null then
    perform pg_advisory_xact_lock(hashtextextended('wallet ' || p_wallet, 28));
  end if;
end
$$;

-- Locks listings with all that may be split from them, or merge into them, in the one order in which every transaction locks listings.
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

-- As lock_listings, the items of a purchase; before them, its checkout.
create function lock_listings_of(p_purchase uuid) returns void language plpgsql as $$
begin
  perform from checkouts where id = (select checkout_id from purchases where id = p_purchase) for update;
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

-- Locks what an order concerns, in the one order of locks: the network of a wallet that never completed a purchase, the wallet, the
-- checkout, the listings with their parts, the open purchases of the wallet. Then reads the facts. p_waits: false to lock nothing if a
-- listing is held or not for sale: the facts can then only be a reason to refuse, or to ask again with true.
create function lock_reservation_facts(
  p_buyer text, p_listings uuid[], p_waits boolean, p_message_hash bytea default null::bytea, p_reference text default null, p_network bytea default null::bytea, p_checkout text default null, out locked boolean, out facts json
) returns record language plpgsql as $$
declare
  own uuid[];
begin
  perform share_restrictions();
  -- Many may queue for one listing: nobody has to wait for its lock to hear that somebody else has it.
  locked := p_waits or not exists (select from listings where id = any (p_listings) and (held_by is not null or status <> 'active'));
  if locked then
    if p_network is not null then
      perform pg_advisory_xact_lock(hashtextextended('holds from ' || encode(p_network, 'hex'), 0));
    end if;
    perform from players where wallet_address = p_buyer for update;
    if p_checkout is not null then
      perform from checkouts where public_id = p_checkout for update;
    end if;
    own := array(select id from purchases where buyer = p_buyer and status = 'held');
    perform lock_listings(p_listings || array(select listing_id from purchase_items where purchase_id = any (own)));
    perform from purchases where id = any (own) order by id for update;
  end if;
  -- Its own statement, which sees what was committed while the locks were waited for.
  facts := reservation_facts(p_buyer, p_listings, p_message_hash, p_reference, p_network, p_checkout);
end
$$;

create function lock_restrictions() returns void language plpgsql as $$
begin
  perform pg_advisory_xact_lock(20021);
end
$$;

-- Returns a part to its listing, which is active. Returns that listing.
create function merge_part(part listings) returns listings language plpgsql as $$
declare
  parent listings;
begin
  update listings set status = 'merged', closed_at = now(), held_by = null, held_until = null where id = part.id;
  update listings l set amount = amount + part.amount, price_lamports = share_cost(l, amount + part.amount)
    where id = part.part_of returning * into parent;
  perform post_transfer('merge', part.token_type, part.amount, part.seller, part.id, null, part.part_of);
  return parent;
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

create function note_checkout() returns trigger language plpgsql as $$
begin
  perform note_for_webhooks('checkout.' || new.status, new.id);
  return null;
end
$$;

-- Notes what just happened, if a webhook wants to know it.
create function note_for_webhooks(p_type text, p_subject uuid, p_snapshot json default null::json) returns void language sql as $$
  insert into webhook_outbox (type, subject, snapshot)
    select p_type, p_subject, p_snapshot where exists (select from webhooks where p_type = any (events))
$$;

create function note_link_hold(p_link uuid, p_account text, p_purchase uuid) returns void language plpgsql as $$
begin
  insert into pay_link_holds (purchase_id, link_id, listing_id, account, maker, maker_wallet)
    select p_purchase, id, listing_id, p_account, maker, maker_wallet from pay_links where id = p_link on conflict do nothing;
  update pay_links set purchase_id = p_purchase where id = p_link;
end
$$;

create function note_listing() returns trigger language plpgsql as $$
begin
  perform note_for_webhooks(case when new.status = 'active' then 'listing.created' else 'listing.removed' end, new.id, new.reply_json::json);
  return null;
end
$$;

create function note_reversal() returns trigger language plpgsql as $$
begin
  insert into sales_to_stamp (purchase_id, is_reversal) values (new.purchase_id, true);
  return null;
end
$$;

create function note_sale() returns trigger language plpgsql as $$
begin
  insert into sales_to_stamp (purchase_id, is_reversal) values (new.id, false);
  return null;
end
$$;

create function note_settled_purchase() returns trigger language plpgsql as $$
begin
  perform note_for_webhooks('sale.settled', new.id);
  return null;
end
$$;

-- The application_name of the oldest servers that may write: each server appends the number of the newest migration it knows.
create function oldest_server() returns text language sql immutable as $$ select 'juicebar 0041' $$;

create function open_purchases(p_buyer text) returns json language plpgsql stable as $$
begin
  return (
    select coalesce(json_agg(json_build_object(
      'id', p.id, 'items', items_of(p.id), 'sellers', p.sellers, 'lamports', p.price_lamports::text,
      'fee', json_build_object('lamports', p.fee_lamports::text, 'basisPoints', p.fee_basis_points),
      'coSigned', p.co_signed, 'checkout', (select public_id from checkouts where id = p.checkout_id), 'closed', p.cancel_requested or window_closed(p),
      'signature', m.signature, 'confirmed', m.confirmed_at is not null
    )), '[]')
    -- For a join, the planner may walk the whole index of recorded payments.
    from purchases p left join lateral (
      select signature, confirmed_at from payments where purchase_id = p.id and kind = 'purchase' and status = 'recorded' limit 1
    ) m on true
    where p.buyer = p_buyer and p.status = 'held'
  );
end
$$;

-- The recorded outages, and the one that is not over, if there is one.
create function outages_so_far() returns table(began_at timestamptz, ended_at timestamptz) language sql stable as $$
  select began_at, ended_at from outages
  union all
  select beat_at, now() from heartbeat where beat_at < now() - interval '15 s'
$$;

-- What so much of a listing costs, all that is left of it included.
create function part_cost(l listings, p_amount bigint) returns bigint language sql immutable as $$
  select case when p_amount < l.amount then share_cost(l, p_amount) else l.price_lamports end
$$;

-- Whole milliseconds that a buyer has left to pay.
create function pay_millis_left(p purchases) returns integer language sql stable as $$
  select (case when p.status = 'held' then greatest(0, floor(extract(epoch from pay_until(p) - now()) * 1000)) else 0 end)::integer
$$;

-- When the payment window closes, outages included: each that began within it extends it by as long as it lasted, all together by at most
-- as much again as was agreed. Never for a hold that was cancelled, lacks the SOL, has recorded bytes, or has a release height.
create function pay_until(p purchases) returns timestamptz language plpgsql stable as $$
declare
  deadline timestamptz := coalesce(p.agreed_pay_before, p.pay_before);
  latest constant timestamptz := deadline + (deadline - p.created_at);
  outage record;
begin
  if p.status <> 'held' or p.cancel_requested or p.unfunded or p.release_height is not null then
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

-- The only writer of balances and transfers but for deliver_items and return_to_seller. Returns the transfer's id. Raises JB001 if the
-- wallet has fewer tokens than it would pay.
create function post_transfer(
  p_kind text, p_token_type text, p_amount bigint, p_wallet text, p_listing uuid, p_idempotency_key text default null, p_parent uuid default null::uuid, p_namespace text default ''
) returns bigint language plpgsql as $$
declare
  transfer_id bigint;
  held bigint;
begin
  if p_kind in ('credit', 'return', 'sale') then
    insert into balances (wallet_address, token_type, amount) values (p_wallet, p_token_type, p_amount)
    on conflict (wallet_address, token_type) do update set amount = balances.amount + excluded.amount returning amount into held;
    -- MAX_BALANCE. What is paid for finds room above it, whatever comes between its reservation and its delivery.
    if p_kind <> 'sale' and held > 9000000000000000 then
      raise exception 'the wallet cannot hold more' using errcode = 'check_violation', constraint = 'balance_bounds';
    end if;
  elsif p_kind in ('debit', 'escrow') then
    update balances set amount = amount - p_amount
    where wallet_address = p_wallet and token_type = p_token_type and amount >= p_amount;
    if not found then
      raise exception 'insufficient tokens' using errcode = 'JB001';
    end if;
  end if;
  insert into transfers (kind, token_type, amount, wallet_address, listing_id, idempotency_key, namespace, parent_id)
  values (
    p_kind, p_token_type, p_amount, p_wallet, p_listing, p_idempotency_key, case when p_idempotency_key is not null then p_namespace end, p_parent
  )
  returning id into transfer_id;
  return transfer_id;
end
$$;

create function purchase_event(p purchases) returns table(type text, audience text[], data json) language sql stable as $$
  select 'purchase.changed', p.buyer || p.sellers, json_build_object('type', 'purchase.changed', 'purchaseId', p.id)
$$;

-- Tells sellers of the next sales in their order, at most p_limit, and returns how many it went on by. Only one at a time works, and
-- nothing that lists, holds or delivers waits for it.
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

-- Has the browsers of a wallet show something. One that is sent nothing for long, as its push service does not answer, has at most 100
-- waiting.
create function queue_push(p_wallet text, p_kind text, p_token_type text, p_quantity bigint) returns void language plpgsql as $$
begin
  insert into pushes (session_id, kind, token_type, quantity)
    select s.session_id, p_kind, p_token_type, p_quantity from push_subscriptions s
    where s.wallet_address = p_wallet and (select count(*) from pushes p where p.session_id = s.session_id) < 100;
end
$$;

-- Records the payment that settles a purchase. False, with nothing changed, if its transaction serves another purpose.
create function record_settled(
  purchase purchases, p_signature text, p_slot bigint, p_transaction_bytes bytea, p_expiry_height bigint
) returns boolean language plpgsql as $$
begin
  insert into payments (signature, kind, purchase_id, genesis_hash, transaction_bytes, expiry_height, status, confirmed_at, slot)
  values (p_signature, 'purchase', purchase.id, purchase.genesis_hash, p_transaction_bytes, p_expiry_height, 'settled', now(), p_slot)
  on conflict (signature) do update
    set status = 'settled', slot = excluded.slot, confirmed_at = coalesce(payments.confirmed_at, excluded.confirmed_at)
    where payments.purchase_id = excluded.purchase_id and payments.kind = 'purchase';
  return found;
end
$$;

create function refuse_change() returns trigger language plpgsql as $$
begin
  raise exception 'the rows of % are never changed', tg_table_name;
end
$$;

-- Raises JB002 for a server that does not know the newest incompatible migration.
create function refuse_older_servers() returns trigger language plpgsql as $$
begin
  -- Names of other programs are not between these two. The name is all that a connection pooler passes on.
  if current_setting('application_name') collate "C" >= 'juicebar' and current_setting('application_name') collate "C" < oldest_server() then
    raise exception 'this server is older than the database' using errcode = 'JB002';
  end if;
  return null;
end
$$;

-- Returns those of a seller's listings to it that nobody holds. kept: those that stay on the market, each with the code of an error that
-- says why.
create function remove_listings(p_seller text, p_ids uuid[], out removed integer, out kept json) returns record language plpgsql as $$
declare
  frozen boolean;
  free uuid[];
  l listings;
  code text;
  stay json[] := '{}';
begin
  perform from listings where id = any (p_ids) order by id for update;
  -- Statements of their own, which see what was committed while the locks were waited for.
  frozen := is_frozen(p_seller);
  perform from balances where wallet_address = p_seller order by token_type for update;
  free := array(
    select id from (
      select id, coalesce(b.amount, 0) + sum(f.amount) over (partition by f.token_type order by id) as balance
      from listings f left join balances b on b.wallet_address = p_seller and b.token_type = f.token_type
      where id = any (p_ids) and seller = p_seller and status = 'active' and held_by is null and not frozen
    ) fitting
    -- MAX_BALANCE.
    where balance <= 9000000000000000
  );
  perform return_to_seller(p_seller, free);
  removed := cardinality(free);
  -- One that has no room does not keep a smaller one that has.
  for l in
    select * from listings where id = any (p_ids) and seller = p_seller and status in ('active', 'reserved') order by token_type, id
  loop
    code := case when l.held_by is not null then 'LISTING_HELD_BY_BUYER' when frozen then 'LISTING_FROZEN' else 'BALANCE_LIMIT' end;
    if code = 'BALANCE_LIMIT' and take_back(l) then
      removed := removed + 1;
    else
      stay := stay || json_build_object('listingId', l.id, 'code', code);
    end if;
  end loop;
  kept := array_to_json(stay);
end
$$;

-- An alert as replies and events carry it.
create function render_alert(a alerts) returns json language sql stable as $$
  select json_build_object(
    'id', a.id,
    'tokenType', a.token_type,
    'below', trim_scale(a.below_lamports * 0.000000001),
    'createdAt', json_time(a.created_at),
    'firedAt', json_time(a.fired_at),
    'price', trim_scale(a.fired_lamports * 0.000000001))
$$;

-- A listing as the API shows it: the only place that says so.
create function render_listing(l listings) returns text language plpgsql stable as $$
begin
  return rtrim(json_build_object(
    '_id', l.id,
    'seller', l.seller,
    'tokenName', (select name from token_types where token_type = l.token_type),
    'tokenType', l.token_type,
    'amount', l.amount,
    'price', trim_scale(l.price_lamports * 0.000000001),
    'lamports', l.price_lamports::text,
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

-- Derives the candles again that these times of these tokens belong to.
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

-- The payment that settled a purchase was dropped by the chain for good, and another one pays for it: that one counts from now on. Returns
-- the cases that are over with that; null, with nothing changed, if the other one serves another purpose, is being paid back, or may be.
create function replace_payment(
  p_purchase uuid, p_dropped text, p_signature text, p_slot bigint, p_transaction_bytes bytea, p_expiry_height bigint
) returns uuid[] language plpgsql as $$
declare
  purchase purchases;
  open_cases uuid[];
begin
  select * into purchase from purchases where id = p_purchase for update;
  if purchase.status <> 'settled' or purchase.signature <> p_dropped or purchase.finalized_at is not null
      or exists (select from cases where purchase_id = p_purchase and kind = 'vanished')
      -- Whether the other one was paid back since then may be lost.
      or is_in_doubt() or exists (select from rewinds where coalesce(ended_at, 'infinity') > purchase.settled_at) then
    return null;
  end if;
  open_cases := cases_to_close(p_purchase, p_signature);
  if open_cases is null or not record_settled(purchase, p_signature, p_slot, p_transaction_bytes, p_expiry_height) then
    return null;
  end if;
  update payments set status = 'void' where signature = p_dropped;
  perform close_delivered(open_cases);
  update purchases set signature = p_signature, reconcile_at = now() where id = p_purchase returning * into purchase;
  -- Whoever stamps the sale now does so with the one or the other payment, and then it is there to be changed.
  perform from sales_head for update;
  update sales set signature = p_signature where purchase_id = p_purchase and not is_reversal;
  insert into events (type, audience, data) select * from purchase_event(purchase);
  return open_cases;
end
$$;

-- Changes the price of all that is left of a listing, under its lock. Parts that come back to it cost as much for each from then on.
create function reprice_listing(p_id uuid, p_lamports bigint) returns void language plpgsql as $$
declare
  l listings;
begin
  update listings set price_lamports = p_lamports, priced_amount = amount, priced_lamports = p_lamports, priced_at = clock_timestamp(),
      -- What was listed stays known. A part was never listed.
      whole_amount = case when part_of is null then coalesce(whole_amount, amount) end,
      whole_lamports = case when part_of is null then coalesce(whole_lamports, price_lamports) end
    where id = p_id returning * into l;
  perform emit_listing('listing.changed', l);
end
$$;

-- All that decides whether a wallet may reserve listings, or parts of them, as of one moment.
create function reservation_facts(
  p_buyer text, p_listings uuid[], p_message_hash bytea default null::bytea, p_reference text default null, p_network bytea default null::bytea, p_checkout text default null
) returns json language plpgsql stable as $$
declare
  listings json;
  types text[];
  rules json := '[]';
  bought json := '{}';
begin
  select coalesce(json_agg(listing_facts(l)), '[]'), array_agg(token_type) into listings, types from listings l where id = any (p_listings);
  if exists (select from token_rules) then
    select coalesce(json_agg(json_build_object(
          'tokenType', token_type, 'minUnitLamports', min_unit_lamports::text, 'maxUnitLamports', max_unit_lamports::text,
          'maxListings', max_listings, 'maxDailyLamports', max_daily_lamports::text
        )), '[]'),
        coalesce(json_object_agg(token_type, bought_today(p_buyer, token_type)::text) filter (where max_daily_lamports is not null), '{}')
      into rules, bought
      from token_rules where token_type = any (types);
  end if;
  return json_build_object(
    'now', json_time(now()),
    'restriction', (select json_build_object('code', refusal, 'restriction', restriction) from restriction_of(p_buyer) where refusal is not null),
    'listings', listings, 'rules', rules, 'boughtToday', bought, 'open', open_purchases(p_buyer), 'abandoned', abandonments(p_buyer),
    'failed', failed_payments(p_buyer), 'hasBought', exists (select from purchases where buyer = p_buyer and status = 'settled'),
    'networkItems', (
      select count(*) from purchases p join purchase_items i on i.purchase_id = p.id where p.network = p_network and p.status = 'held'
    ),
    'balances', (
      select coalesce(json_object_agg(token_type, amount), '{}') from balances where wallet_address = p_buyer and token_type = any (types)
    ),
    'known', case when p_message_hash is not null then known_payment(p_buyer, p_message_hash, p_reference) end,
    'checkout', case when p_checkout is not null then checkout_facts(p_checkout) end
  );
end
$$;

-- Binds listings to a new purchase, as decided; splits off the parts. p_until: when it is free again at the latest.
create function reserve_items(
  purchase purchases, p_until timestamptz, p_listings uuid[], p_amounts bigint[], p_prices bigint[]
) returns json language plpgsql as $$
declare
  item record;
  l listings;
begin
  for item in
    select * from unnest(p_listings, p_amounts, p_prices) with ordinality as planned (listing_id, amount, lamports, place) order by place
  loop
    select * into l from listings where id = item.listing_id;
    if item.amount < l.amount then
      l := split_listing(l, item.amount, item.lamports, 'reserved', purchase.id, p_until);
    else
      update listings set held_by = purchase.id, held_until = p_until where id = l.id returning * into l;
      insert into events (type, audience, data) select * from listing_event('listing.held', l);
    end if;
    insert into purchase_items (purchase_id, place, listing_id, part_of, seller, token_type, amount, price_lamports)
      values (purchase.id, item.place, l.id, l.part_of, l.seller, l.token_type, l.amount, item.lamports);
  end loop;
  insert into events (type, audience, data) select * from purchase_event(purchase);
  -- Its caller's query began before there were any.
  return items_of(purchase.id);
end
$$;

-- Why a wallet may neither list nor hold anything now; null if it may.
create function restriction_of(p_wallet text, out refusal text, out restriction json) returns record language plpgsql stable as $$
begin
  select 'PAUSED', json_build_object('message', message) into refusal, restriction from current_pause();
  if not found then
    select 'BLOCKED', json_build_object('reason', reason, 'until', json_time(until)) into refusal, restriction
      from blocks where wallet_address = p_wallet and (until is null or until > now());
  end if;
end
$$;

-- As take_back, many listings of a seller at once, under their locks. Its balances must have room for all of them.
create function return_to_seller(p_seller text, p_ids uuid[]) returns void language plpgsql as $$
begin
  with removed as (
    update listings l set status = 'removed', closed_at = now() where id = any (p_ids)
    returning l.id, l.token_type, l.amount, l as listing
  ), transferred as (
    insert into transfers (kind, token_type, amount, wallet_address, listing_id)
      select 'return', token_type, amount, p_seller, id from removed
  ), returned as (
    -- In the order in which every transaction locks balances.
    insert into balances (wallet_address, token_type, amount)
      select p_seller, token_type, sum(amount) from removed group by token_type order by token_type
      on conflict (wallet_address, token_type) do update set amount = balances.amount + excluded.amount
  )
  insert into events (type, audience, data)
    select event.* from removed, listing_event('listing.removed', listing) event union all select * from balance_event(p_seller);
end
$$;

-- Has the candles show the next sales in their order, at most p_limit, and returns how many it went on by. Only one at a time works, and
-- nothing that lists, holds or delivers waits for it.
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
  update candles_head set ordinal = reached;
  perform renew_candles('5m', tokens, times);
  perform renew_candles('1h', tokens, times);
  perform renew_candles('1d', tokens, times);
  return reached - head;
end
$$;

-- The row to sell for an item of an ended purchase that is paid after all; null if somebody else holds or has it, if that much is not left,
-- or if it would cost more now: after the end, prices and amounts may have changed by parts. Of a part that was merged, the listing pays:
-- as much of it is split off, or all that is left of it is sold. p_taken: the rows that other items of the purchase take.
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
    l := split_listing(l, item.amount, part_cost(l, item.amount), 'sold', null, null);
  end if;
  if l.id <> item.listing_id then
    update purchase_items set listing_id = l.id, part_of = l.part_of where purchase_id = item.purchase_id and place = item.place;
  end if;
  return l.id;
end
$$;

-- The rows that deliver the items of a paid purchase, fewer than it has items if one of them cannot be delivered. A purchase that holds its
-- items holds exactly what was agreed.
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

-- The items of a settled purchase, as sales tells of them.
create function sales_of(
  p_purchase uuid
) returns table(place smallint, listing_id uuid, buyer text, seller text, token_type text, amount bigint, price_lamports bigint, fee_lamports bigint, fee_basis_points integer, signature text, settled_at timestamptz, checkout_id uuid, client_reference text) language plpgsql stable as $$
declare
  p purchases;
  completed checkouts;
begin
  select * into p from purchases where id = p_purchase;
  -- A late payment for a checkout that another purchase has completed is a sale like any other.
  select * into completed from checkouts c where c.id = p.checkout_id and c.purchase_id = p.id;
  return query
    select i.place, i.listing_id, p.buyer, i.seller, i.token_type, i.amount, i.price_lamports,
      -- As feeShares in server/src/purchases/purchase/purchase.ts.
      case when p.fee_wallet is null or i.seller = p.fee_wallet then 0
        else floor(i.charged * p.fee_basis_points / 10000) - floor((i.charged - i.price_lamports) * p.fee_basis_points / 10000) end::bigint,
      p.fee_basis_points, p.signature, p.settled_at, completed.id, completed.client_reference
    from (
      select *, sum(item.price_lamports) filter (where item.seller is distinct from p.fee_wallet) over (order by item.place) as charged
      from purchase_items item where item.purchase_id = p_purchase
    ) i order by i.place;
end
$$;

-- Delivers all items for a payment that the chain accepted, or none. Idempotent. Returns when, and
--   settled: delivered, by this call or an earlier one;    paid_before: another payment settled this purchase;
--   listing_gone: an item is sold, removed or held by someone else, or would cost more now;
--   signature_used: the transaction served another purpose;
--   refunding: a seller is paying it back, or may be: see cases_to_close.
create function settle_purchase(
  p_purchase uuid, p_signature text, p_slot bigint, p_transaction_bytes bytea, p_expiry_height bigint, p_referenced boolean, out outcome text, out settled_at timestamptz
) returns record language plpgsql as $$
declare
  purchase purchases;
  open_cases uuid[];
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
  open_cases := cases_to_close(purchase.id, p_signature);
  if open_cases is null then
    outcome := 'refunding';
    return;
  end if;

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
  -- What else was recorded for it may land as well, and is a second payment then.
  update payments set status = 'void' where purchase_id = purchase.id and kind = 'purchase' and status = 'recorded';
  -- A payment is finalized some 32 slots, about 13 s, after it was confirmed: until then there is nothing new to learn.
  settled_at := now();
  update purchases set status = 'settled', end_reason = null, signature = p_signature, settled_at = now(), reconcile_at = now() + interval '12 s'
    where id = purchase.id returning * into purchase;
  if open_cases <> '{}' then
    perform close_delivered(open_cases);
  end if;
  insert into events (type, audience, data)
    select * from purchase_event(purchase) union all select * from balance_event(purchase.buyer);
end
$$;

-- What so much of a listing costs as its seller last priced it, whatever was sold of it since. Rounded up: each drink costs at least a
-- lamport.
create function share_cost(l listings, p_amount bigint) returns bigint language sql immutable as $$
  select ceil(
    coalesce(l.priced_lamports, l.whole_lamports, l.price_lamports)::numeric * p_amount / coalesce(l.priced_amount, l.whole_amount, l.amount)
  )::bigint
$$;

-- Taken before any row is locked, so that nobody who waits for it makes others wait. What is read after it holds until the transaction
-- ends.
create function share_restrictions() returns void language plpgsql as $$
begin
  perform pg_advisory_xact_lock_shared(20021);
end
$$;

-- Splits a part off a listing, which keeps the rest and stays for sale, priced in the same way. p_status: reserved, with the purchase that
-- holds the part, or sold.
create function split_listing(
  l listings, p_amount bigint, p_lamports bigint, p_status text, p_held_by uuid, p_held_until timestamptz
) returns listings language plpgsql as $$
declare
  part listings;
begin
  insert into listings (seller, token_type, amount, price_lamports, part_of, status, closed_at, held_by, held_until)
    values (l.seller, l.token_type, p_amount, p_lamports, l.id, p_status, now(), p_held_by, p_held_until)
    returning * into part;
  update listings
    set amount = amount - part.amount, price_lamports = share_cost(l, amount - part.amount),
      whole_amount = coalesce(whole_amount, amount), whole_lamports = coalesce(whole_lamports, price_lamports)
    where id = l.id returning * into l;
  perform post_transfer('split', part.token_type, part.amount, part.seller, part.id, null, l.id);
  insert into events (type, audience, data) select * from listing_event('listing.changed', l);
  return part;
end
$$;

-- Gives ordinals to what was settled, of at most p_limit purchases, and returns how many it gave. Only one at a time works, and settling
-- never waits for it.
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
      fee_lamports, fee_basis_points, signature, settled_at, checkout_id, client_reference)
    select head + row_number() over (order by d.id, s.place), stamp_time, d.purchase_id, s.place, d.is_reversal, s.listing_id, s.buyer, s.seller,
      s.token_type, s.amount, s.price_lamports, s.fee_lamports, s.fee_basis_points, s.signature,
      case when d.is_reversal then d.noted_at else s.settled_at end, s.checkout_id, s.client_reference
    from due d cross join lateral sales_of(d.purchase_id) s;
  get diagnostics stamped = row_count;
  update sales_head set ordinal = head + stamped;
  return stamped;
end
$$;

-- Returns a listing that nobody else holds to its seller, under its lock. False if the seller's balance has no room: then it stays as it
-- is. p_tells: false if its caller tells those who watch the market.
create function take_back(l listings, p_tells boolean default true) returns boolean language plpgsql as $$
begin
  update listings set status = 'removed', closed_at = now(), held_by = null, held_until = null where id = l.id returning * into l;
  perform post_transfer('return', l.token_type, l.amount, l.seller, l.id);
  if p_tells then
    perform emit_listing('listing.removed', l);
  end if;
  perform emit_balance(l.seller);
  return true;
exception when check_violation then
  return false;
end
$$;

-- Returns a seller's listings to it, the next p_limit after one of them; those that buyers hold stay. last: where to go on; null at the
-- end.
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

-- Called before each incompatible migration, in its transaction, with its number. What older servers have begun to write is waited for;
-- whatever they write afterwards is refused.
create function upgrade_servers(p_number text) returns void language plpgsql as $$
begin
  lock table listings, purchases, payments, cases, transfers in share row exclusive mode;
  perform write_oldest_server(p_number);
end
$$;

-- Whether the time to pay is over. While an outage lasts that may extend it, it is not.
create function window_closed(p purchases) returns boolean language sql stable as $$
  select p.pay_before <= now() and pay_until(p) <= now()
$$;

-- Reserves all items of a purchase, as decided, and records the complete bytes that pay for it. p_live_seconds: how long these can land, at
-- most.
create function write_co_signed(
  p_buyer text, p_sellers text[], p_lamports bigint, p_fee_basis_points integer, p_fee bigint, p_fee_wallet text, p_reference text, p_genesis_hash text, p_slot bigint, p_listings uuid[], p_amounts bigint[], p_prices bigint[], p_signature text, p_message_hash bytea, p_transaction_bytes bytea, p_expiry_height bigint, p_live_seconds integer
) returns uuid language plpgsql as $$
declare
  purchase purchases;
begin
  -- Its server sends the payment as soon as this is committed; if that dies, the next one to look does.
  insert into purchases (buyer, sellers, price_lamports, fee_basis_points, fee_lamports, fee_wallet, reference, needs_reference, genesis_hash,
      held_at_slot, server_sends, co_signed, pay_before, reconcile_at)
    values (p_buyer, p_sellers, p_lamports, p_fee_basis_points, p_fee, case when p_fee > 0 then p_fee_wallet end, p_reference,
      true, p_genesis_hash, p_slot, true, true, now(), now() + interval '1 s')
    returning * into purchase;
  insert into payments (signature, kind, purchase_id, genesis_hash, transaction_bytes, expiry_height, status, message_hash)
    values (p_signature, 'purchase', purchase.id, p_genesis_hash, p_transaction_bytes, p_expiry_height, 'recorded', p_message_hash);
  perform reserve_items(purchase, now() + make_interval(secs => p_live_seconds), p_listings, p_amounts, p_prices);
  return purchase.id;
end
$$;

-- Holds all items of a purchase for a buyer who is about to pay, as decided.
create function write_hold(
  p_buyer text, p_sellers text[], p_lamports bigint, p_fee_basis_points integer, p_fee bigint, p_fee_wallet text, p_reference text, p_needs_reference boolean, p_genesis_hash text, p_slot bigint, p_hold_seconds integer, p_network bytea, p_listings uuid[], p_amounts bigint[], p_prices bigint[], out purchase purchases, out items json
) returns record language plpgsql as $$
begin
  -- A wallet needs a moment to pay.
  insert into purchases (buyer, sellers, price_lamports, fee_basis_points, fee_lamports, fee_wallet, reference, needs_reference, genesis_hash,
      held_at_slot, network, server_sends, pay_before, reconcile_at)
    values (p_buyer, p_sellers, p_lamports, p_fee_basis_points, p_fee, case when p_fee > 0 then p_fee_wallet end, p_reference,
      p_needs_reference, p_genesis_hash, p_slot, p_network, false,
      now() + make_interval(secs => p_hold_seconds), now() + interval '4 s')
    returning * into purchase;
  items := reserve_items(purchase, purchase.pay_before, p_listings, p_amounts, p_prices);
end
$$;

-- Writes the newest incompatible migration into the body of oldest_server, where reading it costs nothing.
create function write_oldest_server(p_number text) returns void language plpgsql as $$
begin
  execute format(
    'create or replace function oldest_server() returns text language sql immutable as %L', format(' select %L ', 'juicebar ' || p_number));
end
$$;

create trigger cases_note_closed after update of status on cases for each row when (old.closed_at is null and new.closed_at is not null) execute function note_case();

create trigger cases_note_opened after insert on cases for each row execute function note_case();

create trigger cases_note_reversal after insert on cases for each row when (new.kind = 'vanished') execute function note_reversal();

create trigger refuse_older_servers before insert or delete or update on cases for each statement execute function refuse_older_servers();

create trigger checkouts_note_end after update of status on checkouts for each row when ((new.status in ('completed', 'expired')) and old.status <> new.status) execute function note_checkout();

create trigger listings_before_write before insert or update on listings for each row execute function before_listing_write();

create trigger listings_note_changed after update of status on listings for each row when (old.status = 'reserved' and new.status = 'active' or old.status = 'active' and (new.status in ('removed', 'merged'))) execute function note_listing();

create trigger listings_note_created after insert on listings for each row when (new.status = 'active') execute function note_listing();

create trigger refuse_older_servers before insert or delete or update on listings for each statement execute function refuse_older_servers();

create trigger refuse_older_servers before insert or delete or update on payments for each statement execute function refuse_older_servers();

create trigger purchases_change_checkout after update of status on purchases for each row when (new.checkout_id is not null and old.status <> new.status) execute function follow_purchase();

create trigger purchases_note_sale after update of status on purchases for each row when (old.status <> 'settled' and new.status = 'settled') execute function note_sale();

create trigger purchases_note_settled after update of status on purchases for each row when (old.status <> 'settled' and new.status = 'settled') execute function note_settled_purchase();

create trigger refuse_older_servers before insert or delete or update on purchases for each statement execute function refuse_older_servers();

create trigger sessions_end_push after update of revoked_at on sessions for each row when (old.revoked_at is null and new.revoked_at is not null) execute function end_push_subscription();

create trigger studio_log_append_only before delete or update or truncate on studio_log for each statement execute function refuse_change();

create trigger refuse_older_servers before insert or delete or update on transfers for each statement execute function refuse_older_servers();
