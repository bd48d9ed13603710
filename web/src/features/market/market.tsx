import { type TokenType } from '@juicebar/contract/catalogue'
import { type Listing } from '@juicebar/contract/schemas'
import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query'
import { type ComponentType, type ReactNode, useCallback, useDeferredValue, useEffect, useMemo, useState } from 'react'
import { MAX_SEARCH_LENGTH } from '@juicebar/contract/limits'

import { listingsQuery } from '../../api/queries.ts'
import { catalogue, inMarketWords, MOST_SIDE_BY_SIDE } from '../../catalogue/catalogue.ts'
import { shownQuery, usePath } from '../../navigation/path.ts'
import { Button } from '../../ui/button.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { lazyComponent } from '../../ui/lazy-component.ts'
import { Part } from '../../ui/part.tsx'
import { SearchBox } from '../../ui/search-box.tsx'
import { useDebounced } from '../../ui/use-debounced.ts'
import { everything, listingFilter, marketAddress, type MarketFilter, readFilter, readSort, sortLabels } from './market-filter.ts'
import { MarketGrid } from './market-grid.tsx'

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
  const { hasNextPage, isFetching, fetchNextPage, refetch } = query
  const onEnd = useCallback(() => {
    if (hasNextPage && !isFetching) void fetchNextPage()
  }, [hasNextPage, isFetching, fetchNextPage])

  return (
    <section aria-labelledby="market-title" className="grid grid-cols-1 gap-5 max-sm:gap-3">
      <h2 id="market-title" className="sr-only">
        Market
      </h2>
      <MarketToolbar filter={filter} onChange={change} />
      {prices(filter)}
      {!filter.tokenType && (
        <p className="text-small text-dim max-sm:text-tiny">{inMarketWords('Choose a drink to buy any amount of it at the best price.')}</p>
      )}
      {filter.tokenType && bestPrice(filter.tokenType)}
      <details className="card" onToggle={(event) => showActivity(event.currentTarget.open)}>
        <summary>Activity</summary>
        <Part>{showsActivity && <Activity {...filter} />}</Part>
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

/** The market's filter, which is also in its address, and the listings that pass it. */
function useMarket() {
  const [filter, setFilter] = useState(() => readFilter(shownQuery()))
  const search = useDebounced(filter.search.trim())
  const query = useInfiniteQuery({ ...listingsQuery(listingFilter({ ...filter, search })), placeholderData: keepPreviousData })
  const { data } = query
  const listings = useDeferredValue(useMemo(() => data?.pages.flatMap((page) => page.listings), [data]))
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
    // The browser's path too: another page may have been opened since this was rendered, whose address stays.
    if (path === '/' && location.pathname === path && `${path}${location.search}` !== address)
      history.replaceState(history.state, '', address)
  }, [path, address])
}

/** Shown in place of the first listings, at their size, so that nothing moves when they arrive. */
function MarketSkeleton() {
  return (
    <div role="status" className="grid grid-cols-[repeat(auto-fill,minmax(min(100%,15.25rem),1fr))] gap-3 sm:gap-5">
      <span className="sr-only">Loading the market</span>
      {Array.from({ length: 8 }, (_, index) => (
        <div key={index} className="card breathe h-40 sm:h-90" />
      ))}
    </div>
  )
}

const ItemFilter = lazyComponent(async () => (await import('./item-filter.tsx')).ItemFilter)

interface ToolbarProps {
  filter: MarketFilter
  onChange: (change: Partial<MarketFilter>) => void
}

/** The market's search, order and items. It stays visible while the market scrolls. */
function MarketToolbar({ filter, onChange }: ToolbarProps) {
  const items = { chosen: filter.tokenType, onChoose: (tokenType: TokenType | undefined) => onChange({ tokenType }) }
  return (
    <form
      role="search"
      action="/"
      className="pinned grid gap-1.5 lg:gap-3 lg:grid-cols-[minmax(16rem,1fr)_auto] lg:items-center"
      onSubmit={(event) => event.preventDefault()}
    >
      <div className="grid grid-cols-[1fr_auto] gap-2 lg:contents">
        <SearchBox
          label="Search by token or seller"
          name="search"
          maxLength={MAX_SEARCH_LENGTH}
          value={filter.search}
          onChange={(search) => onChange({ search })}
        />
        <label>
          <span className="sr-only">Order</span>
          <select
            name="sort"
            className="field max-sm:w-36"
            value={filter.sort}
            onChange={(event) => onChange({ sort: readSort(event.target.value) })}
          >
            {Object.entries(sortLabels).map(([sort, label]) => (
              <option key={sort} value={sort}>
                {label}
              </option>
            ))}
          </select>
        </label>
      </div>
      {catalogue().items.length > MOST_SIDE_BY_SIDE ? (
        <Part fallback={<div className="field lg:col-start-3 lg:w-64" />}>
          <ItemFilter {...items} />
        </Part>
      ) : (
        <DrinkChips {...items} />
      )}
      <button type="submit" className="button without-script-only">
        Show
      </button>
    </form>
  )
}

/** More items than this get a line of their own, even if the whole toolbar would fit on one line. */
const MOST_IN_LINE = 4

function DrinkChips({ chosen, onChoose }: { chosen: TokenType | undefined; onChoose: (type: TokenType | undefined) => void }) {
  const { items } = catalogue()
  return (
    <fieldset
      className={`-mx-4 min-w-0 overflow-x-auto px-4 py-0.5 sm:mx-0 sm:px-0 ${items.length > MOST_IN_LINE ? 'lg:col-span-full' : 'lg:col-start-3'}`}
    >
      <legend className="sr-only">{inMarketWords('Drink')}</legend>
      <div className="flex gap-2">
        <DrinkChip label="All" checked={!chosen} onCheck={() => onChoose(undefined)} />
        {items.map(({ code, name }) => (
          <DrinkChip key={code} token={code} label={name} checked={chosen === code} onCheck={() => onChoose(code)} />
        ))}
      </div>
    </fieldset>
  )
}

function DrinkChip({ token, label, checked, onCheck }: { token?: TokenType; label: string; checked: boolean; onCheck: () => void }) {
  return (
    <label className="chip" data-token={token}>
      <input type="radio" name="tokenType" value={token ?? ''} className="sr-only" checked={checked} onChange={onCheck} />
      {token && <span className="dot" />}
      {label}
    </label>
  )
}
