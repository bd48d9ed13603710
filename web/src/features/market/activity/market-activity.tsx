import { type TokenType } from '@juicebar/contract/catalogue'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'

import { catalogue } from '../../../catalogue/catalogue.ts'
import { configQuery } from '../../../api/queries.ts'
import { Button } from '../../../ui/button.tsx'
import { useNow } from '../../../ui/use-now.ts'
import { ageText } from './age-text.ts'
import { SaleRow } from './sale-row.tsx'
import { type MarketSale } from './sales-query.ts'
import { useSales } from './use-sales.ts'

/** If scrolled down by less than this, the list counts as at its top. This allows for fractions of pixels and bouncing. */
const TOP_PX = 4

/** Sales as they happen, newest first. The frame has a fixed height, so that nothing below it moves. */
export function MarketActivity({ tokenType }: { tokenType: TokenType | undefined }) {
  // Each drink has its own list, which starts at the top.
  return <Sales key={tokenType} tokenType={tokenType} />
}

function Sales({ tokenType }: { tokenType: TokenType | undefined }) {
  const { sales, ...rest } = useSales(tokenType)
  return (
    <div className="grid h-72 grid-rows-[minmax(0,1fr)] border-t border-line">
      {sales && (sales.length > 0 || rest.showOlder) ? (
        <SaleFeed sales={sales} {...rest} />
      ) : (
        <NoSales tokenType={tokenType} isLoaded={sales !== undefined} {...rest} />
      )}
    </div>
  )
}

type Feed = Omit<ReturnType<typeof useSales>, 'sales'>

function NoSales({ tokenType, isLoaded, failed, isOffline, retry }: { tokenType: TokenType | undefined; isLoaded: boolean } & Feed) {
  if (!isLoaded && !failed && !isOffline) return <SalesSkeleton />

  return (
    <div role="status" className="grid place-content-center justify-items-center gap-3 px-4 text-center text-small text-dim">
      {isLoaded && (
        <p>
          {tokenType ? `No ${catalogue().nameOf(tokenType)} was sold yet.` : 'Nothing was sold yet.'} What players buy appears here as it
          happens.
        </p>
      )}
      {!isLoaded && <p>{isOffline ? 'You are offline, so what was sold could not be loaded.' : 'What was sold could not be loaded.'}</p>}
      {!isLoaded && <Button onClick={retry}>Try again</Button>}
    </div>
  )
}

/** Rows as high as sales. */
function SalesSkeleton() {
  return (
    <div role="status" className="grid h-72 content-start gap-2 overflow-hidden px-4 py-3 sm:px-5">
      <span className="sr-only">Activity is loading</span>
      {Array.from({ length: 6 }, (_, index) => (
        <div key={index} className="breathe h-11 rounded-field bg-well" />
      ))}
    </div>
  )
}

function SaleFeed({
  sales,
  failed,
  isOffline,
  loadedAt,
  retry,
  showOlder,
  isLoadingOlder,
  olderFailed,
}: { sales: readonly MarketSale[] } & Feed) {
  const { data: config } = useQuery(configQuery)
  const now = useNow()
  // A reader who has scrolled down keeps their place: newer sales wait above it.
  const [readFrom, setReadFrom] = useState<string>()
  const waiting = readFrom === undefined ? 0 : newerThan(sales, readFrom)
  const [frame, setFrame] = useState<HTMLElement | null>(null)
  const isOld = failed || isOffline
  return (
    <div
      ref={setFrame}
      role="group"
      aria-label="Latest sales"
      // Without a tab stop, it could not be scrolled by keyboard.
      // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
      tabIndex={0}
      className="relative overflow-y-auto overscroll-contain -outline-offset-2"
      onScroll={({ currentTarget: { scrollTop } }) => setReadFrom((id) => (scrollTop < TOP_PX ? undefined : (id ?? sales[0]?.id)))}
    >
      {waiting > 0 && (
        <div className="sticky top-2 z-1 grid h-0 justify-center">
          <Button kind="primary" small onClick={() => frame?.scrollTo({ top: 0 })}>
            {waiting === 1 ? '1 new sale' : `${waiting} new sales`}
          </Button>
        </div>
      )}
      {isOld && (
        <p role="status" className="flex flex-wrap items-center gap-x-3 bg-well px-4 py-2 text-tiny text-warn sm:px-5">
          {isOffline ? 'You are offline.' : 'Newer sales could not be loaded.'} As of {ageText(new Date(loadedAt).toISOString(), now)}.
          <button type="button" className="min-h-6 cursor-pointer font-semibold underline" onClick={retry}>
            Try again
          </button>
        </p>
      )}
      <ol className="grid divide-y divide-line sm:gap-x-4 sm:grid-cols-[minmax(0,1.6fr)_minmax(0,1fr)_minmax(0,1fr)_minmax(0,1fr)_auto]">
        {sales.slice(waiting).map((sale) => (
          <SaleRow key={sale.id} sale={sale} age={ageText(sale.settledAt, now)} network={config?.network} />
        ))}
      </ol>
      <div className="grid justify-items-center gap-2 px-4 py-3 text-small text-dim">
        {olderFailed && <p role="status">Older sales could not be loaded.</p>}
        {showOlder ? (
          <Button small disabled={isLoadingOlder} onClick={showOlder}>
            {olderFailed ? 'Try again' : 'Show older'}
          </Button>
        ) : (
          <p>No older sales.</p>
        )}
      </div>
    </div>
  )
}

/** How many sales are newer than the one with this id; none if it is no longer there. */
function newerThan(sales: readonly MarketSale[], id: string): number {
  return Math.max(
    0,
    sales.findIndex((sale) => sale.id === id),
  )
}
