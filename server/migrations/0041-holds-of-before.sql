-- A hold from before 0.3.0 that only the market would have paid for ends as every other: once the chain has proved that nothing came.
update purchases set server_sends = false, reconcile_at = now() where status = 'held' and server_sends and not co_signed;

-- They have other parameters or results now.
drop function if exists take_back(listings);
drop function if exists replace_payment(uuid, text, text, bigint, bytea, bigint);

-- functions that hold and settle: e0c2e548c28e8815d23bbdf2ec003fd3c65879d1528b28fba5d479d3c8571fe3
