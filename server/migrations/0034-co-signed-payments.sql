-- Payments that only the market can send: what they pay for is reserved when their bytes are recorded.
alter table purchases
  add column co_signed boolean not null default false,
  drop constraint purchases_end_reason_check,
  add constraint purchases_end_reason_check check (end_reason in ('cancelled', 'lapsed', 'expired', 'failed', 'chain_gone', 'released'));
alter table purchases add column needs_reference boolean not null default false;
comment on column purchases.needs_reference is 'Only a payment that carries the reference counts, as the setting was when it was held.';
alter table purchases add column unfunded boolean not null default false;
comment on column purchases.unfunded is
  'Its buyer had too little SOL left for it: a co-signed purchase that expired, or a hold whose payment window was closed for that reason.';
alter table purchases add column network bytea check (octet_length(network) = 32);
comment on column purchases.network is 'Of a hold of a wallet that had never completed a purchase: a keyed hash of where it came from.';
create index purchases_held_from on purchases (network) where status = 'held' and network is not null;
alter table purchases add column funds_read_at timestamptz, add column short_at timestamptz;
comment on column purchases.funds_read_at is 'Of a hold: when a server last went to read the balance of its buyer.';
comment on column purchases.short_at is 'Of a hold: when its buyer''s balance was last read, if that was too little for it.';
comment on column purchases.co_signed is
  'Only the market can send the payment, since it signs last. Everything is reserved from the moment at which the bytes are recorded.';
comment on column purchases.held_at_slot is
  'A slot that the chain had reached when the hold was placed: an earlier transfer cannot be its payment.';
comment on column purchases.pay_before is 'When the payment window closes; of a co-signed purchase, when it was reserved.';

-- A payment without a reference could not tell two such holds apart; a co-signed one always has its reference.
drop index purchases_no_ambiguous_holds;
create unique index purchases_no_ambiguous_holds on purchases (buyer, (
  case when cardinality(sellers) = 1 and fee_lamports = 0 and not co_signed then (sellers[1] || ' ') || price_lamports else id::text end
)) where status = 'held';
comment on index purchases_no_ambiguous_holds is
  'A payment without a reference could not tell two such holds apart. Also finds the open purchases of a buyer.';
-- Also the purchases that a wallet has lately not paid for although it had signed.
drop index purchases_left_unpaid;
create index purchases_left_unpaid on purchases (buyer, ended_at) where end_reason in ('cancelled', 'lapsed', 'expired', 'failed');

alter table payments add column message_hash bytea check (octet_length(message_hash) = 32);
comment on column payments.message_hash is
  'SHA-256 of the message that its signers sign, of a co-signed payment: its buyer can make many signatures of one message, but it is one payment.';
create unique index payments_by_message on payments (message_hash) where message_hash is not null;

create table refused_payments (
  message_hash bytea primary key check (octet_length(message_hash) = 32),
  buyer text not null references players(wallet_address),
  reference text not null,
  code text not null,
  detail text,
  listing_id text,
  expiry_height bigint not null,
  refused_at timestamptz not null default now()
);
comment on table refused_payments is
  'Signed payments that the market has refused to sign, until their bytes expire: what was refused is never sent.';
comment on column refused_payments.expiry_height is 'Above this block height the transaction can no longer land.';
create index refused_payments_by_buyer on refused_payments (buyer);
create index refused_payments_by_age on refused_payments (refused_at);

create table co_signer_histories (
  co_signer text not null,
  genesis_hash text not null,
  done_slot bigint,
  top_slot bigint,
  decided_to text,
  due_at timestamptz not null default now(),
  primary key (co_signer, genesis_hash),
  check (decided_to is null or top_slot is not null)
);
comment on table co_signer_histories is
  'How far the finalized transactions that name a key of the market have been searched for payments that it signed and the database does not know.';
comment on column co_signer_histories.done_slot is 'Everything up to this slot is decided. Null before the first search.';
comment on column co_signer_histories.top_slot is 'Up to which slot the search under way decides, the newest first. Null between two searches.';
comment on column co_signer_histories.decided_to is 'The signature down to which the search under way has decided. Null at its beginning.';
comment on column co_signer_histories.due_at is 'When to go on. A server that does so moves it on, so that no other does at the same time.';

create table unmatched_payments (
  ordinal bigint primary key,
  signature text not null unique,
  opened_at timestamptz not null default clock_timestamp()
);
comment on table unmatched_payments is
  'Co-signed payments that became cases, in the order in which they did: whoever compares the market with the chain finds here what is no trade.';

-- Refunds. A case of a lost purchase is refunded like any other; what a purchase says of its payment, it says itself.
alter table payments
  alter column purchase_id drop not null,
  add constraint payments_purchase check (purchase_id is not null or kind = 'refund');
comment on column payments.purchase_id is 'Null for the refund of a case whose purchase is lost.';
alter table cases add column genesis_hash text, add column paid_at_slot bigint;
comment on column cases.genesis_hash is 'Of a lost case: the chain that shows the payment.';
comment on column cases.paid_at_slot is 'Of a lost case: the slot of the payment. No refund is older.';
update cases set
    genesis_hash = coalesce((select genesis_hash from recoveries where genesis_hash is not null order by id desc limit 1), ''),
    paid_at_slot = coalesce((select min(since_slot) from recoveries), 0)
  where kind = 'lost';
alter table cases
  drop constraint cases_lost,
  add constraint cases_lost check (
    (kind = 'lost') = (purchase_id is null) and (kind = 'lost') = (buyer is not null)
    and (kind = 'lost') = (genesis_hash is not null) and (kind = 'lost') = (paid_at_slot is not null)
  );
-- What was sold in a lost purchase stays where it is until the refund has landed.
drop index cases_that_freeze;
create index cases_that_freeze on cases (seller) where kind = 'lost' and status in ('open', 'refunding');

create table refunds_seen (
  case_id uuid not null references cases(id),
  signature text not null,
  expiry_height bigint not null,
  seen_at timestamptz not null default now(),
  primary key (case_id, signature)
);
comment on table refunds_seen is
  'Transactions on the chain that name the reference of a case''s refund: the seller''s wallet has sent the SOL back by itself, or may have. '
  'Settlement reads them under its locks, so what one server has seen, no other delivers.';
comment on column refunds_seen.expiry_height is 'Above this block height it can no longer land if the chain drops it.';

-- Room is checked when something is reserved. Up to what is exact in a JSON number, there is more for its delivery.
alter table balances
  drop constraint balance_bounds,
  add constraint balance_bounds check (amount between 0 and 9007199254740991);

create table small_payments (
  case_id uuid not null references cases(id),
  signature text not null,
  lamports bigint not null check (lamports >= 0),
  fee_lamports bigint not null check (fee_lamports >= 0),
  primary key (case_id, signature)
);
comment on table small_payments is
  'Payments below the least price of a listing: those of one purchase to one seller add up in one case, which names the first. None is dropped, '
  'none counts twice, and none of them is delivered.';
create index small_payments_by_signature on small_payments (signature);

alter table purchases add column decided_to text, add column listed_to text;
comment on column purchases.decided_to is
  'Of the transactions that name the reference, up to which one, the oldest first, it is decided whether they pay for it. Null while they are few.';
comment on column purchases.listed_to is
  'Down to which of those transactions the list was followed without reaching the decided ones. Null to begin with the newest.';

-- Listings for sale are kept as replies show them, and replies have said the price in lamports since. Closed ones are rendered when they are read.
alter table listings disable trigger user;
update listings set reply_json = replace(reply_json, '"unitPrice"', '"lamports" : "' || price_lamports || '", "unitPrice"')
where status in ('active', 'reserved');
alter table listings enable trigger user;

-- Functions that hold and settle have other parameters than before.
-- functions that hold and settle: 5f443908459031a62c038988444642441f8269203e14f06072726576192889da
drop function if exists split_listing(listings, bigint, text, uuid, timestamptz);
drop function if exists bought_today(text, text, uuid[]);
