import { type Listing } from '@juicebar/contract/schemas'
import { useCallback } from 'react'

import { Button } from '../../ui/button.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { MarketGrid } from './market-grid.tsx'
import { MarketSkeleton } from './market-skeleton.tsx'
import { MarketToolbar } from './market-toolbar.tsx'
import { useMarket } from './use-market.ts'

interface MarketProps {
  walletAddress: string | undefined
  /** The listings that this wallet may not buy for a while, and when that ends, by this browser's clock. */
  cooldowns: ReadonlyMap<string, number>
  /** Undefined while nothing can be bought. */
  onBuy: ((listing: Listing) => void) | undefined
}

/** The market: every active listing, to search, sort and buy. */
export function Market({ walletAddress, cooldowns, onBuy }: MarketProps) {
  const { filter, change, clear, isFiltered, listings, query } = useMarket()
  const { hasNextPage, isFetching, fetchNextPage, refetch } = query
  const onEnd = useCallback(() => {
    if (hasNextPage && !isFetching) void fetchNextPage()
  }, [hasNextPage, isFetching, fetchNextPage])

  return (
    <section aria-labelledby="market-title" className="grid grid-cols-1 gap-5">
      <h2 id="market-title" className="sr-only">
        Market
      </h2>
      <MarketToolbar filter={filter} onChange={change} />
      {!listings && query.isError && (
        <EmptyState title="The market could not be loaded">
          <Button onClick={() => void refetch()}>Try again</Button>
        </EmptyState>
      )}
      {!listings && !query.isError && <MarketSkeleton />}
      {listings?.length === 0 && !query.isPlaceholderData && (
        <EmptyState title="No listings yet">
          {isFiltered && <p className="text-dim">Nothing on the market matches your search.</p>}
          {isFiltered && <Button onClick={clear}>Show everything</Button>}
        </EmptyState>
      )}
      {listings && listings.length > 0 && (
        <MarketGrid listings={listings} walletAddress={walletAddress} cooldowns={cooldowns} onBuy={onBuy} onEnd={onEnd} />
      )}
    </section>
  )
}
