import type pg from 'pg'

const SECONDS_APART = 30
const AT_ONCE = 5_000

/** Adds trades of every drink in turn to a market without any, one every 30 seconds until now, and their candles. A market that has some is left as it is. */
export async function fillTrades(client: pg.ClientBase, trades: number): Promise<void> {
  const { rowCount } = await client.query('select from sales limit 1')
  if (rowCount) return
  await client.query(
    `insert into sales (ordinal, stamped_at, purchase_id, place, is_reversal, listing_id, buyer, seller, token_type, amount, price_lamports,
       fee_lamports, fee_basis_points, signature, settled_at)
     select n, now(), gen_random_uuid(), 1, false, gen_random_uuid(), 'buyer', 'seller', token.token_type, 1 + floor(random() * 50)::bigint,
       (1 + floor(random() * 1000)::bigint) * 1000000, 0, 0, repeat(md5(n::text), 2), now() - ($1::bigint - n) * interval '${SECONDS_APART} s'
     from generate_series(1, $1::bigint) n
     join (select row_number() over () - 1 as n, count(*) over () as kinds, token_type from token_types) token on token.n = n % token.kinds`,
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
