import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query'
import { useDeferredValue, useEffect, useState } from 'react'

import { listingsQuery } from '../../api/queries.ts'
import { shownQuery, usePath } from '../../navigation/path.ts'
import { everything, listingFilter, type MarketFilter, marketAddress, readFilter } from './market-filter.ts'

/** How long to wait after the last key before the server is asked, in milliseconds. */
const TYPING_PAUSE_MS = 220

/** The market's filter, which is also in its address, and the listings that pass it. */
export function useMarket() {
  const [filter, setFilter] = useState(() => readFilter(shownQuery()))
  const search = useDebounced(filter.search.trim())
  const query = useInfiniteQuery({ ...listingsQuery(listingFilter({ ...filter, search })), placeholderData: keepPreviousData })
  const listings = useDeferredValue(query.data?.pages.flatMap((page) => page.listings))
  useAddress(marketAddress({ ...filter, search }))
  return {
    filter,
    change: (change: Partial<MarketFilter>) => setFilter((current) => ({ ...current, ...change })),
    clear: () => setFilter(everything),
    isFiltered: search !== '' || filter.tokenType !== undefined,
    listings,
    query,
  }
}

/** Keeps the market's address in step with its filter, so that it can be reloaded, shared and returned to. */
function useAddress(address: string): void {
  const path = usePath()
  useEffect(() => {
    if (path === '/' && `${location.pathname}${location.search}` !== address) history.replaceState(history.state, '', address)
  }, [path, address])
}

function useDebounced(value: string): string {
  const [debounced, setDebounced] = useState(value)
  useEffect(() => {
    const timer = setTimeout(() => setDebounced(value), TYPING_PAUSE_MS)
    return () => clearTimeout(timer)
  }, [value])
  return debounced
}
