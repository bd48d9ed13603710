-- functions that hold and settle: 17eb67a93299d25ea329c74ad06b443984275abb99a588ee42713c04c6385431
-- A key is below the key that made it: what it credits counts for both, and only keys above it end it.
alter table studio_keys add column maker_id uuid references studio_keys;
comment on column studio_keys.maker_id is
  'The key that made it. Null if that was STUDIO_API_KEY or one of the staff, or if it was made before this was recorded.';
comment on table studio_key_days is
  'What each key with a daily limit and the keys below it have credited on which day, in UTC. The rows of a key and of those above it are locked, '
  'from the highest down, first of all that its orders lock.';

-- A key with a daily limit has idempotency keys of its own. No order is posted twice because of that: those of before count for every key.
alter table studio_keys add column namespace text;
comment on column studio_keys.namespace is
  'Whose idempotency keys its orders have: those of the key that it replaces. Null: its own if it has a daily limit, otherwise those that all share.';
alter table transfers add column namespace text;
comment on column transfers.namespace is
  'Where the idempotency key of a credit or debit is known: empty for those that all keys without a daily limit share. Null: everywhere, since it '
  'was posted before there were any.';
alter table transfers drop constraint transfers_idempotency_key_key;
create unique index transfers_idempotency_key_key on transfers (idempotency_key, coalesce(namespace, ''));
drop function if exists post_transfer(text, text, bigint, text, uuid, text, uuid);

-- A wallet signs out everywhere.
create index sessions_by_wallet on sessions (wallet_address) where revoked_at is null;
