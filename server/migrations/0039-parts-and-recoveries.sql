-- *My Listings* reads, for each listing, what was sold of it in parts.
create index listings_parts on listings (part_of) where part_of is not null;
comment on index listings_parts is 'What became of the parts of a listing.';

alter table recoveries add column refunds_count integer not null default 0;
update recoveries set refunds_count = json_array_length(refunds);
comment on column recoveries.refunds_count is 'How many refunds were found that the database does not know.';

comment on column payments.status is
  'recorded: broadcast until it lands or expires. settled: it counted. void: it expired, it landed and did not count, or another payment of '
  'its purchase counted.';

-- functions that hold and settle: 32f8d23ba22ec9aecfcb41a9c0088d85cbbbd8ec3d522f89bb1d4555f66cf4dc
