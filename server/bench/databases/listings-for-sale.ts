import { randomUUID } from 'node:crypto'
import { parseWalletAddress } from '@juicebar/contract/addresses'
import type pg from 'pg'
import { TOKEN } from './catalogue.ts'
import { createSessionJwts } from '../../src/sign-in/session-jwt.ts'
import { JWT_SECRET } from '../servers/product-server.ts'
import { randomWallet } from './fill-market.ts'

const SELLERS = 1_000

/** Adds `count` listings, each of another price. @returns their identifiers */
export async function addListings(pool: pg.Pool, count: number): Promise<string[]> {
  const sellers = Array.from({ length: SELLERS }, randomWallet)
  const { rows } = await pool.query<{ id: string }>(
    `insert into listings (seller, token_type, amount, price_lamports)
     select ($1::text[])[1 + n % $2], '${TOKEN}', 10, 1000000::bigint * (1 + n) from generate_series(0, $3 - 1) n returning id`,
    [sellers, SELLERS, count],
  )
  return rows.map(({ id }) => id)
}

/** Signs wallets in. @returns their session JWTs */
export async function addSessions(pool: pg.Pool, wallets: readonly string[]): Promise<string[]> {
  const sessions = wallets.map(() => randomUUID())
  await pool.query('insert into players (wallet_address) select unnest($1::text[])', [wallets])
  await pool.query(
    `insert into sessions (id, wallet_address, expires_at) select id, wallet, now() + interval '1 day' from unnest($1::uuid[], $2::text[]) u(id, wallet)`,
    [sessions, wallets],
  )
  const jwts = createSessionJwts(JWT_SECRET)
  const tomorrow = new Date(Date.now() + 86_400_000)
  return wallets.map((wallet, index) => {
    const player = parseWalletAddress(wallet)
    const id = sessions[index]
    if (!player || !id) throw new Error(`${wallet} is not a wallet address`)
    return jwts.sign({ id, player }, tomorrow)
  })
}
