import { type Query, type Reply } from '@juicebar/contract/calls'
import { type TokenType } from '@juicebar/contract/catalogue'
import { figureEndpoints } from '@juicebar/contract/endpoints/figures'
import { playerEndpoints } from '@juicebar/contract/endpoints/player'
import { type MarketEvent } from '@juicebar/contract/events'
import { DRINK_PATH } from '@juicebar/contract/market-settings'
import { infiniteQueryOptions, type QueryKey, queryOptions } from '@tanstack/react-query'

import { callAsVisitor } from '../api/client.ts'
import { keys } from '../api/queries.ts'
import { catalogue } from '../catalogue/catalogue.ts'

export type Candle = Reply<'candles'>['candles'][number]
export type Depth = Reply<'depth'>
export type Level = Depth['levels'][number]
export type SummaryItem = Reply<'summary'>['items'][number]
export type Trade = Reply<'trades'>['trades'][number]

/** Trades in one page of the list. */
export const TRADES_PAGE = 10

const [FIGURES] = keys.summary
export const figureKeys = {
  summary: keys.summary,
  depth: (tokenType: TokenType) => [FIGURES, 'depth', tokenType],
  trades: (tokenType: TokenType) => [FIGURES, 'trades', tokenType],
  candles: (tokenType: TokenType) => [FIGURES, 'candles', tokenType],
} as const

/** How often to reload although nothing happens, because figures of the last 24 hours change with time. In milliseconds. */
export const FIGURES_REFRESH_MS = 60_000

/** The figures of every drink. */
export const summaryQuery = queryOptions({
  queryKey: figureKeys.summary,
  queryFn: async ({ signal }) => (await callAsVisitor<Reply<'summary'>>(playerEndpoints.summary, { signal })).items,
  refetchInterval: FIGURES_REFRESH_MS,
  meta: { quiet: true },
})

/** How much of a drink is for sale at which price. */
export function depthQuery(tokenType: TokenType) {
  return queryOptions({
    queryKey: figureKeys.depth(tokenType),
    queryFn: ({ signal }) => callAsVisitor<Depth>(figureEndpoints.depth, { query: { tokenType }, signal }),
    meta: { quiet: true },
  })
}

/** The trades of a drink, the newest first, page by page. */
export function tradesQuery(tokenType: TokenType) {
  return infiniteQueryOptions({
    queryKey: figureKeys.trades(tokenType),
    queryFn: ({ pageParam: cursor, signal }) =>
      callAsVisitor<Reply<'trades'>>(figureEndpoints.trades, { query: { tokenType, limit: TRADES_PAGE, cursor }, signal }),
    initialPageParam: '',
    getNextPageParam: (page) => page.nextCursor,
    meta: { quiet: true },
  })
}

/** Reads candles, the oldest first. Steps without a trade have none. */
export async function readCandles(query: Query<'candles'>, signal: AbortSignal): Promise<Candle[]> {
  return (await callAsVisitor<Reply<'candles'>>(figureEndpoints.candles, { query, signal })).candles
}

/** Which figures an event of the market makes stale. */
export function staleAfter(event: MarketEvent): QueryKey[] {
  if (event.type === 'reset') return [[FIGURES]]
  if (!('listing' in event)) return []
  const { tokenType } = event.listing
  const offers = [figureKeys.summary, figureKeys.depth(tokenType)]
  return event.type === 'listing.sold' ? [...offers, figureKeys.trades(tokenType), figureKeys.candles(tokenType)] : offers
}

/** A drink's name and address for figures. */
export interface Drink {
  type: TokenType
  name: string
}

/** All drinks of the market, in its order. */
export function allDrinks(): readonly Drink[] {
  return catalogue().items.map(({ code, name }) => ({ type: code, name }))
}

/** The drink with this token type; undefined if the market has none. */
export function findDrink(code: string): Drink | undefined {
  return allDrinks().find(({ type }) => type === code)
}

/** The address of a drink's page on this server. */
export function drinkPath(tokenType: TokenType): string {
  return `${DRINK_PATH}${tokenType}`
}
