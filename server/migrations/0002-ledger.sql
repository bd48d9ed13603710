-- Tokens by double entry.

create table token_types (
  token_type text primary key,
  name text not null unique
);
comment on table token_types is 'The drinks.';
insert into token_types (token_type, name) values
  ('APPLE_JUICE', 'Apple Juice'),
  ('ORANGE_JUICE', 'Orange Juice'),
  ('GRAPE_SODA', 'Grape Soda');

create table balances (
  wallet_address text not null,
  token_type text not null references token_types,
  amount bigint not null constraint balance_bounds check (amount between 0 and 9000000000000000),
  primary key (wallet_address, token_type)
);
comment on table balances is 'The tokens a wallet can use now. Those in its active listings are in escrow: see listings.amount.';
comment on column balances.amount is 'The upper bound keeps every balance exact in a JSON number.';

create table transfers (
  id bigint generated always as identity primary key,
  kind text not null check (kind in ('credit', 'debit', 'escrow', 'return', 'sale')),
  token_type text not null,
  amount bigint not null check (amount between 1 and 1000000000),
  wallet_address text not null,
  listing_id uuid,
  idempotency_key text unique,
  created_at timestamptz not null default now(),
  check ((kind in ('credit', 'debit')) = (listing_id is null)),
  check ((kind in ('credit', 'debit')) = (idempotency_key is not null))
);
create unique index transfers_into_escrow on transfers (listing_id) where kind = 'escrow';
create unique index transfers_out_of_escrow on transfers (listing_id) where kind in ('return', 'sale');
create index transfers_by_wallet on transfers (wallet_address, token_type);
comment on table transfers is
  'Every movement of tokens, append-only. Each has two sides, listed in ledger_entries:
  credit: studio to wallet     debit: wallet to studio
  escrow: wallet to listing    return: listing to its seller    sale: listing to the buyer
A listing is its own escrow account, so a seller with many listings does not queue on one row.';
comment on index transfers_into_escrow is 'A listing takes its tokens into escrow only once.';
comment on index transfers_out_of_escrow is 'A listing releases its tokens only once: the database itself refuses a second sale.';

create function post_transfer(
  p_kind text, p_token_type text, p_amount bigint, p_wallet text, p_listing uuid, p_idempotency_key text default null
) returns bigint language plpgsql as $$
declare
  transfer_id bigint;
begin
  if p_kind in ('credit', 'return', 'sale') then
    insert into balances (wallet_address, token_type, amount) values (p_wallet, p_token_type, p_amount)
    on conflict (wallet_address, token_type) do update set amount = balances.amount + excluded.amount;
  else
    update balances set amount = amount - p_amount
    where wallet_address = p_wallet and token_type = p_token_type and amount >= p_amount;
    if not found then
      raise exception 'insufficient tokens' using errcode = 'JB001';
    end if;
  end if;
  insert into transfers (kind, token_type, amount, wallet_address, listing_id, idempotency_key)
  values (p_kind, p_token_type, p_amount, p_wallet, p_listing, p_idempotency_key)
  returning id into transfer_id;
  return transfer_id;
end
$$;
comment on function post_transfer is
  'The only writer of balances and transfers. Returns the transfer''s id. Raises JB001 if the wallet has fewer tokens than it would pay.';

create view ledger_entries as
  select id as transfer_id, token_type, -amount as amount,
    case when kind = 'credit' then 'studio'
         when kind in ('debit', 'escrow') then 'wallet:' || wallet_address
         else 'listing:' || listing_id end as account
  from transfers
  union all
  select id, token_type, amount,
    case when kind = 'debit' then 'studio'
         when kind = 'escrow' then 'listing:' || listing_id
         else 'wallet:' || wallet_address end
  from transfers;
comment on view ledger_entries is 'Both sides of every transfer: what leaves an account is negative, so the entries of a transfer add up to zero.';
