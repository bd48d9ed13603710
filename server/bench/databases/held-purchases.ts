import { type Signature } from '@juicebar/contract/addresses'
import type pg from 'pg'

import { TOKEN } from './catalogue.ts'
import { STUB_GENESIS, stubSignature } from '../servers/stub-chain.ts'
import { addBuyers, type Buyer } from './buyers.ts'
import { randomWallet } from './fill-market.ts'

/** A purchase that waits for its payment, which the stub chain shows. */
export interface HeldPurchase {
  purchaseId: string
  listingId: string
  buyer: Buyer
  signature: Signature
}

const BUYERS = 500

/**
 * Adds `count` held purchases, each of listings of its own, together with their buyers' players and sessions. With several items, each
 * is of another seller.
 */
export async function addHeldPurchases(
  pool: pg.Pool,
  { count, sellers, items = 1 }: { count: number; sellers: number; items?: number },
): Promise<HeldPurchase[]> {
  const buyers = await addBuyers(pool, BUYERS)
  const sellerWallets = Array.from({ length: sellers }, randomWallet)
  const turns = Array.from({ length: count }, (_, turn) => turn)
  const references = turns.map(randomWallet)
  const { rows } = await pool.query<{ purchase: string; listing: string }>(
    `with wanted as (
       select new_id() as purchase, buyer, reference, n from unnest($2::text[], $3::text[]) with ordinality u(buyer, reference, n)
     ), listed as (
       insert into listings (seller, token_type, amount, price_lamports, held_by, held_until)
       select ($1::text[])[1 + (n * $5 + item) % cardinality($1::text[])], '${TOKEN}', 10, 1000000 * (1 + n * $5 + item), purchase,
         now() + interval '1 hour'
       from wanted, generate_series(0, $5::integer - 1) item
       returning id, seller, amount, price_lamports, held_by
     ), items as (
       insert into purchase_items (purchase_id, place, listing_id, seller, token_type, amount, price_lamports)
       select held_by, row_number() over (partition by held_by order by price_lamports), id, seller, '${TOKEN}', amount, price_lamports
       from listed
     ), totals as (
       select held_by as purchase, array_agg(seller) as sellers, sum(price_lamports) as lamports, min(id::text)::uuid as listing
       from listed group by held_by
     ), bought as (
       insert into purchases (id, buyer, sellers, price_lamports, reference, genesis_hash, held_at_slot, server_sends, pay_before, reconcile_at)
       select purchase, buyer, sellers, lamports, reference, $4, 1, true, now() + interval '1 hour', now() + interval '1 hour'
       from wanted join totals using (purchase)
     )
     select purchase, listing from wanted join totals using (purchase) order by n`,
    [sellerWallets, turns.map((turn) => buyers[turn % BUYERS]?.wallet), references, STUB_GENESIS, items],
  )
  return rows.map((row, turn) => {
    const buyer = buyers[turn % BUYERS]
    const reference = references[turn]
    if (!buyer || !reference) throw new Error('more purchases were returned than inserted')
    return { purchaseId: row.purchase, listingId: row.listing, buyer, signature: stubSignature(reference) }
  })
}

/** A listing, and who is about to buy it. */
export interface WantedListing {
  listingId: string
  buyer: Buyer
}

/** Adds `count` listings of as many sellers, and buyers who buy two each. */
export async function addWantedListings(pool: pg.Pool, count: number): Promise<WantedListing[]> {
  const buyers = await addBuyers(pool, Math.ceil(count / 2))
  const { rows } = await pool.query<{ id: string }>(
    `insert into listings (seller, token_type, amount, price_lamports)
     select seller, '${TOKEN}', 10, 1000000 * (1 + n) from unnest($1::text[]) with ordinality u(seller, n) returning id`,
    [Array.from({ length: count }, randomWallet)],
  )
  return rows.map(({ id }, turn) => {
    const buyer = buyers[turn % buyers.length]
    if (!buyer) throw new Error('no buyers')
    return { listingId: id, buyer }
  })
}

/** The signature of each open hold's payment on the stub chain, by listing. */
export async function readSignatures(pool: pg.Pool): Promise<Map<string, Signature>> {
  const { rows } = await pool.query<{ id: string; reference: string }>(
    `select i.listing_id as id, p.reference from purchases p join purchase_items i on i.purchase_id = p.id where p.status = 'held'`,
  )
  return new Map(rows.map(({ id, reference }) => [id, stubSignature(reference)]))
}
