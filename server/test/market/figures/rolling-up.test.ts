import { type WalletAddress } from '@juicebar/contract/addresses'
import { beforeEach, expect, it, onTestFinished, vi } from 'vitest'
import { rollUpSales } from '../../../src/market/figure-store.ts'
import { addPlayer, offer, openStoreMarket, type StoreMarket } from '../../purchases/baskets/store-market.ts'
import { settledPurchase } from '../../studio/sales/sale-market.ts'
import { startApp } from '../../support/start-app.ts'

const waiting = { timeout: 30_000, interval: 20 }

let market: StoreMarket
let seller: WalletAddress
let buyer: WalletAddress

beforeEach(async () => {
  market = await openStoreMarket()
  onTestFinished(market.close)
  ;[seller, buyer] = [await addPlayer(market), await addPlayer(market)]
})

/** Sells one apple juice, by another server than those of the test. */
const sell = async () => settledPurchase(market, buyer, [{ listingId: await offer(market, seller, { amount: 1 }) }])

async function tradesInCandles(): Promise<number> {
  const { rows } = await market.connection.pool.query<{ trades: number }>(
    `select coalesce(sum(trades), 0)::integer as trades from candles where step = '1d'`,
  )
  return rows[0]?.trades ?? 0
}

it('a server brings candles up to date, whether or not anybody reads them', async () => {
  await startApp(market.databaseUrl)
  for (const sold of [1, 2]) {
    await sell()
    await vi.waitFor(async () => expect(await tradesInCandles()).toBe(sold), waiting)
  }
})

it('whoever reads candles and the summary again sees what another server has sold meanwhile', async () => {
  const { origin } = await startApp(market.databaseUrl)
  const read = async (call: string): Promise<ReturnType<typeof JSON.parse>> => (await fetch(`${origin}/api/marketplace/${call}`)).json()
  await vi.waitFor(async () => expect((await fetch(`${origin}/health/ready`)).status).toBe(200), waiting)
  const shown = async () => {
    const { candles } = await read('candles?tokenType=APPLE_JUICE&step=1d')
    const { items } = await read('summary')
    const ofApple = items.find(({ tokenType }: { tokenType: string }) => tokenType === 'APPLE_JUICE')
    return [candles.at(-1)?.trades ?? 0, ofApple.volume24h]
  }
  expect(await shown()).toEqual([0, 0])
  for (const sold of [1, 2]) {
    await sell()
    await vi.waitFor(async () => expect(await shown()).toEqual([sold, (sold * 7) / 1_000]), waiting)
  }
})

it('of two servers that roll up at the same time, one does the work', async () => {
  await sell()
  await market.connection.pool.query('select stamp_sales(10)')
  const first = await market.connection.pool.connect()
  await first.query('begin')
  const { rows } = await first.query('select roll_up_sales(10) as count')
  const second = rollUpSales(market.database)
  const waits = `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
  await vi.waitFor(async () => expect((await market.connection.pool.query(waits)).rowCount).toBe(1), waiting)
  await first.query('commit')
  first.release()
  expect([rows, await second]).toEqual([[{ count: 1 }], 0])
})
