import { type TokenType } from '@juicebar/contract/catalogue'
import { useQuery } from '@tanstack/react-query'

import { Change } from '../../figures/change.tsx'
import { allDrinks, type Candle, type Drink, drinkPath, type SummaryItem, summaryQuery } from '../../figures/figure-queries.ts'
import { HOUR, hoursQuery, priceLine } from '../../figures/last-day.ts'
import { useLiveFigures } from '../../figures/live-figures.ts'
import { AppLink } from '../../navigation/app-link.tsx'
import { Button } from '../../ui/button.tsx'
import { useWidth } from '../../ui/chart/use-width.ts'
import { formatUnitPrice } from '../../ui/format.ts'

/** The width that a drink needs beside others, in rem. */
const LEAST_WIDTH = 13.5
/** A phone has room for two, and shows the others when it is scrolled sideways. */
const MOST_ON_PHONE = 6

/**
 * The price of each drink that fits: now, over a day, and with a link to its page. As high as its skeleton. Until its width is known, as on
 * the server, it is that of a phone, without lines.
 */
export function PriceStrip(filter: StripFilter) {
  useLiveFigures()
  const { data, isError, refetch } = useQuery(summaryQuery)
  const { width, ref } = useWidth()
  const isPhone = width === 0 || matchMedia('(width < 40rem)').matches
  const shown = stripDrinks(allDrinks(), filter, data ?? [], isPhone ? MOST_ON_PHONE : mostBeside(width))
  const withLine = width > 0 && (!isPhone || shown.length === 1)
  return (
    <section ref={ref} aria-label="Prices" className="card prices overflow-hidden">
      {isError && !data ? (
        <div role="status" className="flex h-full items-center justify-center gap-4 px-5 text-small">
          The prices could not be loaded.
          <Button onClick={() => void refetch()}>Try again</Button>
        </div>
      ) : (
        <ul className="grid h-full auto-cols-[minmax(9.75rem,1fr)] grid-flow-col divide-x divide-line overflow-x-auto [scrollbar-width:none]">
          {shown.map((drink) => (
            <li key={drink.type} data-token={drink.type}>
              <Price drink={drink} figures={data?.find(({ tokenType }) => tokenType === drink.type)} withLine={withLine} />
            </li>
          ))}
        </ul>
      )}
    </section>
  )
}

/** How many drinks have room side by side, in pixels. */
function mostBeside(width: number): number {
  const rem = Number.parseFloat(getComputedStyle(document.documentElement).fontSize)
  return Math.max(1, Math.floor(width / (LEAST_WIDTH * rem)))
}

interface PriceProps {
  drink: Drink
  /** Undefined until they are loaded. */
  figures: SummaryItem | undefined
  /** With the line of its price. */
  withLine: boolean
}

function Price({ drink, figures, withLine }: PriceProps) {
  const { data: candles, dataUpdatedAt } = useQuery({ ...hoursQuery(drink.type), enabled: withLine })
  return (
    <AppLink
      href={drinkPath(drink.type)}
      className={`grid h-full items-center gap-x-4 px-4 -outline-offset-4 hover:bg-raised sm:px-5 ${withLine ? 'grid-cols-[auto_minmax(1.25rem,1fr)]' : ''}`}
    >
      <span className="grid gap-1">
        <span className="flex min-w-0 items-center gap-2 text-small font-semibold">
          <span className="dot" />
          <span className="line-clamp-2 leading-tight wrap-anywhere">{drink.name}</span>
        </span>
        <span className="flex items-baseline gap-2.5">
          <Floor figures={figures} />
          {typeof figures?.change24h === 'number' && <Change change={figures.change24h} over="in 24 hours" className="text-tiny" />}
        </span>
      </span>
      {withLine && (
        <span className="block h-10">{candles && <SparkLine candles={candles} now={dataUpdatedAt} className="size-full" />}</span>
      )}
    </AppLink>
  )
}

function Floor({ figures }: { figures: SummaryItem | undefined }) {
  if (!figures) return <span className="breathe text-dim">…</span>
  if (figures.floor === null) return <span className="text-small text-dim">none for sale</span>
  return (
    <span className="figures font-bold whitespace-nowrap">
      {formatUnitPrice(figures.floor)} <span className="text-tiny font-semibold text-dim">SOL</span>
    </span>
  )
}

/** What the market is searched for. */
interface StripFilter {
  search: string
  tokenType: TokenType | undefined
}

/**
 * The drinks whose prices are shown above the cards: the chosen one, those whose names match the search, or all. If there is no room for
 * all of them, the most traded of the last day.
 *
 * @param most how many there is room for
 */
export function stripDrinks(
  drinks: readonly Drink[],
  { search, tokenType }: StripFilter,
  summary: readonly SummaryItem[],
  most: number,
): readonly Drink[] {
  if (tokenType) return drinks.filter(({ type }) => type === tokenType)
  const term = search.trim().toLowerCase()
  const named = drinks.filter(({ name }) => name.toLowerCase().includes(term))
  const wanted = named.length > 0 ? named : drinks
  if (wanted.length <= most) return wanted
  const figures = new Map(summary.map((item) => [item.tokenType, item]))
  const traded = ({ type }: Drink) => figures.get(type)?.volume24h ?? 0
  const offered = ({ type }: Drink) => figures.get(type)?.amount ?? 0
  return wanted.toSorted((a, b) => traded(b) - traded(a) || offered(b) - offered(a)).slice(0, most)
}

/** The picture's own units; it is stretched to the available space. */
const WIDTH = 96
const HEIGHT = 32
const EDGE = 3

interface SparkLineProps {
  /** Of an hour each. */
  candles: readonly Candle[]
  /** Of the right edge, in milliseconds. The left one is a day before. */
  now: number
  className?: string
}

/** The price of the last day as a small line. The text beside it describes it. */
function SparkLine({ candles, now, className = '' }: SparkLineProps) {
  return (
    <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" aria-hidden="true" className={className}>
      <path
        d={sparkPath(candles, now)}
        fill="none"
        strokeWidth="2"
        strokeLinecap="round"
        strokeLinejoin="round"
        vectorEffect="non-scaling-stroke"
        className="chart-line"
      />
    </svg>
  )
}

/**
 * The line as an SVG path; empty until the first trade is an hour old, because it would only be a dot. A constant price is in the middle.
 */
export function sparkPath(candles: readonly Candle[], now: number): string {
  const [first] = candles
  if (!first || now - Date.parse(first.start) < HOUR) return ''
  const points = priceLine(candles, HOUR, now)
  const prices = points.map(({ price }) => price)
  const low = Math.min(...prices)
  const span = Math.max(...prices) - low
  const x = (at: number) => Math.max(0, WIDTH - ((now - at) / (24 * HOUR)) * WIDTH)
  const y = (price: number) => (span > 0 ? HEIGHT - EDGE - ((price - low) / span) * (HEIGHT - 2 * EDGE) : HEIGHT / 2)
  return points.map(({ at, price }, index) => `${index === 0 ? 'M' : 'L'}${x(at).toFixed(1)} ${y(price).toFixed(1)}`).join('')
}
