import { type Reply } from '@juicebar/contract/calls'
import { figureEndpoints } from '@juicebar/contract/endpoints/figures'
import { type TokenType } from '@juicebar/contract/catalogue'
import { queryOptions } from '@tanstack/react-query'

import { callAsVisitor } from '../../../api/client.ts'
import { type EventListener } from '../../../api/refresh-market.ts'

export type SalesPage = Reply<'trades'>
export type MarketSale = SalesPage['trades'][number]

const ACTIVITY = 'activity'
const ALL = 'all'

/** Reads a page of sales, newest first, of one drink or of all. */
export function readSales(tokenType: TokenType | undefined, cursor: string | undefined, signal?: AbortSignal): Promise<SalesPage> {
  return callAsVisitor(figureEndpoints.trades, { query: { tokenType, cursor }, signal })
}

/** The newest sales of one drink, or of all. */
export function latestSalesQuery(tokenType: TokenType | undefined) {
  return queryOptions({
    queryKey: [ACTIVITY, tokenType ?? ALL],
    queryFn: ({ signal }) => readSales(tokenType, undefined, signal),
    // No sales are announced while they are not shown.
    staleTime: 0,
    meta: { quiet: true },
  })
}

/** Marks the newest sales as stale when something is sold, and when events may have been missed. */
export const followSales: EventListener = (event, reloads) => {
  if (event.type === 'reset') reloads.add([ACTIVITY])
  if (event.type === 'listing.sold') for (const which of [ALL, event.listing.tokenType]) reloads.add([ACTIVITY, which])
}
