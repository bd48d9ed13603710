import { randomBytes } from 'node:crypto'

import { base58 } from '@scure/base'
import type pg from 'pg'

const LOTS_A_SELLER = 20
const LEAST_SELLERS = 10
/** One seller has this part of all lots: a query must stand that as well. */
const HOT_SELLER_PART = 0.1

/** A new wallet address: 32 random bytes in base58. */
export function randomWallet(): string {
  return base58.encode(randomBytes(32))
}

/**
 * Fills an empty market with `lots` active listings of random drinks, prices and amounts. Set-wise: the row trigger rests
 * meanwhile, and the rendering function that it calls is called directly.
 */
export async function fillMarket(client: pg.ClientBase, lots: number): Promise<void> {
  const sellers = Array.from({ length: Math.max(LEAST_SELLERS, lots / LOTS_A_SELLER) }, randomWallet)
  await client.query('create temporary table chosen as select n, seller from unnest($1::text[]) with ordinality as u(seller, n)', [sellers])
  await client.query('analyze chosen')
  await client.query('insert into sellers (seller) select seller from chosen')
  const indexes = await dropIndexes(client)
  await client.query('alter table listings disable trigger listings_before_write')
  await client.query(
    `insert into listings (id, seller, token_type, amount, price_lamports, created_at, reply_json)
     select (l.row).id, (l.row).seller, (l.row).token_type, (l.row).amount, (l.row).price_lamports, (l.row).created_at, render_listing(l.row)
     from (
       select row(new_id(), chosen.seller, drink.token_type, lot.amount, lot.steps * 1000000, null, 'active', null, null, now(), null, null)::listings as row
       from (
         select case when random() < $2 then 1 else 1 + floor(random() * $3)::bigint end as n,
           1 + floor(random() * 3)::int as drink, 1 + floor(random() * 1000)::bigint as amount, 1 + floor(random() * 100000)::bigint as steps
         from generate_series(1, $1)
       ) lot
       join chosen using (n)
       join (select row_number() over () as n, token_type from token_types) drink on drink.n = lot.drink
     ) l`,
    [lots, HOT_SELLER_PART, sellers.length],
  )
  await client.query('alter table listings enable trigger listings_before_write')
  for (const definition of indexes) await client.query(definition)
  await client.query('vacuum analyze')
}

/** Building an index once is much faster than adding a million rows to it. Gives what makes them again. */
async function dropIndexes(client: pg.ClientBase): Promise<string[]> {
  const { rows } = await client.query<{ name: string; definition: string }>(
    `select indexname as name, indexdef as definition from pg_indexes where tablename = 'listings' and indexname <> 'listings_pkey'`,
  )
  for (const { name } of rows) await client.query(`drop index ${name}`)
  return rows.map((row) => row.definition)
}
