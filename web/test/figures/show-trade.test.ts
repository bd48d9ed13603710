import { QueryClient } from '@tanstack/react-query'
import { expect, test } from 'vitest'

import { candlesQuery } from '../../src/figures/candle-series.ts'
import { type Candle, summaryQuery, type Trade, tradesQuery } from '../../src/figures/figure-queries.ts'
import { isHeard, showTrade } from '../../src/figures/show-trade.ts'
import { listing } from '../support/listing.ts'

const AT = new Date('2030-01-01T12:03:00.000Z')
const sold = listing({ _id: 'sold', status: 'sold', amount: 10, price: 0.5, unitPrice: 0.05 })

const candle = (start: string, price: number): Candle => ({
  start,
  open: price,
  high: price,
  low: price,
  close: price,
  average: price,
  amount: 2,
  sol: 2 * price,
  trades: 1,
})

const trade = (settledAt: string): Trade => ({
  id: '1',
  tokenType: 'APPLE_JUICE',
  amount: 10,
  price: 0.5,
  unitPrice: 0.05,
  lamports: '500000000',
  feeLamports: '0',
  signature: 'abc',
  coSigned: true,
  settledAt,
})

/** What a drink's page has loaded. */
function loadPage({ trades = [], candles = [] }: { trades?: Trade[]; candles?: Candle[] }) {
  const client = new QueryClient()
  const keys = { trades: tradesQuery('APPLE_JUICE').queryKey, day: candlesQuery('APPLE_JUICE', 'day').queryKey }
  client.setQueryData(keys.trades, { pages: [{ trades, nextCursor: null }], pageParams: [''] })
  client.setQueryData(keys.day, { candles, readAt: 0, from: undefined })
  client.setQueryData(summaryQuery.queryKey, [
    { tokenType: 'APPLE_JUICE', floor: null, amount: 0, last: null, change24h: null, volume24h: 0.1 },
  ])
  return {
    client,
    shown: () => ({
      trades: client.getQueryData(keys.trades)?.pages[0]?.trades ?? [],
      candles: client.getQueryData(keys.day)?.candles ?? [],
      summary: client.getQueryData(summaryQuery.queryKey)?.[0],
    }),
  }
}

test('the first sale of a drink is shown everywhere as soon as its event arrives', () => {
  const { client, shown } = loadPage({})
  showTrade(client, sold, AT)
  const { trades, candles, summary } = shown()
  expect(trades).toMatchObject([{ amount: 10, price: 0.5, unitPrice: 0.05, lamports: '500000000', settledAt: AT.toISOString() }])
  expect(trades.map(isHeard)).toEqual([true])
  expect(candles).toMatchObject([{ start: '2030-01-01T12:00:00.000Z', open: 0.05, close: 0.05, amount: 10, sol: 0.5, trades: 1 }])
  expect(summary).toMatchObject({ last: 0.05, volume24h: 0.6 })
})

test('a sale joins the candle of its step, and begins one after it', () => {
  const { client, shown } = loadPage({ candles: [candle('2030-01-01T11:55:00.000Z', 0.01), candle('2030-01-01T12:00:00.000Z', 0.2)] })
  showTrade(client, sold, AT)
  expect(shown().candles).toMatchObject([{ close: 0.01 }, { open: 0.2, high: 0.2, low: 0.05, close: 0.05, amount: 12, trades: 2 }])
  showTrade(client, { ...sold, _id: 'later' }, new Date('2030-01-01T12:07:00.000Z'))
  expect(shown().candles.map(({ start }) => start.slice(11, 16))).toEqual(['11:55', '12:00', '12:05'])
})

test('a browser whose clock is behind puts no sale before the last candle', () => {
  const { client, shown } = loadPage({ candles: [candle('2030-01-01T12:30:00.000Z', 0.2)] })
  showTrade(client, sold, AT)
  expect(shown().candles).toMatchObject([{ close: 0.05, trades: 2 }])
})

test('a trade that was loaded before its event arrived is not shown twice', () => {
  const { client, shown } = loadPage({ trades: [trade('2030-01-01T12:02:59.000Z')] })
  showTrade(client, sold, AT)
  expect(shown().trades).toHaveLength(1)
  expect(shown().candles).toEqual([])
})

test('two equal parts sold at once are two trades, each of them once', () => {
  const { client, shown } = loadPage({})
  for (const _id of ['one', 'two', 'two']) showTrade(client, { ...sold, _id }, AT)
  expect(shown().trades.map(({ id }) => id)).toEqual(['two', 'one'])
  expect(shown().candles).toMatchObject([{ trades: 2, amount: 20 }])
})

test('the same offer sold again later is another trade', () => {
  const { client, shown } = loadPage({ trades: [trade('2030-01-01T12:00:00.000Z')] })
  showTrade(client, sold, AT)
  expect(shown().trades.map(isHeard)).toEqual([true, false])
})

test('what could not be loaded again keeps saying so, and what was never loaded stays unloaded', async () => {
  const { client, shown } = loadPage({})
  const { queryKey } = tradesQuery('APPLE_JUICE')
  client.getQueryCache().find({ queryKey })?.setState({ status: 'error' })
  showTrade(client, sold, AT)
  expect(shown().trades).toEqual([])
  expect(client.getQueryState(candlesQuery('APPLE_JUICE', 'week').queryKey)).toBeUndefined()
})
