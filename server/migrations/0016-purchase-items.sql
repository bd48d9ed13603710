-- A purchase is what one payment pays for: one item or several, of one seller or several, and the studio's fee. An item is a whole listing,
-- or a part of one. A part is a listing of its own, split off when it is held, and merged back if nobody pays.

-- The parts of listings.

alter table listings
  add column part_of uuid references listings,
  add column whole_amount bigint,
  add column whole_lamports bigint,
  drop constraint listings_price_lamports_check,
  drop constraint listings_status_check,
  drop constraint listings_check1;
alter table listings
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
comment on column listings.status is
  'reserved: a part that a purchase holds and that has no card on the market. merged: a part that went back to the listing it was split from.';
comment on column listings.closed_at is 'When it left the market; of a part, when it was split off without entering it.';
comment on column listings.part_of is 'The listing that this part was split from.';
comment on column listings.whole_amount is 'What the seller listed, of a listing that was split; null until then. The rest and the parts add up to it.';
comment on column listings.whole_lamports is 'As whole_amount, its price.';
create index listings_open_parts on listings (part_of) where part_of is not null and status in ('active', 'reserved');
comment on index listings_open_parts is 'The parts that may merge again.';

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

-- The items of purchases.

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

drop index purchases_one_hold_a_listing, purchases_one_sale_a_listing, purchases_no_ambiguous_holds, purchases_by_listing, purchases_by_seller;
alter table purchases
  drop constraint purchases_check,
  alter column seller type text[] using array[seller],
  add column fee_basis_points integer not null default 0 check (fee_basis_points between 0 and 1000),
  add column fee_lamports bigint not null default 0 check (fee_lamports >= 0),
  add column fee_wallet text,
  drop column listing_id, drop column token_type, drop column amount;
alter table purchases rename column seller to sellers;
alter table purchases
  add constraint purchases_sellers check (cardinality(sellers) between 1 and 10 and buyer <> all (sellers)),
  add constraint purchases_fee check ((fee_lamports > 0) = (fee_wallet is not null));
comment on table purchases is
  'A hold on one listing or several, and what became of it. Every transaction takes its row locks in the same order: the buyer''s player '
  'row, the listings by their id, the purchase, the cases by their id, the balances by wallet and token.';
comment on column purchases.sellers is 'Who is paid, each once, in the order of the items.';
comment on column purchases.price_lamports is 'The sum of its items. The buyer pays the fee on top.';
comment on column purchases.fee_basis_points is 'The studio''s rate when the hold was placed.';
comment on column purchases.fee_wallet is 'Who receives the fee; null if there is none to pay.';

create unique index purchases_no_ambiguous_holds on purchases (
  buyer, (case when cardinality(sellers) = 1 and fee_lamports = 0 then sellers[1] || ' ' || price_lamports else id::text end)
) where status = 'held';
comment on index purchases_no_ambiguous_holds is
  'A payment without a reference could not tell two such holds apart. Also finds the open holds of a buyer.';

-- The seller of a case: one for each seller who received SOL.

alter table cases add column seller text, add column fee_lamports bigint not null default 0 check (fee_lamports >= 0);
update cases c set seller = p.sellers[1] from purchases p where p.id = c.purchase_id;
alter table cases drop constraint cases_purchase_id_signature_key;
alter table cases add constraint cases_one_a_seller unique nulls not distinct (purchase_id, signature, seller);
create index cases_by_seller on cases (seller, id);
create index cases_by_signature on cases (signature);
comment on column cases.seller is 'Who received the SOL and can return it. Null: the transaction paid nobody but the fee wallet.';
comment on column cases.fee_lamports is
  'The fee that the same transaction paid, which the studio owes to the buyer. In the first case of a transaction only.';
