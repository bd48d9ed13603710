-- A hold from before 0.3.0 that only the market would have paid for ends as every other: once the chain has proved that nothing came.
update purchases set server_sends = false, reconcile_at = now() where status = 'held' and server_sends and not co_signed;

-- It has another parameter now.
drop function if exists take_back(listings);

-- functions that hold and settle: 306dcdb061733fc9abeb7099164e028cfaae12a171b085c18dc1f39ec70872d8
