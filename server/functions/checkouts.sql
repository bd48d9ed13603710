-- Checkouts: whether one can be paid, and what becomes of it when its purchase ends.

create or replace function checkout_status(c checkouts) returns text language sql stable as $$
  select case when c.status = 'open' and c.expires_at <= now() then 'expired' else c.status end
$$;
comment on function checkout_status is 'The status as it is now: the column of one that has just expired does not say so yet.';

create or replace function checkout_facts(p_public_id text) returns json language plpgsql stable as $$
begin
  return (
    select json_build_object('id', c.id, 'status', checkout_status(c), 'tokenType', c.token_type, 'amount', c.amount,
      'maxLamports', c.max_lamports::text, 'wallet', c.wallet)
    from checkouts c where public_id = p_public_id
  );
end
$$;
comment on function checkout_facts is 'What decides whether a checkout can be paid; null if there is none.';

create or replace function begin_checkout(p_checkout uuid, p_purchase uuid) returns void language plpgsql as $$
begin
  update purchases set checkout_id = p_checkout where id = p_purchase;
  update checkouts set status = 'paying', purchase_id = p_purchase where id = p_checkout;
end
$$;
comment on function begin_checkout is 'Binds an open checkout to the purchase that was just reserved or held for it, under the locks of lock_reservation_facts.';

create or replace function follow_purchase() returns trigger language plpgsql as $$
declare
  paid uuid;
begin
  select id into paid from purchases where checkout_id = new.checkout_id and status = 'settled' order by settled_at, id limit 1;
  update checkouts set
      status = case when paid is not null then 'completed' when expires_at > now() then 'open' else 'expired' end, purchase_id = paid
    where id = new.checkout_id and status <> 'completed';
  return null;
end
$$;
comment on function follow_purchase is
  'What becomes of a checkout when a purchase of it is delivered or ends unpaid, under the locks of lock_listings_of. A late payment for a hold '
  'that had ended completes it, too.';

create or replace trigger purchases_change_checkout after update of status on purchases
  for each row when (new.checkout_id is not null and old.status <> new.status) execute function follow_purchase();

create or replace function expire_checkouts(p_limit integer) returns integer language plpgsql as $$
declare
  expired integer;
begin
  update checkouts set status = 'expired' where id in (
    select id from checkouts where status = 'open' and expires_at <= now() order by expires_at limit p_limit for update skip locked
  );
  get diagnostics expired = row_count;
  return expired;
end
$$;
comment on function expire_checkouts is 'Ends open checkouts whose time is over, and returns how many.';

create or replace function note_checkout() returns trigger language plpgsql as $$
begin
  perform note_for_webhooks('checkout.' || new.status, new.id);
  return null;
end
$$;

create or replace trigger checkouts_note_end after update of status on checkouts
  for each row when (new.status in ('completed', 'expired') and old.status <> new.status) execute function note_checkout();
