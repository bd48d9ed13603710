import { type Listing } from '@juicebar/contract/schemas'
import { type QueryClient } from '@tanstack/react-query'

import { type CandleSeries, candlesQuery, gathered, type Range, ranges, stepMillis } from './candle-series.ts'
import { type Trade, tradesQuery } from './figure-queries.ts'
import { changeLoaded, showInSummary } from './live-figures.ts'

/** A trade that the page has heard of counts as one that it has loaded if both are this close together, in milliseconds. */
const SAME_TRADE_MS = 5_000

type TradePages = { pages: { trades: Trade[] }[]; pageParams: unknown[] }

/**
 * Shows a sale in the figures that are loaded, from the event alone. They are loaded again at their own pace, which puts the trade's
 * signature beside it.
 *
 * @param at when the event arrived
 */
export function showTrade(client: QueryClient, sold: Listing, at: Date): void {
  const { tokenType } = sold
  const trades = tradesQuery(tokenType).queryKey
  const loaded = client.getQueryData<TradePages>(trades)?.pages[0]?.trades ?? []
  if (loaded.some((trade) => isSame(trade, sold, at))) return
  changeLoaded<TradePages>(client, trades, (pages) => withTrade(pages, tradeOf(sold, at)))
  showInSummary(client, sold)
  for (const range of Object.keys(ranges) as Range[]) {
    changeLoaded<CandleSeries>(client, candlesQuery(tokenType, range).queryKey, (series) => withSale(series, range, sold, at))
  }
}

/** Whether a trade of the list was heard of by its event alone: its payment is not known yet. */
export function isHeard({ signature }: Trade): boolean {
  return signature === ''
}

function isSame(trade: Trade, sold: Listing, at: Date): boolean {
  if (isHeard(trade)) return trade.id === sold._id
  const { amount, price, settledAt } = trade
  return amount === sold.amount && price === sold.price && Math.abs(Date.parse(settledAt) - at.getTime()) < SAME_TRADE_MS
}

function tradeOf({ _id, tokenType, amount, price, unitPrice, lamports }: Listing, at: Date): Trade {
  const unknown = { signature: '', feeLamports: '0', coSigned: false }
  return { ...unknown, id: _id, tokenType, amount, price, unitPrice, lamports, settledAt: at.toISOString() }
}

function withTrade(list: TradePages, trade: Trade): TradePages {
  const [first, ...others] = list.pages
  return first ? { ...list, pages: [{ ...first, trades: [trade, ...first.trades] }, ...others] } : list
}

/** This browser's clock may be behind the server's, so the sale is never put before the last candle. */
function withSale(series: CandleSeries, range: Range, { amount, price, unitPrice }: Listing, at: Date): CandleSeries {
  const { candles } = series
  const last = candles.at(-1)
  const step = stepMillis[ranges[range].step]
  const start = new Date(Math.max(Date.parse(last?.start ?? ''), at.getTime()) || at).toISOString()
  const sale = {
    start,
    open: unitPrice,
    high: unitPrice,
    low: unitPrice,
    close: unitPrice,
    average: unitPrice,
    amount,
    sol: price,
    trades: 1,
  }
  return { ...series, candles: [...candles.slice(0, -1), ...gathered(last ? [last, sale] : [sale], step)] }
}
