-- compatible: older servers may run on it
-- The items are those of the catalogue that each server reads at its start, no longer three.

alter table token_types
  -- Two items may exchange their names.
  drop constraint token_types_name_key,
  add constraint token_types_code check (token_type ~ '^[A-Z][A-Z0-9]*(_[A-Z0-9]+)*$' and char_length(token_type) <= 40),
  add constraint token_types_name check (name <> ''),
  add column first_seen_at timestamptz;
comment on table token_types is
  'What is traded here, or once was. Each server writes its catalogue here when it starts; an item that has left the catalogue keeps its row, for those who bought it.';
comment on column token_types.first_seen_at is 'When a server first had it in its catalogue; null for those of the three drinks that no server has had yet.';
