import { type Listing } from '@juicebar/contract/schemas'
import { type QueryClient, type QueryKey } from '@tanstack/react-query'
import { useEffect } from 'react'

import { type EventListener, eventListeners } from '../api/queries.ts'
import { queryClient } from '../api/query-client.ts'
import { staleAfter, type SummaryItem, summaryQuery } from './figure-queries.ts'

type ShowSale = (client: QueryClient, sold: Listing, at: Date) => void

/** Shows a sale in the summary, which is loaded again at its own pace. */
export function showInSummary(client: QueryClient, { tokenType, price, unitPrice }: Listing): void {
  changeLoaded<SummaryItem[]>(client, summaryQuery.queryKey, (items) =>
    items.map((item) =>
      // Sums are shown with four digits, so it does not matter that they are off by fractions of a lamport until then.
      item.tokenType === tokenType ? { ...item, last: unitPrice, volume24h: item.volume24h + price } : item,
    ),
  )
}

/** Leaves what is not loaded, or could not be loaded again and says so. */
export function changeLoaded<Data>(client: QueryClient, queryKey: QueryKey, update: (data: Data) => Data): void {
  const state = client.getQueryState<Data>(queryKey)
  if (state?.status !== 'success') return
  client.setQueryData<Data>(queryKey, (data) => data && update(data))
}

/** Of what is loaded, there is only the summary until the page of a drink is opened, whose code knows how to show a sale in the rest. */
let showSale: ShowSale = showInSummary

const listener: EventListener = (event, reloads) => {
  if (event.type === 'listing.sold') showSale(queryClient, event.listing, new Date())
  for (const queryKey of staleAfter(event)) reloads.add(queryKey)
}

let users = 0

/**
 * Shows sales in the figures at once, and reloads those on the screen when an event changes them, as long as the component is shown.
 *
 * @param showEverywhere what shows a sale from then on, in the summary as well
 */
export function useLiveFigures(showEverywhere?: ShowSale): void {
  useEffect(() => {
    if (showEverywhere) showSale = showEverywhere
    users += 1
    eventListeners.add(listener)
    return () => {
      users -= 1
      if (users === 0) eventListeners.delete(listener)
    }
  }, [showEverywhere])
}
