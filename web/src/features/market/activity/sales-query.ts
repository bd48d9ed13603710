import { type Reply } from '@juicebar/contract/calls'
import { type TokenType } from '@juicebar/contract/catalogue'
import { figureEndpoints } from '@juicebar/contract/endpoints/figures'
import { queryOptions } from '@tanstack/react-query'

import { callAsVisitor } from '../../../api/client.ts'
import { type EventListener } from '../../../api/queries.ts'

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

/** Sales without a gap, from the newest on. */
export interface SaleList {
  sales: readonly MarketSale[]
  /** Where the older ones begin; null if there are none. */
  nextCursor: string | null
  /** The newest page that it shows. */
  latest: SalesPage
}

/** A list left open for days takes up no more memory than this; beyond it, the list starts again with its newest page. */
const MOST_SALES = 1_000

/**
 * Brings a list up to date with the newest page. Sales older than the page stay, unless there may be a gap between them; sales that the
 * page no longer has were undone by the chain.
 */
export function withLatest(list: SaleList | undefined, latest: SalesPage): SaleList {
  const { trades, nextCursor } = latest
  const oldest = trades.at(-1)
  const known = list?.sales ?? []
  const ids = new Set(trades.map(({ id }) => id))
  const meets = known.some(({ id }) => ids.has(id))
  if (!list || !oldest || nextCursor === null || !meets) return { sales: trades, nextCursor, latest }
  const older = known.filter((sale) => isOlder(sale, oldest))
  if (trades.length + older.length > MOST_SALES) return { sales: trades, nextCursor, latest }
  return { sales: [...trades, ...older], nextCursor: older.length > 0 ? list.nextCursor : nextCursor, latest }
}

/** Adds the page that begins at `cursor`; a list that has started again in the meantime is not changed. */
export function withOlder(list: SaleList, cursor: string, page: SalesPage): SaleList {
  if (list.nextCursor !== cursor) return list
  return { ...list, sales: [...list.sales, ...page.trades], nextCursor: page.nextCursor }
}

/** As the market orders them: by time, then by id. */
function isOlder(sale: MarketSale, than: MarketSale): boolean {
  return sale.settledAt < than.settledAt || (sale.settledAt === than.settledAt && sale.id < than.id)
}
