import { useSyncExternalStore } from 'react'

import { parsePlace, type Place } from './places.ts'

/** What the address says to show. */
export function usePlace(): Place {
  return parsePlace(useSyncExternalStore(subscribe, () => location.hash))
}

function subscribe(onChange: () => void): () => void {
  window.addEventListener('hashchange', onChange)
  return () => window.removeEventListener('hashchange', onChange)
}
