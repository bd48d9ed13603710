import { type Listing } from '@juicebar/contract/schemas'
import { type TokenType } from '@juicebar/contract/catalogue'
import { type ComponentType, type ReactNode, Suspense, useCallback, useState } from 'react'

import { Button } from '../../ui/button.tsx'
import { inMarketWords } from '../../catalogue/in-market-words.ts'
import { useLateReplay } from '../../ui/early-events.ts'
import { EmptyState } from '../../ui/empty-state.tsx'
import { MarketGrid } from './market-grid.tsx'
import { MarketSkeleton } from './market-skeleton.tsx'
import { MarketToolbar } from './market-toolbar.tsx'
import { marketAddress, type MarketFilter } from './market-filter.ts'
import { useMarket } from './use-market.ts'

interface MarketProps {
  walletAddress: string | undefined
  /** The listings that this wallet may not buy for a while, and when that ends, by this browser's clock. */
  cooldowns: ReadonlyMap<string, number>
  /** Undefined while nothing can be bought. */
  onBuy: ((listing: Listing) => void) | undefined
  /** The ids of the listings in the basket. */
  gathered: ReadonlySet<string>
  /** Puts a listing into the basket or takes it out; undefined for those who have none. */
  onGather: ((listing: Listing) => void) | undefined
  /** Shown to a drink's buyer above its listings. */
  bestPrice: (tokenType: TokenType) => ReactNode
  /** The sales of one drink or of all. */
  Activity: ComponentType<{ tokenType: TokenType | undefined }>
  /** The prices of the drinks that pass the filter. */
  prices: (filter: MarketFilter) => ReactNode
}

/** The market: every active listing, to search, sort and buy. */
export function Market({ bestPrice, Activity, prices, ...cards }: MarketProps) {
  const [showsActivity, showActivity] = useState(false)
  const { filter, change, clear, isFiltered, listings, query } = useMarket()
  const late = useLateReplay()
  const { hasNextPage, isFetching, fetchNextPage, refetch } = query
  const onEnd = useCallback(() => {
    if (hasNextPage && !isFetching) void fetchNextPage()
  }, [hasNextPage, isFetching, fetchNextPage])

  return (
    <section {...late} aria-labelledby="market-title" className="grid grid-cols-1 gap-5 max-sm:gap-3">
      <h2 id="market-title" className="sr-only">
        Market
      </h2>
      <MarketToolbar filter={filter} onChange={change} />
      {prices(filter)}
      {!filter.tokenType && (
        <p className="text-small text-dim max-sm:text-tiny">{inMarketWords('Choose a drink to buy any amount of it at the best price.')}</p>
      )}
      {filter.tokenType && <Suspense fallback={<div className="card best-price breathe" />}>{bestPrice(filter.tokenType)}</Suspense>}
      <details className="card" onToggle={(event) => showActivity(event.currentTarget.open)}>
        <summary>Activity</summary>
        <Suspense>{showsActivity && <Activity {...filter} />}</Suspense>
      </details>
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
      {listings && listings.length > 0 && <MarketGrid listings={listings} {...cards} onEnd={onEnd} />}
      {hasNextPage && (
        <a href={marketAddress(filter, query.data?.pages.at(-1)?.nextCursor ?? '')} className="button without-script-only">
          More listings
        </a>
      )}
    </section>
  )
}
