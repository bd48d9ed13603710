-- Webhooks: what they are told is noted in the transaction of its cause.

create table webhooks (
  id uuid primary key default new_id(),
  url text not null check (char_length(url) <= 2048),
  events text[] not null check (cardinality(events) between 1 and 20),
  enabled boolean not null default true,
  switched_off text check (switched_off in ('asked', 'gone', 'failed')),
  delivered_to bigint not null,
  replays integer not null default 0,
  failed_attempts integer not null default 0,
  attempt_at timestamptz,
  lease_id uuid,
  lease_until timestamptz not null default now(),
  created_at timestamptz not null default now(),
  check (enabled = (switched_off is null))
);
comment on table webhooks is 'Addresses of the studio that are told what happens. Each is a queue of its own.';
comment on column webhooks.events is 'The types of the messages that it gets.';
comment on column webhooks.switched_off is
  'Why it is not enabled. asked: by the studio. gone: its receiver answered 410. failed: ten attempts at one message failed.';
comment on column webhooks.delivered_to is 'The ordinal of the last message that was delivered, or skipped.';
comment on column webhooks.replays is
  'Raised by each call that changes where the queue stands: what a server reports of the time before no longer counts.';
comment on column webhooks.failed_attempts is 'At the oldest message that is not delivered.';
comment on column webhooks.attempt_at is 'When that message is tried again; null for at once.';
comment on column webhooks.lease_until is 'Until then one server delivers, and no other does.';

create table webhook_secrets (
  id bigint generated always as identity primary key,
  webhook_id uuid not null references webhooks(id) on delete cascade,
  secret text not null,
  expires_at timestamptz
);
comment on table webhook_secrets is 'What messages are signed with: each with all of its webhook that have not expired.';
comment on column webhook_secrets.expires_at is 'Null for the newest; the others are valid for 24 hours after the next was made.';
create index webhook_secrets_by_webhook on webhook_secrets (webhook_id, id);

create table webhook_outbox (
  id bigint generated always as identity primary key,
  type text not null,
  subject uuid not null,
  snapshot json,
  created_at timestamptz not null default now()
);
comment on table webhook_outbox is
  'What webhooks are to be told and what has no place in their order yet: nearly always empty. Written by the transaction that is the cause, a short row that needs no lock.';
comment on column webhook_outbox.subject is 'The purchase, the listing or the case.';
comment on column webhook_outbox.snapshot is 'What of it may have changed when it is read: a listing as replies carry it, the state of a case.';

create table webhook_messages (
  ordinal bigint generated always as identity primary key,
  id uuid not null unique default new_id(),
  type text not null,
  body text not null check (octet_length(body) < 20000),
  created_at timestamptz not null default now()
);
comment on table webhook_messages is
  'What is sent, byte for byte, and the order in which it is sent. One server at a time gives ordinals, so they are committed in their order: whoever has read up to one has read all below it. Kept for 30 days.';
comment on column webhook_messages.id is 'Sent as webhook-id.';
create index webhook_messages_by_type on webhook_messages (type, ordinal);
create index webhook_messages_by_age on webhook_messages (created_at);

create table webhook_deliveries (
  id bigint generated always as identity primary key,
  webhook_id uuid not null references webhooks(id) on delete cascade,
  message_id uuid not null,
  type text not null,
  attempt integer not null,
  sent_at timestamptz not null,
  latency_millis integer not null,
  status integer,
  error text,
  answer text not null
);
comment on table webhook_deliveries is 'Each attempt, and what the receiver answered. The newest of each webhook are kept.';
comment on column webhook_deliveries.status is 'Null if there was no answer: then error says why.';
comment on column webhook_deliveries.answer is 'The beginning of its body.';
create index webhook_deliveries_by_webhook on webhook_deliveries (webhook_id, id);

create function note_for_webhooks(p_type text, p_subject uuid, p_snapshot json default null) returns void language sql as $$
  insert into webhook_outbox (type, subject, snapshot)
    select p_type, p_subject, p_snapshot where exists (select from webhooks where p_type = any (events))
$$;
comment on function note_for_webhooks is 'Notes what just happened, if a webhook wants to know it.';

create function note_settled_purchase() returns trigger language plpgsql as $$
begin
  perform note_for_webhooks('sale.settled', new.id);
  return null;
end
$$;

create function note_listing() returns trigger language plpgsql as $$
begin
  perform note_for_webhooks(case when new.status = 'active' then 'listing.created' else 'listing.removed' end, new.id, new.reply_json::json);
  return null;
end
$$;

create function note_case() returns trigger language plpgsql as $$
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

create trigger purchases_note_settled after update of status on purchases
  for each row when (old.status <> 'settled' and new.status = 'settled') execute function note_settled_purchase();

-- What enters the market and what leaves it unsold. A part that nobody sees on the market does neither.
create trigger listings_note_created after insert on listings
  for each row when (new.status = 'active') execute function note_listing();
create trigger listings_note_changed after update of status on listings
  for each row when (old.status = 'reserved' and new.status = 'active' or old.status = 'active' and new.status in ('removed', 'merged'))
  execute function note_listing();

create trigger cases_note_opened after insert on cases for each row execute function note_case();
create trigger cases_note_closed after update of status on cases
  for each row when (old.closed_at is null and new.closed_at is not null) execute function note_case();
