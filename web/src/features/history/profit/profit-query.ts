import { type Reply } from '@juicebar/contract/calls'
import { figureEndpoints } from '@juicebar/contract/endpoints/figures'
import { MAX_LEDGER_PAGE } from '@juicebar/contract/limits'
import { queryOptions } from '@tanstack/react-query'

import { callEndpoint } from '../../../api/client.ts'
import { MINE } from '../../../api/query-client.ts'
import { type EventListener } from '../../../api/refresh-market.ts'

export type DrinkProfit = Reply<'profit'>['drinks'][number]
export type LedgerPage = Reply<'myLedger'>
export type LedgerEntry = LedgerPage['entries'][number]

const PROFIT = [MINE, 'profit']

/** What the signed-in player has earned with each drink. */
export const profitQuery = queryOptions({
  queryKey: PROFIT,
  queryFn: ({ signal }) => callEndpoint<Reply<'profit'>>(figureEndpoints.profit, { signal }),
  // No changes are announced while it is not shown.
  staleTime: 0,
})

/** A long page of everything that the signed-in player received and gave, oldest first. */
export function readLedger(cursor: string, signal: AbortSignal): Promise<LedgerPage> {
  return callEndpoint(figureEndpoints.myLedger, { query: { limit: MAX_LEDGER_PAGE, cursor }, signal })
}

const changes = new Set(['purchase.changed', 'balance.changed', 'case.changed'])

/** Marks the profit as stale when the player has bought, sold, been credited or used something, and when a payment was undone. */
export const followProfit: EventListener = ({ type }, reloads) => {
  if (changes.has(type)) reloads.add(PROFIT)
}
