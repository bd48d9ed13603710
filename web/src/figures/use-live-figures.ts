import { useEffect } from 'react'

import { queryClient } from '../api/query-client.ts'
import { type EventListener, eventListeners } from '../api/refresh-market.ts'
import { staleAfter } from './figure-queries.ts'
import { showTrade } from './show-trade.ts'

const listener: EventListener = (event, reloads) => {
  if (event.type === 'listing.sold') showTrade(queryClient, event.listing, new Date())
  for (const queryKey of staleAfter(event)) reloads.add(queryKey)
}

let users = 0

/** Shows sales in the figures at once, and reloads those on the screen when an event changes them, as long as the component is shown. */
export function useLiveFigures(): void {
  useEffect(() => {
    users += 1
    eventListeners.add(listener)
    return () => {
      users -= 1
      if (users === 0) eventListeners.delete(listener)
    }
  }, [])
}
