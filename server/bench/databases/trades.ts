import { createHash, randomUUID } from 'node:crypto'

import type pg from 'pg'

import { createWallet, type Wallet } from '../../chaos/players/wallet.ts'
import { TOKEN } from './catalogue.ts'
import { randomWallet } from './fill-market.ts'
import { addSessions } from './listings-for-sale.ts'

/** A listing, and who is about to buy it with a wallet that can pay. */
export interface Trade {
  listingId: string
  seller: string
  lamports: bigint
  buyer: Wallet
  /** The token of the buyer's session. */
  jwt: string
}

const TRADED_AMOUNT = 10

/** New trades, not in any database yet, each of another buyer. @param seed another one gives other buyers */
export async function makeTrades(count: number, seed: number): Promise<Omit<Trade, 'jwt'>[]> {
  return Promise.all(
    Array.from({ length: count }, async (_, turn) => ({
      listingId: randomUUID(),
      seller: randomWallet(),
      lamports: 1_000_000n * BigInt(1 + turn),
      buyer: await createWallet(seed, `buyer ${turn}`),
    })),
  )
}

/** Adds the listings to the product's database, and signs the buyers in. */
export async function addToProduct(pool: pg.Pool, trades: readonly Omit<Trade, 'jwt'>[]): Promise<Trade[]> {
  await pool.query(
    `insert into listings (id, seller, token_type, amount, price_lamports)
     select id, seller, $1, $2, lamports from unnest($3::uuid[], $4::text[], $5::bigint[]) u(id, seller, lamports)`,
    [TOKEN, TRADED_AMOUNT, ...columnsOf(trades)],
  )
  const wallets = [...new Set(trades.map(({ buyer }) => buyer.address))]
  const jwts = new Map((await addSessions(pool, wallets)).map((jwt, index) => [wallets[index], jwt]))
  return trades.map((trade) => ({ ...trade, jwt: jwts.get(trade.buyer.address) ?? '' }))
}

/** Adds the same to the database of a peer, which keeps the hash of a session's token. */
export async function addToPeer(pool: pg.Pool, trades: readonly Trade[]): Promise<void> {
  const sessions = new Map(trades.map(({ buyer, jwt }) => [buyer.address, createHash('sha256').update(jwt).digest('hex')]))
  await pool.query('insert into players (wallet) select unnest($1::text[])', [[...sessions.keys()]])
  await pool.query(
    `insert into sessions select hash, wallet, now() + interval '1 day' from unnest($1::text[], $2::text[]) u(hash, wallet)`,
    [[...sessions.values()], [...sessions.keys()]],
  )
  await pool.query(
    `insert into listings (id, seller, token_type, amount, lamports)
     select id, seller, $1, $2, lamports from unnest($3::uuid[], $4::text[], $5::bigint[]) u(id, seller, lamports)`,
    [TOKEN, TRADED_AMOUNT, ...columnsOf(trades)],
  )
}

function columnsOf(trades: readonly Omit<Trade, 'jwt'>[]) {
  return [trades.map(({ listingId }) => listingId), trades.map(({ seller }) => seller), trades.map(({ lamports }) => lamports)]
}

/** The reference of each open hold, by listing; product and peers keep it in columns of the same name. */
export async function readReferences(pool: pg.Pool): Promise<Map<string, string>> {
  const { rows } = await pool.query<{ id: string; reference: string }>(
    `select i.listing_id as id, p.reference from purchases p join purchase_items i on i.purchase_id = p.id where p.status = 'held'`,
  )
  return new Map(rows.map(({ id, reference }) => [id, reference]))
}

/** @throws Error unless each listing of these trades is sold, and its buyer has what was traded */
export async function requireDelivered(pool: pg.Pool, walletColumn: 'wallet' | 'wallet_address', trades: readonly Trade[]): Promise<void> {
  const listings = trades.map(({ listingId }) => listingId)
  const buyers = [...new Set(trades.map(({ buyer }) => buyer.address))]
  const { rows } = await pool.query<{ sold: number; received: number }>(
    `select (select count(*)::int from listings where id = any($1) and status = 'sold') as sold,
       (select coalesce(sum(amount), 0)::int from balances where ${walletColumn} = any($2)) as received`,
    [listings, buyers],
  )
  const [{ sold, received } = { sold: 0, received: 0 }] = rows
  if (sold === trades.length && received === TRADED_AMOUNT * trades.length) return
  throw new Error(`of ${trades.length} listings, ${sold} are sold, and ${received} drinks were delivered`)
}
