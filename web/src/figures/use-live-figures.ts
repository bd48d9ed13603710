import { useEffect } from 'react'

import { type EventListener, eventListeners } from '../api/refresh-market.ts'
import { staleAfter } from './figure-queries.ts'

const listener: EventListener = (event, reloads) => {
  for (const queryKey of staleAfter(event)) reloads.add(queryKey)
}

let users = 0

/** Reloads the figures on the screen when an event changes them, as long as the component is shown. */
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
