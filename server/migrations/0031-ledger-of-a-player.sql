-- compatible: older servers may run on it
-- What a player bought, sold, was credited and used, in the order of time: each of the three is a walk along one of these indexes. The
-- transaction that delivers writes none of them.

create index sales_of_buyer on sales (buyer, trade_time(settled_at), purchase_id, place) where not is_reversal;
create index sales_of_seller on sales (seller, trade_time(settled_at), purchase_id, place) where not is_reversal;
comment on index sales_of_buyer is 'What a player bought in its order, which is that of trades; what one sold by the next index.';

create index transfers_of_orders_by_wallet on transfers (wallet_address, trade_time(created_at), id) where kind in ('credit', 'debit');
comment on index transfers_of_orders_by_wallet is 'What the studio credited to a player and debited.';
