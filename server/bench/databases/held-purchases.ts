import { randomBytes, randomUUID } from 'node:crypto'

import { parseSignature, parseWalletAddress, type Signature, type WalletAddress } from '@juicebar/contract/addresses'
import { base58 } from '@scure/base'
import type pg from 'pg'

import { createSessionJwts } from '../../src/sign-in/session-jwt.ts'
import { JWT_SECRET } from '../servers/product-server.ts'
import { STUB_GENESIS } from '../servers/stub-chain.ts'
import { randomWallet } from './fill-market.ts'

/** A purchase that waits for its payment, which the stub chain shows. */
export interface HeldPurchase {
  purchaseId: string
  listingId: string
  buyer: WalletAddress
  signature: Signature
  /** The buyer's session JWT. */
  jwt: string
}

const BUYERS = 500

/** Adds `count` held purchases, each of its own listing, together with their buyers' players and sessions. */
export async function addHeldPurchases(pool: pg.Pool, { count, sellers }: { count: number; sellers: number }): Promise<HeldPurchase[]> {
  const buyers = Array.from({ length: BUYERS }, () => ({ wallet: wallet(), session: randomUUID() }))
  const sellerWallets = Array.from({ length: sellers }, randomWallet)
  await pool.query('insert into players (wallet_address) select unnest($1::text[])', [buyers.map((buyer) => buyer.wallet)])
  await pool.query(
    `insert into sessions (id, wallet_address, expires_at) select id, wallet, now() + interval '1 day' from unnest($1::uuid[], $2::text[]) u(id, wallet)`,
    [buyers.map((buyer) => buyer.session), buyers.map((buyer) => buyer.wallet)],
  )
  const turns = Array.from({ length: count }, (_, turn) => turn)
  const signatures = turns.map(() => signature())
  const { rows } = await pool.query<{ purchase: string; listing: string }>(
    `with listed as (
       insert into listings (seller, token_type, amount, price_lamports, held_by, held_until)
       select seller, 'APPLE_JUICE', 10, 1000000 * (1 + n), new_id(), now() + interval '1 hour' from unnest($1::text[]) with ordinality u(seller, n)
       returning id, seller, amount, price_lamports, held_by
     ), placed as (select *, row_number() over (order by price_lamports) as n from listed)
     insert into purchases (id, listing_id, buyer, seller, token_type, amount, price_lamports, reference, genesis_hash, held_at_slot, server_sends, pay_before, reconcile_at)
     select held_by, placed.id, u.buyer, placed.seller, 'APPLE_JUICE', placed.amount, placed.price_lamports, u.reference, $4, 1, true,
       now() + interval '1 hour', now() + interval '1 hour'
     from placed join unnest($2::text[], $3::text[]) with ordinality u(buyer, reference, n) using (n)
     order by placed.n returning id as purchase, listing_id as listing`,
    [
      turns.map((turn) => sellerWallets[turn % sellers]),
      turns.map((turn) => buyers[turn % BUYERS]?.wallet),
      // The stub chain finds a purchase by its payment's signature, because its reference is the same text.
      signatures,
      STUB_GENESIS,
    ],
  )
  const jwts = createSessionJwts(JWT_SECRET)
  const tomorrow = new Date(Date.now() + 86_400_000)
  const jwtOf = buyers.map(({ wallet: player, session: id }) => jwts.sign({ id, player }, tomorrow))
  return rows.map((row, turn) => {
    const buyer = buyers[turn % BUYERS]
    const text = signatures[turn]
    const jwt = jwtOf[turn % BUYERS]
    if (!buyer || !text || !jwt) throw new Error('fewer purchases were returned than inserted')
    return { purchaseId: row.purchase, listingId: row.listing, buyer: buyer.wallet, signature: text, jwt }
  })
}

function wallet(): WalletAddress {
  const address = parseWalletAddress(randomWallet())
  if (!address) throw new Error('a random wallet is not a wallet address')
  return address
}

function signature(): Signature {
  const text = parseSignature(base58.encode(randomBytes(64)))
  if (!text) throw new Error('random bytes are not a signature')
  return text
}
