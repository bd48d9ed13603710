import type pg from 'pg'

import { TOKEN } from './catalogue.ts'
import { BUYERS, SELLERS, settledPayment } from '../chain/settled-payment.ts'
import { GENESIS_HASH } from '../chain/stub-ledger.ts'

const AMOUNT = 10
const BATCH = 5_000

/** Fills an empty market with settled, final purchases and a ledger that explains them. The stub of a chain knows their payments. */
export async function fillSettledPurchases(pool: pg.Pool, count: number): Promise<void> {
  for (let first = 0; first < count; first += BATCH) {
    const payments = Array.from({ length: Math.min(BATCH, count - first) }, (_, index) => settledPayment(first + index))
    await pool.query(INSERT, [
      payments.map(({ seller }) => seller),
      payments.map(({ buyer }) => buyer),
      payments.map(({ lamports }) => lamports),
      payments.map(({ reference }) => reference),
      payments.map(({ signature }) => signature),
      payments.map(({ bytes }) => bytes),
      GENESIS_HASH,
    ])
  }
  await pool.query(LEDGER)
  await pool.query(`${balances('seller', SELLERS, '0')}; ${balances('buyer', BUYERS, `${AMOUNT} * count(*)`)}; analyze`)
}

const INSERT = `
  with paid as (
    select new_id() as listing, new_id() as purchase, u.* from
      unnest($1::text[], $2::text[], $3::bigint[], $4::text[], $5::text[], $6::bytea[]) u(seller, buyer, lamports, reference, signature, bytes)
  ), sold as (
    insert into listings (id, seller, token_type, amount, price_lamports, status, closed_at)
    select listing, seller, '${TOKEN}', ${AMOUNT}, lamports, 'sold', now() from paid
  ), items as (
    insert into purchase_items (purchase_id, place, listing_id, seller, token_type, amount, price_lamports)
    select purchase, 1, listing, seller, '${TOKEN}', ${AMOUNT}, lamports from paid
  ), bought as (
    insert into purchases (id, buyer, sellers, price_lamports, reference, genesis_hash, held_at_slot, server_sends,
      pay_before, status, signature, settled_at, finalized_at, reconcile_at)
    select purchase, buyer, array[seller], lamports, reference, $7, 1, true,
      now(), 'settled', signature, now() - interval '1 day', now() - interval '1 day' + lamports * interval '1 microsecond' / 100, null from paid
  )
  insert into payments (signature, kind, purchase_id, genesis_hash, transaction_bytes, expiry_height, status, slot)
  select signature, 'purchase', purchase, $7, bytes, 200, 'settled', 100 from paid`

/** Each seller was credited what they sold, and each listing took it into escrow and released it to its buyer. */
const LEDGER = `
  insert into transfers (kind, token_type, amount, wallet_address, idempotency_key)
  select 'credit', '${TOKEN}', sum(amount), seller, 'bench ' || seller from purchase_items group by seller;
  insert into transfers (kind, token_type, amount, wallet_address, listing_id)
  select 'escrow', '${TOKEN}', amount, seller, listing_id from purchase_items;
  insert into transfers (kind, token_type, amount, wallet_address, listing_id)
  select 'sale', '${TOKEN}', i.amount, p.buyer, i.listing_id from purchase_items i join purchases p on p.id = i.purchase_id`

function balances(side: 'buyer' | 'seller', wallets: number, amount: string): string {
  return `insert into balances (wallet_address, token_type, amount)
    select ${side}, '${TOKEN}', ${amount} from purchases p join purchase_items i on i.purchase_id = p.id group by ${side} limit ${wallets}`
}
