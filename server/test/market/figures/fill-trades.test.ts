import pg from 'pg'
import { afterAll, beforeAll, expect, it } from 'vitest'

import { fillTrades, TRADER } from '../../../bench/databases/fill-trades.ts'
import { connectDatabase } from '../../../src/database/connect.ts'
import { createProfits } from '../../../src/market/profit/read-profit.ts'
import { type FreshDatabase, freshDatabase } from '../../support/fresh-database.ts'

let fresh: FreshDatabase

beforeAll(async () => void (fresh = await freshDatabase()))
afterAll(() => fresh.drop())

it('the market that the figures are measured in has as many trades as it is said to have, with their candles', async () => {
  const client = new pg.Client({ connectionString: fresh.url })
  await client.connect()
  const counts = async () =>
    (await client.query(`select (select count(*) from sales) as sales, (select sum(trades) from candles where step = '1d') as traded`))
      .rows[0]
  for (const trades of [30, 30, 20]) {
    await fillTrades(client, trades)
    expect(await counts()).toEqual({ sales: String(trades), traded: String(trades) })
  }
  await client.end()
  const connection = connectDatabase(fresh.url, () => undefined)
  const { drinks } = await createProfits(connection)(TRADER)
  await connection.close()
  expect(drinks.map(({ tokenType }) => tokenType)).toEqual(['APPLE_JUICE', 'GRAPE_SODA', 'ORANGE_JUICE'])
})
