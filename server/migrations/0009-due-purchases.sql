-- What somebody waits for is leased first, however many closed purchases are due: each kind has an index of its own.

create index purchases_due_open on purchases (reconcile_at)
  where reconcile_at is not null and (status = 'held' or (status = 'settled' and finalized_at is null));
create index purchases_due_closed on purchases (reconcile_at)
  where reconcile_at is not null and not (status = 'held' or (status = 'settled' and finalized_at is null));
drop index purchases_due;
