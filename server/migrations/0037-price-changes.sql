-- A seller changes the price of what is left of a listing. What parts of it cost follows from the newest price, also of those that come back.
alter table listings
  add column priced_amount bigint,
  add column priced_lamports bigint,
  add column priced_at timestamptz,
  drop constraint listings_rest,
  add constraint listings_rest check (amount <= whole_amount and (priced_lamports is not null or price_lamports <= whole_lamports)),
  add constraint listings_priced check (
    (priced_amount is null) = (priced_lamports is null) and (priced_amount is null) = (priced_at is null)
    and priced_lamports >= 1000000 and priced_lamports % 1000000 = 0
  );
comment on column listings.priced_amount is 'How much was left when its seller last changed the price; null while it has its first one.';
comment on column listings.priced_lamports is 'As priced_amount, its new price.';
comment on column listings.priced_at is 'When that was.';
comment on column listings.whole_amount is
  'What the seller listed, of a listing that was split or whose price was changed; null until then. The rest and the parts add up to it.';

alter table listing_keys add column changed_lamports bigint;
comment on column listing_keys.changed_lamports is 'The price to which the key has changed the listing; null if the key has created it.';
comment on table listing_keys is
  'What a seller''s Idempotency-Key has done: created a listing, or changed its price. Asked for again, nothing is done again. Kept for a day.';

-- functions that hold and settle: aa00ec07d550e0f0e3c921abf276eda867a1d14fef2cfa900338158b152ba729
