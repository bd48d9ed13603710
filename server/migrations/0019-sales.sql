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

create index transfers_of_orders on transfers (created_at) include (kind, token_type, amount) where kind in ('credit', 'debit');
comment on index transfers_of_orders is 'What the studio credited and debited in a day.';

create function sales_of(p_purchase uuid) returns table (
  place smallint, listing_id uuid, buyer text, seller text, token_type text, amount bigint, price_lamports bigint, fee_lamports bigint,
  fee_basis_points integer, signature text, settled_at timestamptz
) language plpgsql stable as $$
declare
  p purchases;
begin
  select * into p from purchases where id = p_purchase;
  return query
    select i.place, i.listing_id, p.buyer, i.seller, i.token_type, i.amount, i.price_lamports,
      -- As feeShares in server/src/purchases/fee.ts.
      case when p.fee_wallet is null or i.seller = p.fee_wallet then 0
        else floor(i.charged * p.fee_basis_points / 10000) - floor((i.charged - i.price_lamports) * p.fee_basis_points / 10000) end::bigint,
      p.fee_basis_points, p.signature, p.settled_at
    from (
      select *, sum(item.price_lamports) filter (where item.seller is distinct from p.fee_wallet) over (order by item.place) as charged
      from purchase_items item where item.purchase_id = p_purchase
    ) i order by i.place;
end
$$;
comment on function sales_of is 'The items of a settled purchase, as sales tells of them.';

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
comment on function stamp_sales is
  'Gives ordinals to what was settled, of at most p_limit purchases, and returns how many it gave. Only one at a time works, and settling never waits for it.';

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

create trigger purchases_note_sale after update of status on purchases
  for each row when (old.status <> 'settled' and new.status = 'settled') execute function note_sale();
create trigger cases_note_reversal after insert on cases
  for each row when (new.kind = 'vanished') execute function note_reversal();

insert into sales_to_stamp (purchase_id, is_reversal, noted_at)
  select id, false, settled_at from purchases where status = 'settled' order by settled_at, id;
insert into sales_to_stamp (purchase_id, is_reversal, noted_at)
  select purchase_id, true, min(opened_at) from cases where kind = 'vanished' group by purchase_id order by min(opened_at), purchase_id;
