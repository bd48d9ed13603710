-- Listings that may be bought in parts. Not compatible: an older server would answer an Idempotency-Key without comparing this, and while
-- the active listings are rendered again, it could not read any.

alter table listings add column divisible boolean not null default false;
alter table listings add constraint listings_divisible_check check (not divisible or price_lamports >= amount);
comment on column listings.divisible is
  'Buyers may take a part. Each drink then costs at least a lamport, so that every part has a price, and so has the rest.';

create or replace function render_listing(l listings) returns text language plpgsql stable as $$
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
    'status', l.status,
    'heldUntil', json_time(l.held_until),
    'createdAt', json_time(l.created_at))::text, '}')
    -- Left out unless true, as in the listings that were rendered before there was such a field.
    || case when l.waits_for_studio then ', "waitsForStudio" : true}' else '}' end;
end
$$;

-- Those on sale are rendered again, by their trigger. Most rows of an old market are closed: they stay as they are, and are rendered when
-- they are read.
update listings set divisible = false where status = 'active';
comment on column listings.reply_json is
  'The listing as replies and events carry it, rendered on write: rendering fifty rows on every read would cost more than the rest of '
  'a market page. That of a closed listing may lack fields that were added since: it is rendered when it is read.';
