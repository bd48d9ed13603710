import { randomUUID } from 'node:crypto'
import { type WalletAddress } from '@juicebar/contract/addresses'
import { type Alert } from '@juicebar/contract/schemas'
import { lamports } from '@juicebar/contract/money'
import { beforeEach, onTestFinished } from 'vitest'
import { createAlert } from '../../src/alerts/record-alert.ts'
import { addPlayer, openStoreMarket, type StoreMarket } from '../purchases/baskets/store-market.ts'

/** For `vi.waitFor` and `expect.poll`: what a busy machine may take. */
export const waiting = { timeout: 30_000, interval: 20 }

interface AlertMarket extends StoreMarket {
  player: WalletAddress
  seller: WalletAddress
}

/** Each test's market without a chain, with a player who sets alerts, and a seller. */
export function useAlertMarkets(): AlertMarket {
  const market = {} as AlertMarket
  beforeEach(async () => {
    Object.assign(market, await openStoreMarket())
    onTestFinished(market.close)
    Object.assign(market, { player: await addPlayer(market), seller: await addPlayer(market) })
  })
  return market
}

/** Waits for apple juice at so many thousandths of a SOL for one. */
export function setAlert(
  { database }: Pick<StoreMarket, 'database'>,
  wallet: WalletAddress,
  thousandths: number,
  tokenType: 'APPLE_JUICE' | 'ORANGE_JUICE' = 'APPLE_JUICE',
): Promise<Alert> {
  return createAlert(database, wallet, { tokenType, below: lamports(BigInt(thousandths) * 1_000_000n) })
}

/** The events of alerts so far, each with those whose streams carry it. */
export async function firedEvents({ connection }: Pick<StoreMarket, 'connection'>): Promise<{ audience: string[]; alert: Alert }[]> {
  const { rows } = await connection.pool.query<{ audience: string[]; data: { alert: Alert } }>(
    `select audience, data from events where type = 'alert.fired' order by id`,
  )
  return rows.map(({ audience, data: { alert } }) => ({ audience, alert }))
}

/** A session of a player. Returns its identifier. */
export async function openSession({ connection }: Pick<StoreMarket, 'connection'>, wallet: WalletAddress): Promise<string> {
  const id = randomUUID()
  await connection.pool.query(`insert into sessions (id, wallet_address, expires_at) values ($1, $2, now() + interval '1 hour')`, [
    id,
    wallet,
  ])
  return id
}
