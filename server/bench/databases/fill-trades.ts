import { type WalletAddress } from '@juicebar/contract/addresses'
import type pg from 'pg'

const SECONDS_APART = 30
const AT_ONCE = 5_000

/** Who bought the first trades, up to so many. */
export const TRADER = 'trader' as WalletAddress
export const TRADER_TRADES = 100_000

/** Gives a market trades of every drink in turn, one every 30 seconds until now, and their candles. One that has so many is left as it is. */
export async function fillTrades(client: pg.ClientBase, trades: number): Promise<void> {
  const { rows } = await client.query<{ ordinal: string }>('select ordinal from sales_head')
  if (Number(rows[0]?.ordinal) === trades) return
  await client.query('truncate sales, candles; update candles_head set ordinal = 0')
  await client.query(
    `insert into sales (ordinal, stamped_at, purchase_id, place, is_reversal, listing_id, buyer, seller, token_type, amount, price_lamports,
       fee_lamports, fee_basis_points, signature, settled_at)
     select sale.n, now(), gen_random_uuid(), 1, false, gen_random_uuid(), case when sale.n <= ${TRADER_TRADES} then '${TRADER}' else 'buyer' end,
       'seller', token.token_type, 1 + floor(random() * 50)::bigint, (1 + floor(random() * 1000)::bigint) * 1000000, 0, 0,
       repeat(md5(sale.n::text), 2), now() - ($1::bigint - sale.n) * interval '${SECONDS_APART} s'
     from generate_series(1, $1::bigint) sale (n)
     join (select row_number() over () - 1 as turn, count(*) over () as kinds, token_type from token_types) token on token.turn = sale.n % token.kinds`,
    [trades],
  )
  await client.query('update sales_head set ordinal = $1', [trades])
  await client.query('analyze sales')
  for (let left = true; left;) {
    const { rows } = await client.query<{ count: number }>('select roll_up_sales($1) as count', [AT_ONCE])
    left = (rows[0]?.count ?? 0) > 0
  }
  await client.query('vacuum analyze sales, candles')
}
