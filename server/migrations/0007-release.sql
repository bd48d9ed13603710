-- Holds whose payment can be neither found nor ruled out, and the studio's log.

alter table purchases drop constraint purchases_end_reason_check;
alter table purchases add constraint purchases_end_reason_check
  check (end_reason in ('cancelled', 'lapsed', 'expired', 'chain_gone', 'released'));
alter table purchases
  add column unprovable_at timestamptz,
  add column release_reason text check (char_length(release_reason) between 1 and 1000);
comment on column purchases.unprovable_at is
  'Since when every endpoint has an obstacle in history_searches, so that only the studio can end the hold. Null: the chain may still '
  'prove that no payment came.';
comment on column purchases.release_reason is 'Why the studio released the hold, in words for buyer and seller.';

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

alter table listings add column waits_for_studio boolean not null default false;
comment on column listings.waits_for_studio is 'The purchase that holds the listing is unprovable. Cleared with the hold.';

-- In PL/pgSQL, which plans its queries once per connection.
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
    'status', l.status,
    'heldUntil', json_time(l.held_until),
    'createdAt', json_time(l.created_at))::text, '}')
    -- Left out unless true, as in the listings that were rendered before there was such a field.
    || case when l.waits_for_studio then ', "waitsForStudio" : true}' else '}' end;
end
$$;

create or replace function before_listing_write() returns trigger language plpgsql as $$
begin
  if new.held_by is null then
    new.waits_for_studio := false;
  end if;
  new.reply_json := render_listing(new);
  if tg_op = 'INSERT' then
    insert into sellers (seller) values (new.seller) on conflict do nothing;
  end if;
  return new;
end
$$;

create table studio_log (
  id bigint generated always as identity primary key,
  actor text not null,
  call text not null,
  subject text not null,
  reason text,
  created_at timestamptz not null default now()
);
comment on table studio_log is 'What was done through the studio API: by whom, with which call, to what, and why. Append-only.';

create function refuse_change() returns trigger language plpgsql as $$
begin
  raise exception 'the rows of % are never changed', tg_table_name;
end
$$;
create trigger studio_log_append_only before update or delete or truncate on studio_log for each statement execute function refuse_change();
