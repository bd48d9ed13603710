-- Every settled item, in one order that never changes, for games that follow all sales.

create or replace function sales_of(p_purchase uuid) returns table (
  place smallint, listing_id uuid, buyer text, seller text, token_type text, amount bigint, price_lamports bigint, fee_lamports bigint,
  fee_basis_points integer, signature text, settled_at timestamptz, checkout_id uuid, client_reference text
) language plpgsql stable as $$
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
comment on function sales_of is 'The items of a settled purchase, as sales tells of them.';

create or replace function stamp_sales(p_limit integer) returns integer language plpgsql as $$
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
comment on function stamp_sales is
  'Gives ordinals to what was settled, of at most p_limit purchases, and returns how many it gave. Only one at a time works, and settling never waits for it.';

create or replace function note_sale() returns trigger language plpgsql as $$
begin
  insert into sales_to_stamp (purchase_id, is_reversal) values (new.id, false);
  return null;
end
$$;

create or replace function note_reversal() returns trigger language plpgsql as $$
begin
  insert into sales_to_stamp (purchase_id, is_reversal) values (new.purchase_id, true);
  return null;
end
$$;

create or replace trigger purchases_note_sale after update of status on purchases
  for each row when (old.status <> 'settled' and new.status = 'settled') execute function note_sale();
create or replace trigger cases_note_reversal after insert on cases
  for each row when (new.kind = 'vanished') execute function note_reversal();
