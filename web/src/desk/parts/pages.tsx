import { type InfiniteData, type UseInfiniteQueryResult } from '@tanstack/react-query'
import { type ReactNode } from 'react'

import { Button } from '../../ui/button.tsx'
import { Failed, Nothing, Shown } from './shown.tsx'

interface PagesProps<Item> {
  query: UseInfiniteQueryResult<InfiniteData<{ items: Item[] }>>
  what: string
  /** What an empty list says. */
  nothing: string
  children: (items: readonly Item[]) => ReactNode
}

/** A list that is read by cursor, page by page. A page that fails says so below those that are there. */
export function Pages<Item>({ query, what, nothing, children }: PagesProps<Item>) {
  const { data, error, isFetching, refetch, hasNextPage, isFetchingNextPage, isFetchNextPageError, fetchNextPage } = query
  const more = () => void fetchNextPage()
  const items = data?.pages.flatMap((page) => page.items)
  const whole = { data: items, error: isFetchNextPageError ? null : error, isFetching, refetch }
  return (
    <Shown query={whole} what={what}>
      {(read) => (
        <>
          {read.length === 0 ? <Nothing>{nothing}</Nothing> : children(read)}
          {isFetchNextPageError && error && <Failed what="The next page" error={error} onRetry={more} />}
          {hasNextPage && !isFetchNextPageError && (
            <Button className="justify-self-center" disabled={isFetchingNextPage} onClick={more}>
              {isFetchingNextPage ? 'Loading' : 'Show more'}
            </Button>
          )}
        </>
      )}
    </Shown>
  )
}
