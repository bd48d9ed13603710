import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'

import { inMarketWords } from '../../catalogue/in-market-words.ts'
import { formatAmount, formatSol, formatUnitPrice } from '../../ui/format.ts'
import { statsQuery } from '../api/desk-queries.ts'
import { ChartCard } from '../charts/chart-card.tsx'
import { TimeChart } from '../charts/time-chart.tsx'
import { shortDay } from '../parts/moments.ts'
import { Table } from '../parts/rows.tsx'
import { Shown } from '../parts/shown.tsx'
import { exactSol, roughSol } from '../parts/sol.ts'
import { type Day, drawnSol, fillDays } from './figures.ts'

/** Sales, volume and price, day by day. */
export function DayCharts({ from, now }: { from: string; now: number }) {
  const query = useQuery(statsQuery(from, 'day'))
  return (
    <Shown query={query} what="The daily figures">
      {(stats) => <Charts days={fillDays(stats, from, now)} />}
    </Shown>
  )
}

function Charts({ days }: { days: readonly Day[] }) {
  const sales = days.reduce((sum, day) => sum + day.sales, 0)
  const volume = days.reduce((sum, day) => sum + day.volumeLamports, 0n)
  const latest = days.findLast((day) => day.medianUnitPrice !== null)?.medianUnitPrice
  return (
    <>
      <OneChart
        title="Sales per day"
        kind="bars"
        days={days}
        valueOf={(day) => day.sales}
        textOf={(day) => formatAmount(day.sales)}
        topLabel={formatAmount}
        whole={formatAmount(sales)}
        ofWhole="in all"
        columns="Sales"
      />
      <OneChart
        title="Volume per day"
        kind="bars"
        days={days}
        valueOf={(day) => drawnSol(day.volumeLamports)}
        textOf={(day) => `${exactSol(day.volumeLamports)} SOL`}
        topLabel={(top) => `${formatSol(top)} SOL`}
        whole={`${roughSol(volume)} SOL`}
        ofWhole="in all, without fees"
        columns="Volume"
      />
      <OneChart
        title={inMarketWords('Median price of one drink')}
        kind="line"
        days={days}
        valueOf={(day) => day.medianUnitPrice}
        textOf={(day) => (day.medianUnitPrice === null ? 'no sale' : `${formatUnitPrice(day.medianUnitPrice)} SOL`)}
        topLabel={(top) => `${formatUnitPrice(top)} SOL`}
        whole={latest === null || latest === undefined ? 'No sale' : `${formatUnitPrice(latest)} SOL`}
        ofWhole={latest === null || latest === undefined ? '' : 'on the last day with a sale'}
        columns="Median price"
      />
    </>
  )
}

interface OneChartProps {
  title: string
  kind: 'bars' | 'line'
  days: readonly Day[]
  valueOf: (day: Day) => number | null
  textOf: (day: Day) => string
  topLabel: (top: number) => string
  whole: ReactNode
  ofWhole: string
  /** The heading of the column of numbers. */
  columns: string
}

function OneChart({ title, kind, days, valueOf, textOf, topLabel, whole, ofWhole, columns }: OneChartProps) {
  const [marked, setMarked] = useState<number>()
  const day = marked === undefined ? undefined : days[marked]
  const values = days.map(valueOf)
  const nothing = values.every((value) => !value)
  const highest = days.reduce<Day | undefined>(
    (best, next) => (best && (valueOf(best) ?? 0) >= (valueOf(next) ?? 0) ? best : next),
    undefined,
  )
  const summary =
    nothing || !highest ? `${title}: nothing was sold.` : `${title}: the highest is ${textOf(highest)} on ${shortDay(highest.day)}.`
  const chart = (
    <div className="relative">
      <TimeChart
        kind={kind}
        values={values}
        summary={summary}
        topLabel={nothing ? () => '' : topLabel}
        firstLabel={shortDay(days[0]?.day ?? '')}
        lastLabel="Today"
        marked={marked}
        onMark={setMarked}
      />
      {nothing && (
        <p className="pointer-events-none absolute inset-0 grid place-items-center text-small text-dim">Nothing was sold in these days.</p>
      )}
    </div>
  )
  const table = (
    <Table
      short
      caption={title}
      columns={[
        { name: 'Day (UTC)', cell: (each: Day) => shortDay(each.day) },
        { name: columns, figures: true, cell: textOf },
      ]}
      rows={[...days].reverse()}
      keyOf={(each) => each.day}
    />
  )
  return <ChartCard title={title} figure={day ? textOf(day) : whole} of={day ? shortDay(day.day) : ofWhole} chart={chart} table={table} />
}
