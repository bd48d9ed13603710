import { type ListingSort } from '@juicebar/contract/schemas'
import { type TokenType } from '@juicebar/contract/token-types'
import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query'
import { useDeferredValue, useEffect, useState } from 'react'

import { type ListingFilter, listingsQuery } from '../../api/queries.ts'

/** How long typing must rest before the server is asked, in milliseconds. */
const TYPING_MS = 220

export interface MarketFilter {
  search: string
  tokenType: TokenType | undefined
  sort: ListingSort
}

const everything: MarketFilter = { search: '', tokenType: undefined, sort: 'newest' }

/** The market's filter and the lots that it lets through. */
export function useMarket() {
  const [filter, setFilter] = useState(everything)
  const search = useRested(filter.search.trim())
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

function useRested(value: string): string {
  const [rested, setRested] = useState(value)
  useEffect(() => {
    const timer = setTimeout(() => setRested(value), TYPING_MS)
    return () => clearTimeout(timer)
  }, [value])
  return rested
}
