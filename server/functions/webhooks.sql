-- Webhooks: what they are told is noted in the transaction of its cause.

create or replace function note_for_webhooks(p_type text, p_subject uuid, p_snapshot json default null) returns void language sql as $$
  insert into webhook_outbox (type, subject, snapshot)
    select p_type, p_subject, p_snapshot where exists (select from webhooks where p_type = any (events))
$$;
comment on function note_for_webhooks is 'Notes what just happened, if a webhook wants to know it.';

create or replace function note_settled_purchase() returns trigger language plpgsql as $$
begin
  perform note_for_webhooks('sale.settled', new.id);
  return null;
end
$$;

create or replace function note_listing() returns trigger language plpgsql as $$
begin
  perform note_for_webhooks(case when new.status = 'active' then 'listing.created' else 'listing.removed' end, new.id, new.reply_json::json);
  return null;
end
$$;

create or replace function note_case() returns trigger language plpgsql as $$
begin
  -- The payment of a purchase is undone as a whole, and each of its sellers has a case.
  if tg_op = 'INSERT' and new.kind = 'vanished'
      and not exists (select from cases where purchase_id = new.purchase_id and kind = 'vanished' and id <> new.id) then
    perform note_for_webhooks('sale.reversed', new.purchase_id);
  end if;
  perform note_for_webhooks(case when tg_op = 'INSERT' then 'case.opened' else 'case.closed' end, new.id,
    json_build_object('status', new.status, 'deliverable', new.deliverable, 'note', new.note, 'closedAt', json_time(new.closed_at)));
  return null;
end
$$;

create or replace trigger purchases_note_settled after update of status on purchases
  for each row when (old.status <> 'settled' and new.status = 'settled') execute function note_settled_purchase();

-- What enters the market and what leaves it unsold. A part that nobody sees on the market does neither.
create or replace trigger listings_note_created after insert on listings
  for each row when (new.status = 'active') execute function note_listing();
create or replace trigger listings_note_changed after update of status on listings
  for each row when (old.status = 'reserved' and new.status = 'active' or old.status = 'active' and new.status in ('removed', 'merged'))
  execute function note_listing();

create or replace trigger cases_note_opened after insert on cases for each row execute function note_case();
create or replace trigger cases_note_closed after update of status on cases
  for each row when (old.closed_at is null and new.closed_at is not null) execute function note_case();
