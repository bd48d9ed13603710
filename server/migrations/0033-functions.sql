-- The functions and triggers of server/functions/, which are written again as a whole whenever one of them has changed. Those that hold and
-- settle change only with a migration that is not compatible, as this one. The newest of these names their texts, which a test compares:
-- functions that hold and settle: 0281f2005315e9f63b4a42966a2d3355364086cc278fcceba0a6dafe0cb2ff4d
create table function_sets (
  id bigint generated always as identity primary key,
  checksum text not null,
  migration text not null,
  applied_at timestamptz not null default now()
);
comment on table function_sets is
  'The functions that the database has had, as a whole; the last row are those it has. A server whose own are an earlier row leaves them alone.';
comment on column function_sets.checksum is 'SHA-256 of all their files, in hex.';
comment on column function_sets.migration is 'The newest migration of the server that applied them.';
