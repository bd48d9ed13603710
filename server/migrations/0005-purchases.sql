-- Buying: a hold, its payment, and cases for payments that cannot be delivered.

create table purchases (
  id uuid primary key default new_id(),
  listing_id uuid not null references listings,
  buyer text not null,
  seller text not null check (seller <> buyer),
  token_type text not null,
  amount bigint not null,
  price_lamports bigint not null,
  reference text not null unique,
  genesis_hash text not null,
  held_at_slot bigint not null,
  server_sends boolean not null,
  pay_before timestamptz not null,
  cancel_requested boolean not null default false,
  status text not null default 'held' check (status in ('held', 'settled', 'ended')),
  end_reason text check (end_reason in ('cancelled', 'lapsed', 'expired', 'chain_gone')),
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
  check ((status = 'settled') = (settled_at is not null)),
  check ((status = 'settled') = (signature is not null)),
  check ((status = 'ended') = (end_reason is not null)),
  check (status <> 'ended' or ended_at is not null)
);
create unique index purchases_one_hold_a_listing on purchases (listing_id) where status = 'held';
create unique index purchases_one_sale_a_listing on purchases (listing_id) where status = 'settled';
create unique index purchases_no_ambiguous_holds on purchases (buyer, seller, price_lamports) where status = 'held';
create index purchases_by_listing on purchases (listing_id, buyer);
create index purchases_by_buyer on purchases (buyer, id);
create index purchases_by_seller on purchases (seller, id);
create index purchases_due on purchases (reconcile_at) where reconcile_at is not null;
comment on table purchases is
  'A hold on a listing and what became of it. Every transaction takes its row locks in the same order: the buyer''s player row, the
listing, the purchase, the case, the balance.';
comment on column purchases.reference is
  'A public key made for this purchase alone. The payment carries it, so that it can be found on the chain and told apart from others.';
comment on column purchases.genesis_hash is 'The chain that the payment belongs on.';
comment on column purchases.held_at_slot is
  'The highest processed slot of any endpoint before the hold was placed: an earlier transfer cannot be its payment.';
comment on column purchases.server_sends is
  'True: only this product''s servers broadcast the payment. False: the buyer''s wallet may do so too.';
comment on column purchases.pay_before is 'When the payment window closes.';
comment on column purchases.signature is 'The payment that settled the purchase.';
comment on column purchases.release_height is
  'Once the finalized chain is above this block height, no payment signed inside the payment window can land any more. Set after the '
  'window has closed.';
comment on column purchases.reconcile_at is
  'When a server next reconciles the purchase with the chain. While one does, the end of its lease. Null: never.';
comment on column purchases.buyer_scans is 'How often the buyer''s own transactions were searched for the payment.';
comment on index purchases_no_ambiguous_holds is 'A payment without a reference could not tell two such holds apart.';

create table cases (
  id uuid primary key default new_id(),
  purchase_id uuid not null references purchases,
  kind text not null check (kind in ('late', 'wrong', 'double', 'vanished')),
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
  unique (purchase_id, signature),
  check ((status in ('delivered', 'refunded', 'closed')) = (closed_at is not null)),
  check (refund_expiry_height is null or refund_reference is not null)
);
create index cases_by_status on cases (status, id);
create index cases_due on cases (reconcile_at) where reconcile_at is not null;
comment on table cases is 'Payments that the chain accepted and that could not be delivered.';
comment on column cases.kind is
  'late: landed after the hold had ended. wrong: another amount or form than agreed. double: a second payment for one purchase.
vanished: the chain dropped a payment for which tokens had moved.';
comment on column cases.deliverable is
  'Only a payment of the exact amount that carries the purchase''s reference may still be delivered.';
comment on column cases.refund_reference is
  'Set when a refund is first prepared, and kept: the seller''s wallet may sign and send it much later, with another blockhash.';
comment on column cases.refund_expiry_height is
  'While set, a prepared refund may still land, up to this block height, and the listing is not delivered.';
comment on column cases.reconcile_at is 'As purchases.reconcile_at.';

create table payments (
  signature text primary key,
  kind text not null check (kind in ('purchase', 'refund')),
  purchase_id uuid not null references purchases,
  case_id uuid references cases,
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
comment on table payments is
  'Every transaction that was recorded before it was broadcast, that settled a purchase, or that became a case. The primary key is
invariant I3: one signature serves one purpose.';
comment on column payments.expiry_height is 'Above this block height the transaction can no longer land.';
comment on column payments.status is
  'recorded: broadcast until it lands or expires. settled: it counted. void: it expired, or it landed and did not count.';

create function emit_purchase(p purchases) returns void language sql as $$
  select emit_event('purchase.changed', array[p.buyer, p.seller], json_build_object('type', 'purchase.changed', 'purchaseId', p.id))
$$;

create function settle_purchase(
  p_purchase uuid, p_signature text, p_slot bigint, p_transaction_bytes bytea, p_expiry_height bigint, p_referenced boolean
) returns text language plpgsql as $$
declare
  p purchases;
  l listings;
  c cases;
begin
  select listings.* into l from listings
    where id = (select listing_id from purchases where id = p_purchase) for update;
  select * into p from purchases where id = p_purchase for update;
  if p.status = 'settled' then
    return case when p.signature = p_signature then 'settled' else 'paid_before' end;
  end if;
  -- A late payment is delivered only if it carries the reference and nobody else is paying for the listing.
  if l.status <> 'active' or (l.held_by is not null and l.held_by <> p.id) or (p.status = 'ended' and not p_referenced) then
    return 'listing_gone';
  end if;
  select * into c from cases where purchase_id = p.id and signature = p_signature for update;
  if c.status in ('refunding', 'refunded', 'closed') or (c.status = 'open' and c.refund_expiry_height is not null) then
    return 'refunding';
  end if;

  insert into payments (signature, kind, purchase_id, genesis_hash, transaction_bytes, expiry_height, status, confirmed_at, slot)
  values (p_signature, 'purchase', p.id, p.genesis_hash, p_transaction_bytes, p_expiry_height, 'settled', now(), p_slot)
  on conflict (signature) do update
    set status = 'settled', slot = excluded.slot, confirmed_at = coalesce(payments.confirmed_at, excluded.confirmed_at)
    where payments.purchase_id = excluded.purchase_id and payments.kind = 'purchase';
  if not found then
    return 'signature_used';
  end if;

  -- A payment is finalized some 32 slots, about 13 s, after it was confirmed: until then there is nothing new to learn.
  update purchases set status = 'settled', end_reason = null, signature = p_signature, settled_at = now(), reconcile_at = now() + interval '12 s'
    where id = p.id returning * into p;
  update listings set status = 'sold', closed_at = now(), held_by = null, held_until = null
    where id = l.id returning * into l;
  update cases set status = 'delivered', closed_at = now(), reconcile_at = null
    where purchase_id = p.id and signature = p_signature and status = 'open';
  perform post_transfer('sale', p.token_type, p.amount, p.buyer, l.id);
  perform emit_listing('listing.sold', l);
  perform emit_purchase(p);
  perform emit_balance(p.buyer);
  return 'settled';
end
$$;
comment on function settle_purchase is
  'Delivers the tokens for a payment that the chain accepted. Idempotent. Returns
  settled: delivered, by this call or an earlier one;    paid_before: another payment settled this purchase;
  listing_gone: sold, removed or held by someone else;   signature_used: the transaction served another purpose;
  refunding: the seller is paying it back, or may be.';
