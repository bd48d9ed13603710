-- Tokens by double entry.

create or replace function post_transfer(
  p_kind text, p_token_type text, p_amount bigint, p_wallet text, p_listing uuid, p_idempotency_key text default null,
  p_parent uuid default null, p_namespace text default ''
) returns bigint language plpgsql as $$
declare
  transfer_id bigint;
  held bigint;
begin
  if p_kind in ('credit', 'return', 'sale') then
    insert into balances (wallet_address, token_type, amount) values (p_wallet, p_token_type, p_amount)
    on conflict (wallet_address, token_type) do update set amount = balances.amount + excluded.amount returning amount into held;
    -- MAX_BALANCE. What is paid for finds room above it, whatever comes between its reservation and its delivery.
    if p_kind <> 'sale' and held > 9000000000000000 then
      raise exception 'the wallet cannot hold more' using errcode = 'check_violation', constraint = 'balance_bounds';
    end if;
  elsif p_kind in ('debit', 'escrow') then
    update balances set amount = amount - p_amount
    where wallet_address = p_wallet and token_type = p_token_type and amount >= p_amount;
    if not found then
      raise exception 'insufficient tokens' using errcode = 'JB001';
    end if;
  end if;
  insert into transfers (kind, token_type, amount, wallet_address, listing_id, idempotency_key, namespace, parent_id)
  values (
    p_kind, p_token_type, p_amount, p_wallet, p_listing, p_idempotency_key, case when p_idempotency_key is not null then p_namespace end, p_parent
  )
  returning id into transfer_id;
  return transfer_id;
end
$$;
comment on function post_transfer is
  'The only writer of balances and transfers but for deliver_items and return_to_seller. Returns the transfer''s id. Raises JB001 if the '
  'wallet has fewer tokens than it would pay.';
