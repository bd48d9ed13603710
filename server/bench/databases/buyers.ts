import { randomUUID } from 'node:crypto'
import { parseWalletAddress, type WalletAddress } from '@juicebar/contract/addresses'
import type pg from 'pg'
import { createSessionJwts } from '../../src/sign-in/session-jwt.ts'
import { JWT_SECRET } from '../servers/product-server.ts'
import { randomWallet } from './fill-market.ts'

export interface Buyer {
  wallet: WalletAddress
  /** The JWT of the buyer's session. */
  jwt: string
}

/** Adds players who are signed in. */
export async function addBuyers(pool: pg.Pool, count: number): Promise<Buyer[]> {
  const sessions = Array.from({ length: count }, () => ({ player: wallet(), id: randomUUID() }))
  const players = sessions.map(({ player }) => player)
  await pool.query('insert into players (wallet_address) select unnest($1::text[])', [players])
  await pool.query(
    `insert into sessions (id, wallet_address, expires_at) select id, wallet, now() + interval '1 day' from unnest($1::uuid[], $2::text[]) u(id, wallet)`,
    [sessions.map(({ id }) => id), players],
  )
  const jwts = createSessionJwts(JWT_SECRET)
  const tomorrow = new Date(Date.now() + 86_400_000)
  return sessions.map((session) => ({ wallet: session.player, jwt: jwts.sign(session, tomorrow) }))
}

function wallet(): WalletAddress {
  const address = parseWalletAddress(randomWallet())
  if (!address) throw new Error('a random wallet is not a wallet address')
  return address
}
