-- functions that hold and settle: 5f443908459031a62c038988444642441f8269203e14f06072726576192889da
-- A key is below the key that made it: what it credits counts for both, and only keys above it end it.
alter table studio_keys add column maker_id uuid references studio_keys;
comment on column studio_keys.maker_id is
  'The key that made it. Null if that was STUDIO_API_KEY or one of the staff, or if it was made before this was recorded.';
comment on table studio_key_days is
  'What each key with a daily limit and the keys below it have credited on which day, in UTC. The rows of a key and of those above it are locked, '
  'from the highest down, first of all that its orders lock.';
