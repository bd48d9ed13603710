import { randomBytes, randomUUID } from 'node:crypto'

import { parseSignature, parseWalletAddress, type Signature, type WalletAddress } from '@juicebar/contract/addresses'
import { base58 } from '@scure/base'
import type pg from 'pg'

import { createSessionJwts } from '../../src/sign-in/session-jwt.ts'
import { randomWallet } from './fill-market.ts'
import { JWT_SECRET } from '../servers/product-server.ts'
import { STUB_GENESIS } from '../servers/stub-chain.ts'

/** A lot that is held and waits for the payment that the stubbed chain shows. */
export interface HeldLot {
  purchaseId: string
  listingId: string
  buyer: WalletAddress
  signature: Signature
  token: string
}

const BUYERS = 500

/** Adds `count` held purchases of as many lots, spread over `sellers` sellers, with players and sessions for their buyers. */
export async function addHeldLots(pool: pg.Pool, count: number, sellers: number): Promise<HeldLot[]> {
  const buyers = Array.from({ length: BUYERS }, () => ({ wallet: wallet(), session: randomUUID() }))
  const ofSellers = Array.from({ length: sellers }, randomWallet)
  await pool.query('insert into players (wallet_address) select unnest($1::text[])', [buyers.map((buyer) => buyer.wallet)])
  await pool.query(
    `insert into sessions (id, wallet_address, expires_at) select id, wallet, now() + interval '1 day' from unnest($1::uuid[], $2::text[]) u(id, wallet)`,
    [buyers.map((buyer) => buyer.session), buyers.map((buyer) => buyer.wallet)],
  )
  const turns = Array.from({ length: count }, (_, turn) => turn)
  const signatures = turns.map(() => signature())
  const { rows } = await pool.query<{ purchase: string; listing: string }>(
    `with lots as (
       insert into listings (seller, token_type, amount, price_lamports, held_by, held_until)
       select seller, 'APPLE_JUICE', 10, 1000000 * (1 + n), new_id(), now() + interval '1 hour' from unnest($1::text[]) with ordinality u(seller, n)
       returning id, seller, amount, price_lamports, held_by
     ), placed as (select *, row_number() over (order by price_lamports) as n from lots)
     insert into purchases (id, listing_id, buyer, seller, token_type, amount, price_lamports, reference, genesis_hash, held_at_slot, server_sends, pay_before, reconcile_at)
     select held_by, placed.id, u.buyer, placed.seller, 'APPLE_JUICE', placed.amount, placed.price_lamports, u.reference, $4, 1, true,
       now() + interval '1 hour', now() + interval '1 hour'
     from placed join unnest($2::text[], $3::text[]) with ordinality u(buyer, reference, n) using (n)
     order by placed.n returning id as purchase, listing_id as listing`,
    [
      turns.map((turn) => ofSellers[turn % sellers]),
      turns.map((turn) => buyers[turn % BUYERS]?.wallet),
      // The stubbed chain finds a purchase by its signature: here both are the same text.
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
    const token = jwtOf[turn % BUYERS]
    if (!buyer || !text || !token) throw new Error('fewer purchases came back than were made')
    return { purchaseId: row.purchase, listingId: row.listing, buyer: buyer.wallet, signature: text, token }
  })
}

function wallet(): WalletAddress {
  const address = parseWalletAddress(randomWallet())
  if (!address) throw new Error('a random wallet is none')
  return address
}

function signature(): Signature {
  const text = parseSignature(base58.encode(randomBytes(64)))
  if (!text) throw new Error('a random signature is none')
  return text
}
