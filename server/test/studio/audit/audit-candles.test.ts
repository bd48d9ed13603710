import { beforeAll, expect, it } from 'vitest'
import { rollUpSales } from '../../../src/market/figure-store.ts'
import { readLedger } from '../../../src/studio/audit/ledger-check-store.ts'
import { useSaleMarket } from '../sales/sale-market.ts'

const market = useSaleMarket()
const found = async () => (await readLedger(market.database)).violations

beforeAll(async () => {
  for (const amount of [1, 2, 3]) {
    await market.trade({ amount })
    await rollUpSales(market.database)
  }
})

it('finds nothing wrong, also while a sale waits to be rolled up', async () => {
  expect(await found()).toEqual([])
  await market.trade()
  expect(await found()).toEqual([])
  await market.query('select stamp_sales(1000)')
  expect(await found()).toEqual([])
  await rollUpSales(market.database)
  expect(await found()).toEqual([])
})

it.each(['5m', '1h', '1d'])('names a %s candle that is not what was sold', async (step) => {
  await market.query(`create table kept as select * from candles`)
  for (const change of ['open = open + 1', 'low = low - 1', 'amount = amount + 1', 'lamports = lamports - 1', 'trades = trades + 1']) {
    await market.query(`update candles set ${change} where step = '${step}'`)
    expect(await found()).toContainEqual({
      invariant: 'I6',
      detail: expect.stringMatching(`^the ${step} candle of APPLE_JUICE at 20..-..-..T..:..:00.000Z is not what was sold$`),
    })
    // All of them: the sales may be in two steps of time.
    await market.query('truncate candles')
    await market.query('insert into candles select * from kept')
  }
  await market.query('drop table kept')
  expect(await found()).toEqual([])
})

it('names a candle that is missing, and one of what was never sold', async () => {
  await market.query(
    `delete from candles where step = '5m'; insert into candles select 'GRAPE_SODA', '1h', '2030-01-01Z', 1, 1, 1, 1, 1, 1, 1`,
  )
  const details = (await found()).map(({ detail }) => detail)
  expect(details).toContainEqual(expect.stringContaining('the 5m candle of APPLE_JUICE'))
  expect(details).toContain('the 1h candle of GRAPE_SODA at 2030-01-01T00:00:00.000Z is not what was sold')
})

it('finds a sale that the order of sales has lost, since it asks the purchases', async () => {
  await market.query(`delete from candles; delete from sales where ordinal = 1; update candles_head set ordinal = 0`)
  await market.query(`update sales set ordinal = ordinal - 1`)
  await rollUpSales(market.database)
  expect((await found()).map(({ invariant }) => invariant)).toEqual(['I6'])
})
