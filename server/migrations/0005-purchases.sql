-- A purchase is a hold on a lot and what became of it. Locks are taken in one order everywhere:
-- the buyer's player row, the listing, the purchase, the case, the balance.

create table purchases (
  id uuid primary key default new_id(),
  listing_id uuid not null references listings,
  buyer text not null,
  seller text not null check (seller <> buyer),
  token_type text not null,
  amount bigint not null,
  price_lamports bigint not null,
  -- A public key made for this purchase alone: the payment names it, so it is found and told from every other.
  reference text not null unique,
  genesis_hash text not null,
  -- Highest processed slot of any endpoint before the hold: an earlier transfer cannot be meant for it.
  held_at_slot bigint not null,
  server_sends boolean not null,
  pay_before timestamptz not null,
  letting_go boolean not null default false,
  status text not null default 'held' check (status in ('held', 'settled', 'ended')),
  end_reason text check (end_reason in ('let_go', 'lapsed', 'expired', 'chain_gone')),
  -- The payment that settled it.
  signature text unique,
  -- Above this finalized height no payment signed before `pay_before` can land any more; set after `pay_before`.
  release_height bigint,
  -- When a node looks at the chain for it again: also the lease of the node that is looking. Null: never.
  next_look_at timestamptz default now(),
  looked_at timestamptz,
  looks integer not null default 0,
  buyer_looks integer not null default 0,
  created_at timestamptz not null default now(),
  settled_at timestamptz,
  ended_at timestamptz,
  finalized_at timestamptz,
  check ((status = 'settled') = (settled_at is not null)),
  check ((status = 'settled') = (signature is not null)),
  check ((status = 'ended') = (end_reason is not null)),
  check (status <> 'ended' or ended_at is not null)
);
create unique index purchases_one_hold_a_lot on purchases (listing_id) where status = 'held';
create unique index purchases_one_sale_a_lot on purchases (listing_id) where status = 'settled';
-- Two equal transfers could not be told apart where the payment carries no reference.
create unique index purchases_no_twin_holds on purchases (buyer, seller, price_lamports) where status = 'held';
create index purchases_by_listing on purchases (listing_id, buyer);
create index purchases_by_buyer on purchases (buyer, id);
create index purchases_by_seller on purchases (seller, id);
create index purchases_to_look_at on purchases (next_look_at) where next_look_at is not null;

-- late: landed after the hold ended. wrong: another amount or shape. double: a second payment for one purchase.
-- vanished: the chain dropped a payment for which tokens had moved.
create table cases (
  id uuid primary key default new_id(),
  purchase_id uuid not null references purchases,
  kind text not null check (kind in ('late', 'wrong', 'double', 'vanished')),
  status text not null default 'open' check (status in ('open', 'refunding', 'delivered', 'refunded', 'closed')),
  signature text not null,
  lamports bigint not null check (lamports >= 0),
  -- Only a payment that names the purchase's reference, in the exact amount, may still be delivered.
  deliverable boolean not null,
  -- Set once a refund was prepared. Kept: the seller's wallet may sign and send it much later, with another blockhash.
  refund_reference text unique,
  -- Set while a refund that was prepared may be on its way, which it can't above this block height; no delivery meanwhile.
  refund_expiry_height bigint,
  note text,
  next_look_at timestamptz,
  opened_at timestamptz not null default now(),
  closed_at timestamptz,
  unique (purchase_id, signature),
  check ((status in ('delivered', 'refunded', 'closed')) = (closed_at is not null)),
  check (refund_expiry_height is null or refund_reference is not null)
);
create index cases_by_status on cases (status, id);
create index cases_to_look_at on cases (next_look_at) where next_look_at is not null;

-- Every transaction that was recorded before it was broadcast, that counted, or that became a case. The primary key is invariant I3:
-- one signature serves one purpose.
create table payments (
  signature text primary key,
  kind text not null check (kind in ('purchase', 'refund')),
  purchase_id uuid not null references purchases,
  case_id uuid references cases,
  genesis_hash text not null,
  wire bytea not null,
  -- Above this block height the bytes can no longer land.
  expiry_height bigint not null,
  -- recorded: kept and sent until it lands. settled: counted. dead: proved never to land, or landed and did not count.
  status text not null check (status in ('recorded', 'settled', 'dead')),
  confirmed_at timestamptz,
  slot bigint,
  created_at timestamptz not null default now(),
  check ((kind = 'refund') = (case_id is not null))
);
create unique index payments_one_under_way on payments (purchase_id) where kind = 'purchase' and status = 'recorded';
create unique index payments_one_refund on payments (case_id) where kind = 'refund' and status <> 'dead';
create index payments_by_purchase on payments (purchase_id);

create function emit_purchase(p purchases) returns void language sql as $$
  select emit_event('purchase.changed', array[p.buyer, p.seller], json_build_object('type', 'purchase.changed', 'purchaseId', p.id))
$$;

-- Delivers the tokens for a payment that the chain was seen to accept. Idempotent. Gives
--   settled: delivered, now or by an earlier call;   paid_before: another payment settled this purchase;
--   lot_gone: sold, removed or held by someone else; signature_used: the transaction served another purpose;
--   refunding: the seller is paying it back, or may be.
create function settle_purchase(p_purchase uuid, p_signature text, p_slot bigint, p_wire bytea, p_expiry_height bigint, p_referenced boolean)
returns text language plpgsql as $$
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
  -- Late payments are delivered only where they name the purchase, and nobody else is paying for the lot.
  if l.status <> 'active' or (l.held_by is not null and l.held_by <> p.id) or (p.status = 'ended' and not p_referenced) then
    return 'lot_gone';
  end if;
  select * into c from cases where purchase_id = p.id and signature = p_signature for update;
  if c.status in ('refunding', 'refunded', 'closed') or (c.status = 'open' and c.refund_expiry_height is not null) then
    return 'refunding';
  end if;

  insert into payments (signature, kind, purchase_id, genesis_hash, wire, expiry_height, status, confirmed_at, slot)
  values (p_signature, 'purchase', p.id, p.genesis_hash, p_wire, p_expiry_height, 'settled', now(), p_slot)
  on conflict (signature) do update
    set status = 'settled', slot = excluded.slot, confirmed_at = coalesce(payments.confirmed_at, excluded.confirmed_at)
    where payments.purchase_id = excluded.purchase_id and payments.kind = 'purchase';
  if not found then
    return 'signature_used';
  end if;

  -- A payment is final some 32 slots after it was confirmed, about 13 s: until then there is nothing to see but that it still stands.
  update purchases set status = 'settled', end_reason = null, signature = p_signature, settled_at = now(), next_look_at = now() + interval '12 s'
    where id = p.id returning * into p;
  update listings set status = 'sold', closed_at = now(), held_by = null, held_until = null
    where id = l.id returning * into l;
  update cases set status = 'delivered', closed_at = now(), next_look_at = null
    where purchase_id = p.id and signature = p_signature and status = 'open';
  perform post_transfer('sale', p.token_type, p.amount, p.buyer, l.id);
  perform emit_listing('listing.sold', l);
  perform emit_purchase(p);
  perform emit_balance(p.buyer);
  return 'settled';
end
$$;
