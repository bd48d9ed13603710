-- From the tables of 0.1.0 to those of 0.2.0. Not compatible: what a purchase is has changed.
--
-- Databases of 0.2.0 came here in the steps below. One that has applied all of them counts as having applied this file.
-- replaces 0006-holds.sql 6736d0eb21196d0c9bdc06ca007248d8a56e7eb00f9f6488a87772416853f99a
-- replaces 0007-release.sql 150a675d00c34ecfe047c588a957befe34a4104913527b5b6165e676541ce314
-- replaces 0008-audits.sql c9cf2ab835ecf0f107c715c06adde2eb8994fa7fa2c0904d5c5f7e2b87e4e3fa
-- replaces 0009-due-purchases.sql fbfd18c2368b583dd5d0b611814ac6f1cd52b31fe9b2c1c2051ebadde42f8a8a
-- replaces 0011-older-servers.sql 1c47ae079a6e30491b726350d0f0d54a5e9ec19abd40de6bc8a6d0f406132b3b
-- replaces 0013-outages.sql 79e9dfb5bcc0522ec257aeefe65fc5dd72c6f43b8e99af84f403cb271cc4dbb6
-- replaces 0014-holds-of-a-buyer.sql 818c30abc2650bf65d99b8f711c80c090f72485520b5ec4213415919386d5c51
-- replaces 0015-divisible-listings.sql 347c955737dec436f70bce9f022e2aa10faa2bb25c2967fcb7d035717799fcce
-- replaces 0016-purchase-items.sql 75e628a52d68a2b520da263fac129b10944234a1f0acc535e823544ea1442a5a
-- replaces 0017-holds-of-several-items.sql 81c36eac0c674f13c6ce3e2d64e49e9a7bffc3b9d573e4588ac3ee8739c4b7d3
-- replaces 0018-studio-keys.sql 4726e7960038494202df4424320d60cdbe5282966bc7b5baa4a0f84245b2b891
-- replaces 0019-sales.sql d1251f0544dae7e45cf3f11270d7a9915dd93108129424d4525ab1fcb0d67a36
-- replaces 0020-webhooks.sql f3ff6ccc9ec7fd31bdfb761f05020e0842da795059f1978169c6705a9ccb023b
-- replaces 0021-restrictions.sql 8a5bc627bb9f86da5b3f9a26c66274bda10f4b8639fc084c18fb273affdd23b3
-- replaces 0022-recovery.sql 73d89ce572230fbd8c8f3846f22576b16d31fe9e3a27f524ec4c0e55d25d8585, and keeps its time
-- replaces 0024-deliveries-in-one-statement.sql 5649348c0f59004376b1522e57b4886905a6d309a66d651ae20986ee25acd8f4
-- replaces 0025-staff.sql f0d891fee38959e4c8882f1276bd818c04889c1884e33f454124cad2b855b204
-- replaces 0026-catalogue.sql 4dddb4ede32432538fb7e3f7519e52c51210715689242978289c0afb19ba205d
-- replaces 0027-candles.sql c0cb673d6f801a9d7c2fcf97de77e098df119125bd88461e417de9a959f1a65e
-- replaces 0028-pay-links.sql 2385bd4c7ad3ac5451c10fa62809b08da5c46a3927972880f55d1062ad1e6d6f
-- replaces 0029-alerts.sql 9d49dec33d6fa7442ce0620543d9dd28056d2600b55def9a00144f355f9eec59
-- replaces 0030-desk-lists.sql a5ec4e43d743a36652236a0200b0fabe18d3111596e408d646db1e6b167f9fbd
-- replaces 0031-ledger-of-a-player.sql 0ee327754cf6ddd7caf4cbff38b44716e3d39d08bacb1f33e1f2ec7f6766d04e

-- Functions of 0.1.0 that cannot be replaced (their results or arguments are others today), and the trigger that would render listings as they
-- were. Today's functions come after the migrations.
drop trigger listings_before_write on listings;
drop function before_listing_write, settle_purchase, post_transfer;

-- Outages, which no buyer answers for.

create table heartbeat (
  only_row boolean primary key default true check (only_row),
  beat_at timestamptz not null
);
comment on table heartbeat is 'When a server last reached both this database and the chain.';

create table outages (
  began_at timestamptz primary key,
  ended_at timestamptz not null,
  check (ended_at > began_at)
);
comment on table outages is
  'Times in which no server reached both this database and the chain, so that no payment could be submitted. Kept for 30 days.';

-- Holds whose payment can be neither found nor ruled out, and the studio's log.

create table history_searches (
  purchase_id uuid not null references purchases,
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
  check ((obstacle is not distinct from 'pruned') = (first_slot is not null))
);
comment on table history_searches is
  'How far the finalized history of an address was searched for the payment of a hold beyond its release height, on one endpoint: first '
  'every signature since the hold is listed, then each is decided, from the newest to the oldest. Written only if one look does not '
  'suffice. What was searched stays searched, because nothing older than a finalized signature can be added.';
comment on column history_searches.listed_to is 'The oldest signature listed so far.';
comment on column history_searches.listed is 'The list reaches back to the hold.';
comment on column history_searches.decided_to is 'This signature and all newer ones do not pay.';
comment on column history_searches.decided is 'No signature pays.';
comment on column history_searches.obstacle is
  'Why this endpoint can never prove that no payment came. pruned: it keeps no blocks before first_slot, which is after the hold. '
  'too_many_pages: the address has more signatures than are searched. An endpoint that does not answer is none.';

create table studio_log (
  id bigint generated always as identity primary key,
  actor text not null,
  call text not null,
  subject text not null,
  reason text,
  created_at timestamptz not null default now(),
  -- The ledger's number of a credit or debit.
  transfer_id bigint
);
comment on table studio_log is 'What was done through the studio API: by whom, with which call, to what, and why. Append-only.';

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
  unchecked_count integer not null default 0,
  started_by text
);
comment on column audits.started_by is
  'Whose key or wallet. Null of those that nobody has started by a call, or an older server has.';
-- One at a time, so that each goes on from the watermark of the one before.
create unique index audits_one_running on audits ((true)) where finished_at is null;

-- The Idempotency-Key of a listing.

create table listing_keys (
  seller text not null,
  idempotency_key text not null check (char_length(idempotency_key) between 1 and 128),
  listing_id uuid not null references listings,
  created_at timestamptz not null default now(),
  primary key (seller, idempotency_key)
);
create index listing_keys_by_age on listing_keys (created_at);
comment on table listing_keys is
  'Which listing a seller''s Idempotency-Key has created: asked for again, it is returned instead of another. Kept for a day.';

-- Listings, and their parts. A part is a listing of its own, split off when it is held, and merged back if nobody pays.

alter table listings
  add column waits_for_studio boolean not null default false,
  add column divisible boolean not null default false,
  add column part_of uuid references listings,
  add column whole_amount bigint,
  add column whole_lamports bigint,
  drop constraint listings_price_lamports_check,
  drop constraint listings_status_check,
  drop constraint listings_check1;
alter table listings
  add constraint listings_divisible_check check (not divisible or price_lamports >= amount),
  add constraint listings_price_bounds check (price_lamports >= 1 and price_lamports <= 1000000000000000),
  add constraint listings_listed_price check (
    part_of is not null
    or coalesce(whole_lamports, price_lamports) >= 1000000 and coalesce(whole_lamports, price_lamports) % 1000000 = 0
  ),
  add constraint listings_status_check check (status in ('active', 'reserved', 'sold', 'removed', 'merged')),
  add constraint listings_held check (held_by is null or status in ('active', 'reserved')),
  add constraint listings_reserved check (status <> 'reserved' or held_by is not null),
  add constraint listings_parts check (part_of is not null or status not in ('reserved', 'merged')),
  add constraint listings_whole check ((whole_amount is null) = (whole_lamports is null) and (part_of is null or whole_amount is null)),
  add constraint listings_rest check (amount <= whole_amount and price_lamports <= whole_lamports);
comment on column listings.waits_for_studio is 'The purchase that holds the listing is unprovable. Cleared with the hold.';
comment on column listings.divisible is
  'Buyers may take a part. Each drink then costs at least a lamport, so that every part has a price, and so has the rest.';
comment on column listings.status is
  'reserved: a part that a purchase holds and that has no card on the market. merged: a part that went back to the listing it was split from.';
comment on column listings.closed_at is 'When it left the market; of a part, when it was split off without entering it.';
comment on column listings.part_of is 'The listing that this part was split from.';
comment on column listings.whole_amount is 'What the seller listed, of a listing that was split; null until then. The rest and the parts add up to it.';
comment on column listings.whole_lamports is 'As whole_amount, its price.';
create index listings_open_parts on listings (part_of) where part_of is not null and status in ('active', 'reserved');
comment on index listings_open_parts is 'The parts that may merge again.';

-- Those on sale are rendered again. Most rows of an old market are closed: they stay as they are, and are rendered when they are read.
update listings set reply_json = json_build_object(
    '_id', id,
    'seller', seller,
    'tokenName', (select name from token_types t where t.token_type = listings.token_type),
    'tokenType', token_type,
    'amount', amount,
    'price', trim_scale(price_lamports * 0.000000001),
    'unitPrice', trim_scale(unit_lamports * 0.000000001),
    'divisible', divisible,
    'status', status,
    'heldUntil', json_time(held_until),
    'createdAt', json_time(created_at))::text
  where status = 'active';
comment on column listings.reply_json is
  'The listing as replies and events carry it, rendered on write: rendering fifty rows on every read would cost more than the rest of '
  'a market page. That of a closed listing may lack fields that were added since: it is rendered when it is read.';

alter table transfers
  add column parent_id uuid,
  drop constraint transfers_kind_check;
alter table transfers
  add constraint transfers_kind_check check (kind in ('credit', 'debit', 'escrow', 'return', 'sale', 'split', 'merge')),
  add constraint transfers_parent check ((kind in ('split', 'merge')) = (parent_id is not null));
comment on table transfers is
  'Every movement of tokens, append-only. Each has two sides, listed in ledger_entries:
  credit: studio to wallet     debit: wallet to studio
  escrow: wallet to listing    return: listing to its seller    sale: listing to the buyer
  split: listing to its part   merge: part to its listing
A listing is its own escrow account, so a seller with many listings does not queue on one row.';
comment on column transfers.parent_id is 'The listing that the part listing_id is split from or merges into.';
drop index transfers_into_escrow, transfers_out_of_escrow;
create unique index transfers_into_escrow on transfers (listing_id) where kind in ('escrow', 'split');
create unique index transfers_out_of_escrow on transfers (listing_id) where kind in ('return', 'sale', 'merge');
comment on index transfers_into_escrow is 'A listing, or a part, takes its tokens into escrow only once.';
comment on index transfers_out_of_escrow is
  'A listing, or a part, releases its tokens only once: the database itself refuses a second sale.';
create index transfers_of_orders on transfers (created_at) include (kind, token_type, amount) where kind in ('credit', 'debit');
comment on index transfers_of_orders is 'What the studio credited and debited in a day.';

create or replace view ledger_entries as
  select id as transfer_id, token_type, -amount as amount,
    case when kind = 'credit' then 'studio'
      when kind in ('debit', 'escrow') then 'wallet:' || wallet_address
      when kind = 'split' then 'listing:' || parent_id
      else 'listing:' || listing_id end as account
  from transfers
  union all
  select id, token_type, amount,
    case when kind = 'debit' then 'studio'
      when kind in ('escrow', 'split') then 'listing:' || listing_id
      when kind = 'merge' then 'listing:' || parent_id
      else 'wallet:' || wallet_address end
  from transfers;

-- The items of purchases. A purchase is what one payment pays for: one item or several, of one seller or several, and the studio's fee.

create table purchase_items (
  purchase_id uuid not null references purchases,
  place smallint not null check (place between 1 and 20),
  listing_id uuid not null references listings,
  part_of uuid,
  seller text not null,
  token_type text not null,
  amount bigint not null check (amount between 1 and 1000000000),
  price_lamports bigint not null check (price_lamports >= 1),
  primary key (purchase_id, place)
);
comment on table purchase_items is 'What a purchase is of, as it was agreed. All its items are held, paid and delivered together or not at all.';
comment on column purchase_items.listing_id is 'The row that is held and sold: a whole listing, or the part that was split off for this purchase.';
comment on column purchase_items.part_of is 'The listing that the part was split from; null for a whole listing.';

insert into purchase_items (purchase_id, place, listing_id, seller, token_type, amount, price_lamports)
  select id, 1, listing_id, seller, token_type, amount, price_lamports from purchases;
create index purchase_items_by_listing on purchase_items (listing_id, purchase_id);
create index purchase_items_by_part_of on purchase_items (part_of, purchase_id) where part_of is not null;
create index purchase_items_by_seller on purchase_items (seller, purchase_id);

drop index purchases_due, purchases_one_hold_a_listing, purchases_one_sale_a_listing, purchases_no_ambiguous_holds, purchases_by_listing,
  purchases_by_seller;
alter table purchases
  drop constraint purchases_end_reason_check,
  drop constraint purchases_check,
  alter column seller type text[] using array[seller],
  add column unprovable_at timestamptz,
  add column release_reason text check (char_length(release_reason) between 1 and 1000),
  add column agreed_pay_before timestamptz,
  add column fee_basis_points integer not null default 0 check (fee_basis_points between 0 and 1000),
  add column fee_lamports bigint not null default 0 check (fee_lamports >= 0),
  add column fee_wallet text,
  drop column listing_id, drop column token_type, drop column amount;
alter table purchases rename column seller to sellers;
alter table purchases
  add constraint purchases_end_reason_check check (end_reason in ('cancelled', 'lapsed', 'expired', 'chain_gone', 'released')),
  add constraint purchases_sellers check (cardinality(sellers) between 1 and 10 and buyer <> all (sellers)),
  add constraint purchases_fee check ((fee_lamports > 0) = (fee_wallet is not null));
comment on table purchases is
  'A hold on one listing or several, and what became of it. Every transaction takes its row locks in the same order: the buyer''s player '
  'row, the listings by their id, the purchase, the cases by their id, the balances by wallet and token.';
comment on column purchases.sellers is 'Who is paid, each once, in the order of the items.';
comment on column purchases.price_lamports is 'The sum of its items. The buyer pays the fee on top.';
comment on column purchases.unprovable_at is
  'Since when every endpoint has an obstacle in history_searches, so that only the studio can end the hold. Null: the chain may still '
  'prove that no payment came.';
comment on column purchases.release_reason is 'Why the studio released the hold, in words for buyer and seller.';
comment on column purchases.agreed_pay_before is
  'When the payment window would have closed without outages. Null: none has extended it.';
comment on column purchases.fee_basis_points is 'The studio''s rate when the hold was placed.';
comment on column purchases.fee_wallet is 'Who receives the fee; null if there is none to pay.';

create index purchases_left_unpaid on purchases (buyer, ended_at) where end_reason in ('cancelled', 'lapsed');
create index purchases_by_finality on purchases (finalized_at, id) where status = 'settled';
-- What somebody waits for is leased first, however many closed purchases are due: each kind has an index of its own.
create index purchases_due_open on purchases (reconcile_at)
  where reconcile_at is not null and (status = 'held' or (status = 'settled' and finalized_at is null));
create index purchases_due_closed on purchases (reconcile_at)
  where reconcile_at is not null and not (status = 'held' or (status = 'settled' and finalized_at is null));
create unique index purchases_no_ambiguous_holds on purchases (
  buyer, (case when cardinality(sellers) = 1 and fee_lamports = 0 then sellers[1] || ' ' || price_lamports else id::text end)
) where status = 'held';
comment on index purchases_no_ambiguous_holds is
  'A payment without a reference could not tell two such holds apart. Also finds the open holds of a buyer.';
create index purchases_settled_by_buyer on purchases (buyer, settled_at) where status = 'settled';
comment on index purchases_settled_by_buyer is 'What a wallet has bought today.';

-- The seller of a case: one for each seller who received SOL. A case without a purchase: the chain has a payment that the database has lost.

alter table cases
  alter column purchase_id drop not null,
  add column seller text,
  add column fee_lamports bigint not null default 0 check (fee_lamports >= 0),
  add column buyer text;
update cases c set seller = p.sellers[1] from purchases p where p.id = c.purchase_id;
alter table cases
  drop constraint cases_kind_check,
  drop constraint cases_purchase_id_signature_key;
alter table cases
  add constraint cases_kind_check check (kind in ('late', 'wrong', 'double', 'vanished', 'lost')),
  add constraint cases_lost check ((kind = 'lost') = (purchase_id is null) and (kind = 'lost') = (buyer is not null)),
  -- Of a purchase there is one buyer; without one, a transaction may have several.
  add constraint cases_one_a_seller unique nulls not distinct (purchase_id, signature, seller, buyer);
create index cases_by_seller on cases (seller, id);
create index cases_by_signature on cases (signature);
create index cases_by_buyer on cases (buyer, id) where buyer is not null;
create index cases_that_freeze on cases (seller) where kind = 'lost' and status = 'open';
comment on column cases.seller is 'Who received the SOL and can return it. Null: the transaction paid nobody but the fee wallet.';
comment on column cases.fee_lamports is
  'The fee that the same transaction paid, which the studio owes to the buyer. In the first case of a transaction only.';
comment on column cases.buyer is 'Who paid, of a case without a purchase: lost, because the database has lost the purchase.';

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

-- Every settled item, in one order that never changes, for games that follow all sales.

create table sales_to_stamp (
  id bigint primary key generated always as identity,
  purchase_id uuid not null,
  is_reversal boolean not null,
  noted_at timestamptz not null default now()
);
comment on table sales_to_stamp is
  'Settled purchases, and those whose payment the chain has undone, that stamp_sales has not seen yet. Written by the transaction that settles: a row of its own, so that none waits for another.';

create table sales_head (
  only_row boolean primary key default true check (only_row),
  ordinal bigint not null
);
comment on table sales_head is 'The last ordinal in sales. Its row is also the lock that lets one stamp_sales work at a time.';
insert into sales_head (ordinal) values (0);

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
comment on table sales is
  'Every settled item, and its reversal if the chain undid the payment. Append-only. Ordinals are committed one after the other, after the sale itself: whoever has read up to one has read everything below it. No foreign keys, which would have stamp_sales wait for locks on purchases.';
comment on column sales.stamped_at is
  'The same for all that was stamped together. Cursors carry it: after a restore, an ordinal that is given again has another time.';
comment on column sales.fee_lamports is 'Its share of the fee: by how much it raises the fee of the items before it, rounded down.';
comment on column sales.settled_at is 'Of a reversal: when the server found out.';
create index sales_by_time on sales (settled_at) where not is_reversal;
comment on index sales_by_time is 'The sales of a day, for the statistics.';
create index sales_undone on sales (purchase_id) where is_reversal;

insert into sales_to_stamp (purchase_id, is_reversal, noted_at)
  select id, false, settled_at from purchases where status = 'settled' order by settled_at, id;
insert into sales_to_stamp (purchase_id, is_reversal, noted_at)
  select purchase_id, true, min(opened_at) from cases where kind = 'vanished' group by purchase_id order by min(opened_at), purchase_id;

-- Webhooks.

create table webhooks (
  id uuid primary key default new_id(),
  url text not null check (char_length(url) <= 2048),
  events text[] not null check (cardinality(events) between 1 and 20),
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
comment on table webhooks is 'Addresses of the studio that are told what happens. Each is a queue of its own.';
comment on column webhooks.events is 'The types of the messages that it gets.';
comment on column webhooks.switched_off is
  'Why it is not enabled. asked: by the studio. gone: its receiver answered 410. failed: ten attempts at one message failed.';
comment on column webhooks.delivered_to is 'The ordinal of the last message that was delivered, or skipped.';
comment on column webhooks.replays is
  'Raised by each call that changes where the queue stands: what a server reports of the time before no longer counts.';
comment on column webhooks.failed_attempts is 'At the oldest message that is not delivered.';
comment on column webhooks.attempt_at is 'When that message is tried again; null for at once.';
comment on column webhooks.lease_until is 'Until then one server delivers, and no other does.';

create table webhook_secrets (
  id bigint generated always as identity primary key,
  webhook_id uuid not null references webhooks(id) on delete cascade,
  secret text not null,
  expires_at timestamptz
);
comment on table webhook_secrets is 'What messages are signed with: each with all of its webhook that have not expired.';
comment on column webhook_secrets.expires_at is 'Null for the newest; the others are valid for 24 hours after the next was made.';
create index webhook_secrets_by_webhook on webhook_secrets (webhook_id, id);

create table webhook_outbox (
  id bigint generated always as identity primary key,
  type text not null,
  subject uuid not null,
  snapshot json,
  created_at timestamptz not null default now()
);
comment on table webhook_outbox is
  'What webhooks are to be told and what has no place in their order yet: nearly always empty. Written by the transaction that is the cause, a short row that needs no lock.';
comment on column webhook_outbox.subject is 'The purchase, the listing or the case.';
comment on column webhook_outbox.snapshot is 'What of it may have changed when it is read: a listing as replies carry it, the state of a case.';

create table webhook_messages (
  ordinal bigint generated always as identity primary key,
  id uuid not null unique default new_id(),
  type text not null,
  body text not null check (octet_length(body) < 20000),
  created_at timestamptz not null default now()
);
comment on table webhook_messages is
  'What is sent, byte for byte, and the order in which it is sent. One server at a time gives ordinals, so they are committed in their order: whoever has read up to one has read all below it. Kept for 30 days.';
comment on column webhook_messages.id is 'Sent as webhook-id.';
create index webhook_messages_by_type on webhook_messages (type, ordinal);
create index webhook_messages_by_age on webhook_messages (created_at);

create table webhook_deliveries (
  id bigint generated always as identity primary key,
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
comment on table webhook_deliveries is 'Each attempt, and what the receiver answered. The newest of each webhook are kept.';
comment on column webhook_deliveries.status is 'Null if there was no answer: then error says why.';
comment on column webhook_deliveries.answer is 'The beginning of its body.';
create index webhook_deliveries_by_webhook on webhook_deliveries (webhook_id, id);

-- What the studio restricts.

create table pauses (
  is_now boolean primary key default true check (is_now),
  message text not null,
  actor text not null,
  since timestamptz not null default now()
);
comment on table pauses is 'The pause of the market: one row, or none while it is open.';

create table blocks (
  wallet_address text primary key,
  reason text not null,
  until timestamptz,
  takes_listings boolean not null,
  actor text not null,
  since timestamptz not null default now()
);
comment on table blocks is 'Wallets that may neither list nor hold. Counts until `until`, or until it is deleted.';
comment on column blocks.takes_listings is 'The wallet''s listings go back to it, those that are held as soon as their hold has ended unpaid.';
create index blocks_by_time on blocks (since desc, wallet_address);

create table token_rules (
  token_type text primary key references token_types,
  min_unit_lamports bigint check (min_unit_lamports >= 0),
  max_unit_lamports bigint check (max_unit_lamports >= 0),
  max_listings integer check (max_listings >= 0),
  max_daily_lamports bigint check (max_daily_lamports >= 0),
  check (min_unit_lamports <= max_unit_lamports)
);
comment on table token_rules is
  'What the studio allows of a drink: whole lamports for one, listings of a wallet at a time, and what a wallet may spend on it in a UTC day. '
  'Null: no such rule.';

-- What the database forgets when it is restored from a backup, and its recovery.

create table database_identity (
  only_row boolean primary key default true check (only_row),
  identity text not null,
  files text
);
comment on table database_identity is 'Which database this was when a server last knew that nothing is missing. Empty until the first one has started.';
comment on column database_identity.files is 'Which files they were, of a built-in database: a copy has others.';

create table rewinds (
  id uuid primary key default new_id(),
  cause text not null check (cause in ('restored', 'lost', 'asked')),
  found_at timestamptz not null default now(),
  expiry_height bigint,
  ended_at timestamptz,
  ended_by text,
  check ((ended_at is null) = (ended_by is null))
);
comment on table rewinds is
  'Times when the database went back to an earlier state, or may have. The market is paused until one has ended: when a recovery has found '
  'nothing, or the studio has accepted what one could not check.';
comment on column rewinds.cause is
  'restored: a server started on another database than before. lost: a running server missed what it had read. asked: by the studio.';
comment on column rewinds.expiry_height is 'Above this block height nothing can land any more that was signed before the first recovery began.';
create unique index rewinds_one_open on rewinds ((true)) where ended_at is null;

create table chain_slots (
  seen_at timestamptz primary key default now(),
  genesis_hash text not null,
  slot bigint not null
);
comment on table chain_slots is 'How far the chain was when, noted every 20 seconds and kept for two days: what came after a backup, came after its last one.';

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
  refunds json not null default '[]',
  unchecked json not null default '[]',
  unchecked_count integer not null default 0,
  limits json not null default '[]'
);
comment on table recoveries is 'Searches of the chain for payments that the database does not know, and how far each has come.';
comment on column recoveries.since is 'Up to then the database knows everything.';
comment on column recoveries.part is
  'waiting: until nothing can land any more that was signed before. listing: the transactions of each wallet. reading: these transactions.';
comment on column recoveries.since_slot is 'A slot before the first payment that can be missing. Null until the chain was asked.';
comment on column recoveries.needed_slot is 'The database was written at this slot or later: an endpoint must keep at least what has landed since.';
comment on column recoveries.block_height is 'Of the finalized chain, while it waits for expiry_height.';
comment on column recoveries.fee_wallets is 'Who has received fees, besides the sellers.';
comment on column recoveries.last_wallet is 'Wallets up to this one, in their order, are listed.';
comment on column recoveries.payments is 'Payments found that carry a reference of ours.';
comment on column recoveries.refunds is 'Refunds found that the database does not know: the first of them.';
create unique index recoveries_one_running on recoveries ((true)) where finished_at is null;

create table recovery_signatures (
  recovery_id uuid not null references recoveries(id),
  signature text not null,
  primary key (recovery_id, signature)
);
comment on table recovery_signatures is 'Transactions that a recovery has listed and not read yet.';

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

-- The items are those of the catalogue that each server reads at its start, no longer three.

alter table token_types
  -- Two items may exchange their names.
  drop constraint token_types_name_key,
  add constraint token_types_code check (token_type ~ '^[A-Z][A-Z0-9]*(_[A-Z0-9]+)*$' and char_length(token_type) <= 40),
  add constraint token_types_name check (name <> ''),
  add column first_seen_at timestamptz;
comment on table token_types is
  'What is traded here, or once was. Each server writes its catalogue here when it starts; an item that has left the catalogue keeps its row, for those who bought it.';
comment on column token_types.first_seen_at is 'When a server first had it in its catalogue; null for those of the three drinks that no server has had yet.';

-- What the market traded.

create function trade_time(p_time timestamptz) returns timestamptz language sql immutable as $$
  select date_bin('1 millisecond', p_time, '2000-01-01 00:00:00+00'::timestamptz)
$$;
comment on function trade_time is
  'A time as replies show it, in whole milliseconds: whoever sorts trades by what was shown gets the order in which candles open and close.';

create function unit_lamports(p_lamports bigint, p_amount bigint) returns bigint language sql immutable as $$
  select (2 * p_lamports + p_amount) / (2 * p_amount)
$$;
comment on function unit_lamports is 'What one costs, in whole lamports (nine decimals of SOL); a half is rounded up. Exact: only integers.';

create index sales_as_trades on sales (trade_time(settled_at), purchase_id, place) where not is_reversal;
create index sales_as_trades_of_token on sales (token_type, trade_time(settled_at), purchase_id, place) where not is_reversal;
comment on index sales_as_trades is 'Trades in their order, which is that of their times and then of their ids; of one token by the next index.';
create index sales_of_buyer on sales (buyer, trade_time(settled_at), purchase_id, place) where not is_reversal;
create index sales_of_seller on sales (seller, trade_time(settled_at), purchase_id, place) where not is_reversal;
comment on index sales_of_buyer is 'What a player bought in its order, which is that of trades; what one sold by the next index.';

create index transfers_of_orders_by_wallet on transfers (wallet_address, trade_time(created_at), id) where kind in ('credit', 'debit');
comment on index transfers_of_orders_by_wallet is 'What the studio credited to a player and debited.';

create view trades as
  select s.purchase_id, s.place, s.token_type, s.amount, s.price_lamports, unit_lamports(s.price_lamports, s.amount) as unit_lamports,
    s.signature, trade_time(s.settled_at) as settled_at
  from sales s
  where not s.is_reversal and not exists (select from sales undone where undone.purchase_id = s.purchase_id and undone.is_reversal);
comment on view trades is 'The sales whose payment the chain has kept.';

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
) with (fillfactor = 80);
comment on table candles is
  'What was traded of a token in a step of time, from its start up to the next. Steps without a trade have none. Written by roll_up_sales alone, '
  'which never adds to one: it derives those again in which something was sold or undone. open, high, low and close are unit_lamports.';
comment on column candles.lamports is 'What was paid in all, without fees. In numeric, as the sum of the highest prices is no bigint.';

create table candles_head (
  only_row boolean primary key default true check (only_row),
  ordinal bigint not null
);
comment on table candles_head is
  'The watermark: candles show all sales up to this ordinal, and none after it. Its row is also the lock that lets one roll_up_sales work at a time.';
insert into candles_head (ordinal) values (0);

-- Links that a wallet on a phone buys through (Solana Pay).

create table pay_links (
  id uuid primary key default new_id(),
  -- SHA-256.
  token_hash bytea not null unique check (octet_length(token_hash) = 32),
  listing_id uuid not null references listings,
  amount bigint not null check (amount > 0),
  most_lamports bigint not null check (most_lamports > 0),
  maker bytea not null check (octet_length(maker) = 32),
  maker_wallet text,
  purchase_id uuid references purchases,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null
);
create index pay_links_by_maker on pay_links (maker, expires_at);
create index pay_links_by_wallet on pay_links (maker_wallet, expires_at) where maker_wallet is not null;
create index pay_links_by_expiry on pay_links (expires_at);
comment on table pay_links is
  'Links that a wallet on a phone buys through: each for an amount of a listing, for ten minutes, with one open hold at a time, and paid once.';
comment on column pay_links.maker is 'The network that the link was made from, as a keyed hash.';
comment on column pay_links.maker_wallet is 'Who made it; null if nobody was signed in.';
comment on column pay_links.purchase_id is 'The hold that it placed last.';

create table pay_link_holds (
  purchase_id uuid primary key references purchases,
  link_id uuid not null,
  listing_id uuid not null references listings,
  account text not null,
  maker bytea not null,
  maker_wallet text
);
create index pay_link_holds_by_link on pay_link_holds (link_id);
create index pay_link_holds_by_account on pay_link_holds (account);
create index pay_link_holds_by_maker on pay_link_holds (maker);
create index pay_link_holds_by_wallet on pay_link_holds (maker_wallet) where maker_wallet is not null;
comment on table pay_link_holds is
  'Holds that were placed through links. Nobody has proved that the account asked for one, so they count against whoever made the link as '
  'well. Kept as long as an abandoned hold counts.';

-- Alerts of players, and the pushes that tell them when no page is open.

create table alerts (
  id uuid primary key default new_id(),
  wallet_address text not null references players,
  token_type text not null,
  below_lamports bigint not null check (below_lamports > 0),
  created_at timestamptz not null default now(),
  fired_at timestamptz,
  fired_lamports bigint,
  check ((fired_at is null) = (fired_lamports is null))
);
comment on table alerts is 'Prices that players want to hear of. Each fires once, and stays until its player deletes it or needs its place.';
comment on column alerts.below_lamports is 'What one may cost at most; compared with unit_lamports.';
comment on column alerts.fired_lamports is 'What one cost at that moment.';
create index alerts_by_wallet on alerts (wallet_address, id);
create unique index alerts_waiting on alerts (wallet_address, token_type, below_lamports) where fired_at is null;
create index alerts_to_fire on alerts (token_type, below_lamports) where fired_at is null;

create table push_keys (
  only_row boolean primary key default true check (only_row),
  public_key text not null,
  private_key text not null,
  created_at timestamptz not null default now()
);
comment on table push_keys is
  'The VAPID keys (RFC 8292) by which push services know this market, of all servers: generated when they are first needed. Subscriptions are made '
  'for the public key, so they are lost with it.';

create table push_subscriptions (
  session_id uuid primary key references sessions on delete cascade,
  wallet_address text not null,
  endpoint text not null unique check (char_length(endpoint) <= 1024),
  p256dh text not null,
  auth text not null,
  created_at timestamptz not null default now(),
  failed_attempts integer not null default 0,
  attempt_at timestamptz not null default now()
);
comment on table push_subscriptions is 'Browsers that show pushes. Each belongs to a session, and is gone when that ends.';
comment on column push_subscriptions.endpoint is 'Of the browser''s push service. Whoever knows it and the keys can show messages there.';
comment on column push_subscriptions.failed_attempts is
  'Since the last push that was taken. Raised when an attempt begins, so that one during which a server is killed counts.';
comment on column push_subscriptions.attempt_at is 'Before that, nothing is sent: an attempt is under way, or the one before failed.';
create index push_subscriptions_by_wallet on push_subscriptions (wallet_address, created_at);

create table pushes (
  id uuid primary key default new_id(),
  session_id uuid not null references push_subscriptions on delete cascade,
  kind text not null check (kind in ('alert', 'sale')),
  token_type text not null,
  quantity bigint not null,
  created_at timestamptz not null default now()
);
comment on table pushes is
  'What browsers are to show and have not been sent: nearly always empty. Written in the transaction of its cause, sent for an hour.';
comment on column pushes.quantity is 'Of an alert what one cost, in lamports; of a sale how many were sold.';
create index pushes_by_subscription on pushes (session_id, id);
create index pushes_by_age on pushes (created_at);

create table pushes_head (
  only_row boolean primary key default true check (only_row),
  ordinal bigint not null
);
comment on table pushes_head is
  'The watermark: sellers have been told of all sales up to this ordinal. Its row is also the lock that lets one push_sales work at a time.';
insert into pushes_head (ordinal) select ordinal from sales_head;
