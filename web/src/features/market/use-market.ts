import { type ListingSort } from '@juicebar/contract/schemas'
import { type TokenType } from '@juicebar/contract/catalogue'
import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query'
import { useDeferredValue, useEffect, useState } from 'react'

import { type ListingFilter, listingsQuery } from '../../api/queries.ts'

/** How long to wait after the last key before the server is asked, in milliseconds. */
const TYPING_PAUSE_MS = 220

export interface MarketFilter {
  search: string
  tokenType: TokenType | undefined
  sort: ListingSort
}

/** Requests the same as `allListings`, which is already loaded. */
const everything: MarketFilter = { search: '', tokenType: undefined, sort: 'newest' }

/** The market's filter, and the listings that pass it. */
export function useMarket() {
  const [filter, setFilter] = useState(everything)
  const search = useDebounced(filter.search.trim())
  const query = useInfiniteQuery({ ...listingsQuery(toQuery({ ...filter, search })), placeholderData: keepPreviousData })
  const listings = useDeferredValue(query.data?.pages.flatMap((page) => page.listings))
  return {
    filter,
    change: (change: Partial<MarketFilter>) => setFilter((current) => ({ ...current, ...change })),
    clear: () => setFilter(everything),
    isFiltered: search !== '' || filter.tokenType !== undefined,
    listings,
    query,
  }
}

function toQuery({ search, tokenType, sort }: MarketFilter): ListingFilter {
  return { sort, ...(search && { search }), ...(tokenType && { tokenType }) }
}

function useDebounced(value: string): string {
  const [debounced, setDebounced] = useState(value)
  useEffect(() => {
    const timer = setTimeout(() => setDebounced(value), TYPING_PAUSE_MS)
    return () => clearTimeout(timer)
  }, [value])
  return debounced
}
