import { type TokenType } from '@juicebar/contract/catalogue'
import { type PublicConfig } from '@juicebar/contract/schemas'
import { queryOptions, useMutation, useQuery } from '@tanstack/react-query'
import { memo, useEffect, useState } from 'react'
import { type Reply } from '@juicebar/contract/calls'
import { figureEndpoints } from '@juicebar/contract/endpoints/figures'

import { callAsVisitor } from '../../../api/client.ts'
import { configQuery, type EventListener, eventListeners } from '../../../api/queries.ts'
import { catalogue } from '../../../catalogue/catalogue.ts'
import { Button } from '../../../ui/button.tsx'
import { EmptyGlass } from '../../../ui/empty-state.tsx'
import { formatAmount, formatSol, formatTime, formatUnitPrice } from '../../../ui/format.ts'
import { useNow } from '../../../ui/use-now.ts'
import { SignatureLink } from '../../history/signature-link.tsx'

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
      {isLoaded && <EmptyGlass />}
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

/** The sales of one drink or of all: new ones appear automatically, older ones load page by page. */
function useSales(tokenType: TokenType | undefined) {
  const { data: latest, isError, fetchStatus, dataUpdatedAt, refetch } = useQuery(latestSalesQuery(tokenType))
  const [list, setList] = useState<SaleList>()
  if (latest && list?.latest !== latest) setList(withLatest(list, latest))
  useEffect(() => {
    eventListeners.add(followSales)
    return () => void eventListeners.delete(followSales)
  }, [])
  const older = useMutation({
    mutationFn: (cursor: string) => readSales(tokenType, cursor),
    onSuccess: (page, cursor) => setList((current) => current && withOlder(current, cursor, page)),
  })
  const nextCursor = list?.nextCursor ?? null
  return {
    /** Undefined until they are loaded. */
    sales: list?.sales,
    /** The newest sales could not be loaded. */
    failed: isError,
    /** The browser is offline, so nothing is requested. */
    isOffline: fetchStatus === 'paused',
    /** When the newest were last loaded, in milliseconds; 0 if never. */
    loadedAt: dataUpdatedAt,
    retry: () => void refetch(),
    /** Loads older ones; undefined if there are none. */
    showOlder: nextCursor === null ? undefined : () => older.mutate(nextCursor),
    isLoadingOlder: older.isPending,
    olderFailed: older.isError,
  }
}

interface SaleRowProps {
  sale: MarketSale
  /** How long ago it was. */
  age: string
  network: PublicConfig['network'] | undefined
}

/** One sale. Drawn again only when the text of its age changes. */
const SaleRow = memo(function SaleRow({ sale, age, network }: SaleRowProps) {
  const { tokenType, amount, price, unitPrice, signature, settledAt } = sale
  return (
    <li
      className="arrive figures grid min-h-13 content-center gap-y-0.5 px-4 py-2 text-small sm:col-span-full sm:grid-cols-subgrid sm:items-center sm:px-5"
      data-token={tokenType}
    >
      <div className="flex justify-between gap-x-4 sm:contents">
        <p className="flex items-center gap-2.5 font-semibold">
          <span className="dot" />
          {formatAmount(amount)} {catalogue().nameOf(tokenType)}
        </p>
        <p className="text-right font-bold whitespace-nowrap sm:order-1">{formatSol(price)} SOL</p>
      </div>
      <div className="flex justify-between gap-x-4 text-dim max-sm:text-tiny sm:contents">
        <p className="whitespace-nowrap sm:contents">
          <span className="sm:text-right">{formatUnitPrice(unitPrice)} each</span>
          <span className="sm:hidden"> · </span>
          <time dateTime={settledAt} title={formatTime(settledAt)} className="sm:order-2 sm:text-right">
            {age}
          </time>
        </p>
        <p className="truncate text-tiny sm:order-3">
          <SignatureLink signature={signature} network={network} />
        </p>
      </div>
    </li>
  )
})

const SECOND = 1_000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

/** How long ago something happened, in the largest whole unit: "12 s ago". After a week, the time itself. */
export function ageText(timestamp: string, now: number): string {
  const age = now - Date.parse(timestamp)
  // The clock of a browser may be slow.
  if (age < SECOND) return 'just now'
  if (age < MINUTE) return `${Math.floor(age / SECOND)} s ago`
  if (age < HOUR) return `${Math.floor(age / MINUTE)} min ago`
  if (age < DAY) return `${Math.floor(age / HOUR)} h ago`
  if (age < 7 * DAY) return `${Math.floor(age / DAY)} d ago`
  return formatTime(timestamp)
}

export type SalesPage = Reply<'trades'>
export type MarketSale = SalesPage['trades'][number]

const ACTIVITY = 'activity'
const ALL = 'all'

/** Reads a page of sales, newest first, of one drink or of all. */
export function readSales(tokenType: TokenType | undefined, cursor: string | undefined, signal?: AbortSignal): Promise<SalesPage> {
  return callAsVisitor(figureEndpoints.trades, { query: { tokenType, cursor }, signal })
}

/** The newest sales of one drink, or of all. */
export function latestSalesQuery(tokenType: TokenType | undefined) {
  return queryOptions({
    queryKey: [ACTIVITY, tokenType ?? ALL],
    queryFn: ({ signal }) => readSales(tokenType, undefined, signal),
    // No sales are announced while they are not shown.
    staleTime: 0,
    meta: { quiet: true },
  })
}

/** Marks the newest sales as stale when something is sold, and when events may have been missed. */
export const followSales: EventListener = (event, reloads) => {
  if (event.type === 'reset') reloads.add([ACTIVITY])
  if (event.type === 'listing.sold') for (const which of [ALL, event.listing.tokenType]) reloads.add([ACTIVITY, which])
}

/** Sales without a gap, from the newest on. */
export interface SaleList {
  sales: readonly MarketSale[]
  /** Where the older ones begin; null if there are none. */
  nextCursor: string | null
  /** The newest page that it shows. */
  latest: SalesPage
}

/** A list left open for days takes up no more memory than this; beyond it, the list starts again with its newest page. */
const MOST_SALES = 1_000

/**
 * Brings a list up to date with the newest page. Sales older than the page stay, unless there may be a gap between them; sales that the
 * page no longer has were undone by the chain.
 */
export function withLatest(list: SaleList | undefined, latest: SalesPage): SaleList {
  const { trades, nextCursor } = latest
  const oldest = trades.at(-1)
  const known = list?.sales ?? []
  const ids = new Set(trades.map(({ id }) => id))
  const meets = known.some(({ id }) => ids.has(id))
  if (!list || !oldest || nextCursor === null || !meets) return { sales: trades, nextCursor, latest }
  const older = known.filter((sale) => isOlder(sale, oldest))
  if (trades.length + older.length > MOST_SALES) return { sales: trades, nextCursor, latest }
  return { sales: [...trades, ...older], nextCursor: older.length > 0 ? list.nextCursor : nextCursor, latest }
}

/** Adds the page that begins at `cursor`; a list that has started again in the meantime is not changed. */
export function withOlder(list: SaleList, cursor: string, page: SalesPage): SaleList {
  if (list.nextCursor !== cursor) return list
  return { ...list, sales: [...list.sales, ...page.trades], nextCursor: page.nextCursor }
}

/** As the market orders them: by time, then by id. */
function isOlder(sale: MarketSale, than: MarketSale): boolean {
  return sale.settledAt < than.settledAt || (sale.settledAt === than.settledAt && sale.id < than.id)
}
