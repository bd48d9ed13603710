import { randomBytes } from 'node:crypto'

import { base58 } from '@scure/base'
import type pg from 'pg'

const LISTINGS_PER_SELLER = 20
const MIN_SELLERS = 10
/** One seller has this share of all listings, because queries must be fast for such a seller too. */
const HOT_SELLER_SHARE = 0.1

/** A new wallet address: 32 random bytes in base58. */
export function randomWallet(): string {
  return base58.encode(randomBytes(32))
}

/**
 * Fills an empty market with active listings of random tokens, prices and amounts, half of them divisible. One statement inserts them all:
 * the row trigger is disabled, and its rendering function called directly. From one in ten a part was split off.
 */
export async function fillMarket(client: pg.ClientBase, listings: number): Promise<void> {
  const sellers = Array.from({ length: Math.max(MIN_SELLERS, listings / LISTINGS_PER_SELLER) }, randomWallet)
  await client.query('create temporary table chosen as select n, seller from unnest($1::text[]) with ordinality as u(seller, n)', [sellers])
  await client.query('analyze chosen')
  await client.query('insert into sellers (seller) select seller from chosen')
  const indexes = await dropIndexes(client)
  await client.query('alter table listings disable trigger listings_before_write')
  await client.query(
    `insert into listings (id, seller, token_type, amount, price_lamports, created_at, divisible, reply_json)
     select (l.row).id, (l.row).seller, (l.row).token_type, (l.row).amount, (l.row).price_lamports, (l.row).created_at, (l.row).divisible, render_listing(l.row)
     from (
       select row(new_id(), chosen.seller, token.token_type, draw.amount, draw.steps * 1000000, null, 'active', null, null, now(), null, null, false, draw.divisible, null, null, null, null, null, null)::listings as row
       from (
         select case when random() < $2 then 1 else 1 + floor(random() * $3)::bigint end as n,
           1 + floor(random() * (select count(*) from token_types))::int as token, 1 + floor(random() * 1000)::bigint as amount, 1 + floor(random() * 100000)::bigint as steps,
           random() < 0.5 as divisible
         from generate_series(1, $1)
       ) draw
       join chosen using (n)
       join (select row_number() over () as n, token_type from token_types) token on token.n = draw.token
     ) l`,
    [listings, HOT_SELLER_SHARE, sellers.length],
  )
  await client.query(SPLIT)
  await client.query('alter table listings enable trigger listings_before_write')
  for (const definition of indexes) await client.query(definition)
  await client.query('vacuum analyze')
}

/** Every other part is sold, the others are held. None of them is on the market. */
const SPLIT = `
  insert into listings (seller, token_type, amount, price_lamports, part_of, status, closed_at, held_by, held_until)
  select seller, token_type, 1, 1, id, case when is_held then 'reserved' else 'sold' end, now(),
    case when is_held then new_id() end, case when is_held then now() + interval '1 minute' end
  from (select *, random() < 0.5 as is_held from listings where random() < 0.1) split`

/** Drops the indexes, since building one is much faster than adding a million rows to it. @returns the statements that create them again */
async function dropIndexes(client: pg.ClientBase): Promise<string[]> {
  const { rows } = await client.query<{ name: string; definition: string }>(
    `select indexname as name, indexdef as definition from pg_indexes where tablename = 'listings' and indexname <> 'listings_pkey'`,
  )
  for (const { name } of rows) await client.query(`drop index ${name}`)
  return rows.map((row) => row.definition)
}
