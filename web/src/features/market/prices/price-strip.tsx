import { useQuery } from '@tanstack/react-query'

import { hoursQuery } from '../../../figures/candle-series.ts'
import { Change } from '../../../figures/change.tsx'
import { allDrinks, type Drink, drinkPath } from '../../../figures/drinks.ts'
import { type SummaryItem, summaryQuery } from '../../../figures/figure-queries.ts'
import { SparkLine } from '../../../figures/spark-line.tsx'
import { useLiveFigures } from '../../../figures/use-live-figures.ts'
import { AppLink } from '../../../navigation/app-link.tsx'
import { Button } from '../../../ui/button.tsx'
import { useWidth } from '../../../ui/chart/use-width.ts'
import { formatUnitPrice } from '../../../ui/format.ts'
import { type StripFilter, stripDrinks } from './strip-drinks.ts'

/** The width that a drink needs beside others, in rem. */
const LEAST_WIDTH = 13.5
/** A phone has room for two, and shows the others when it is scrolled sideways. */
const MOST_ON_PHONE = 6

/** The price of each drink that fits: now, over a day, and with a link to its page. As high as its skeleton. */
export function PriceStrip(filter: StripFilter) {
  useLiveFigures()
  const { data, isError, refetch } = useQuery(summaryQuery)
  const { width, ref } = useWidth()
  const phone = matchMedia('(width < 40rem)')
  const rem = Number.parseFloat(getComputedStyle(document.documentElement).fontSize)
  const most = phone.matches ? MOST_ON_PHONE : Math.max(1, Math.floor(width / (LEAST_WIDTH * rem)))
  const shown = width > 0 ? stripDrinks(allDrinks(), filter, data ?? [], most) : []
  const withLine = !phone.matches || shown.length === 1
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
