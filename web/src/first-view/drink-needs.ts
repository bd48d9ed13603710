import { figureEndpoints } from '@juicebar/contract/endpoints/figures'

import { queryClient } from '../api/query-client.ts'
import { depthQuery, findDrink, TRADES_PAGE, tradesQuery } from '../figures/figure-queries.ts'
import { need, type Need } from './need.ts'
import { quoteNeeds } from './quote-needs.ts'

/** What the page of a drink shows first, beside its price: its offers, its trades, and what some cost. The chart is drawn once its width is known. */
export function drinkNeeds(code: string): readonly Need[] {
  const drink = findDrink(code)
  if (!drink) return []
  const { type: tokenType } = drink
  return [
    need(figureEndpoints.depth, { query: { tokenType } }, (body) => queryClient.setQueryData(depthQuery(tokenType).queryKey, body)),
    need(figureEndpoints.trades, { query: { tokenType, limit: TRADES_PAGE } }, (body) =>
      queryClient.setQueryData(tradesQuery(tokenType).queryKey, { pages: [body], pageParams: [''] }),
    ),
    ...quoteNeeds(tokenType),
  ]
}
