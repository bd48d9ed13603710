-- A hold from before 0.3.0 that only the market would have paid for ends as every other: once the chain has proved that nothing came.
update purchases set server_sends = false, reconcile_at = now() where status = 'held' and server_sends and not co_signed;

-- It has another parameter now.
drop function if exists take_back(listings);

-- functions that hold and settle: 9321aa2b7c0e996fcf2e1c0f09bd7f729e4a5d8eaab6a8baeaaa97a2e3790f30
