import { MAX_STATS_HOURS } from '@juicebar/contract/limits'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'

import { formatAmount } from '../../ui/format.ts'
import { statsQuery } from '../api/desk-queries.ts'
import { ChartCard } from '../charts/chart-card.tsx'
import { TimeChart } from '../charts/time-chart.tsx'
import { hourOfDay } from '../parts/moments.ts'
import { type Column, Table } from '../parts/rows.tsx'
import { Shown } from '../parts/shown.tsx'
import { exactSol } from '../parts/sol.ts'
import { fillHours, firstHour, type Hour } from './figures.ts'

/** How busy the market was, hour by hour. */
export function HoursChart({ now }: { now: number }) {
  const from = firstHour(now, MAX_STATS_HOURS)
  // The present hour's end, since the server's clock may have come to the next hour already.
  const query = useQuery(statsQuery(from, 'hour', firstHour(now, 0)))
  return (
    <Shown query={query} what="The hourly figures">
      {(stats) => <Hours hours={fillHours(stats, from, now)} />}
    </Shown>
  )
}

const TITLE = 'Sales per hour'

const columns: readonly Column<Hour>[] = [
  { name: 'Hour from', cell: ({ start }) => <time dateTime={start}>{hourOfDay(start)}</time> },
  { name: 'Sales', figures: true, cell: ({ sales }) => formatAmount(sales) },
  { name: 'Volume (SOL)', figures: true, cell: ({ volumeLamports }) => exactSol(volumeLamports) },
]

function Hours({ hours }: { hours: readonly Hour[] }) {
  const [marked, setMarked] = useState<number>()
  const hour = marked === undefined ? undefined : hours[marked]
  const sales = hours.reduce((sum, each) => sum + each.sales, 0)
  const highest = hours.reduce<Hour | undefined>((best, next) => (best && best.sales >= next.sales ? best : next), undefined)
  const summary =
    sales > 0 && highest
      ? `${TITLE}: the highest is ${formatAmount(highest.sales)} in the hour from ${hourOfDay(highest.start)}.`
      : `${TITLE}: nothing was sold.`
  const chart = (
    <div className="relative">
      <TimeChart
        kind="bars"
        values={hours.map((each) => each.sales)}
        summary={summary}
        topLabel={sales > 0 ? formatAmount : () => ''}
        firstLabel={hourOfDay(hours[0]?.start ?? '')}
        lastLabel="This hour"
        marked={marked}
        onMark={setMarked}
      />
      {sales === 0 && (
        <p className="pointer-events-none absolute inset-0 grid place-items-center text-small text-dim">Nothing was sold in these hours.</p>
      )}
    </div>
  )
  return (
    <ChartCard
      title={TITLE}
      figure={formatAmount(hour ? hour.sales : sales)}
      of={hour ? `from ${hourOfDay(hour.start)}` : `in the last ${hours.length} hours`}
      chart={chart}
      table={<Table short caption={TITLE} columns={columns} rows={[...hours].reverse()} keyOf={({ start }) => start} />}
    />
  )
}
