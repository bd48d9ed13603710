import { MAX_STATS_HOURS } from '@juicebar/contract/limits'
import { type StatsRow } from '@juicebar/contract/schemas'
import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'

import { catalogue, inMarketWords } from '../../catalogue/catalogue.ts'
import { formatAmount, formatSol, formatUnitPrice } from '../../ui/format.ts'
import { openCasesQuery, statsQuery } from '../desk-queries.ts'
import { kindWords } from '../cases.tsx'
import { ChartCard, ShareBars, TimeChart } from './chart-card.tsx'
import { placeLink } from '../frame/places.ts'
import { type Column, Table } from '../parts/rows.tsx'
import { exactSol, hourOfDay, howLong, Nothing, roughSol, shortDay, Shown } from '../parts/shown.tsx'
import { ages, countByAge, countByKind, type Day, drawnSol, fillDays, fillHours, firstHour, type Hour } from './figures.ts'

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

const hourColumns: readonly Column<Hour>[] = [
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
      table={<Table short caption={TITLE} columns={hourColumns} rows={[...hours].reverse()} keyOf={({ start }) => start} />}
    />
  )
}

/** More than these are in the table only. */
const MOST_BARS = 6

/** The revenue of each drink. */
export function DrinksChart({ from }: { from: string }) {
  const query = useQuery(statsQuery(from, 'tokenType'))
  return (
    <Shown query={query} what={inMarketWords('The figures by drink')}>
      {(stats) => <Drinks stats={stats} />}
    </Shown>
  )
}

interface Drink {
  type: string
  name: string
  volume: bigint
  sales: number
  /** How many were sold. */
  amount: number
  median: number | null
}

const drinkColumns: readonly Column<Drink>[] = [
  { name: 'Drink', cell: ({ name }) => name },
  { name: 'Sales', figures: true, cell: ({ sales }) => formatAmount(sales) },
  { name: 'Sold', figures: true, cell: ({ amount }) => formatAmount(amount) },
  { name: 'Volume (SOL)', figures: true, cell: ({ volume }) => exactSol(volume) },
  { name: 'Median price (SOL)', figures: true, cell: ({ median }) => (median === null ? 'no sale' : formatUnitPrice(median)) },
]

function Drinks({ stats }: { stats: readonly StatsRow[] }) {
  const brought = new Map(stats.map((row) => [row.tokenType, row]))
  const drinks = catalogue()
    .items.map(({ code: type, name }) => {
      const row = brought.get(type)
      const volume = BigInt(row?.volumeLamports ?? 0)
      return { type, name, volume, sales: row?.sales ?? 0, amount: row?.amount ?? 0, median: row?.medianUnitPrice ?? null }
    })
    .sort((one, other) => (one.volume < other.volume ? 1 : one.volume > other.volume ? -1 : 0))
  const best = drinks[0]
  const shares = drinks.slice(0, MOST_BARS).map(({ type, name, volume, amount }) => ({
    key: type,
    label: name,
    token: type,
    value: drawnSol(volume),
    text: `${roughSol(volume)} SOL · ${formatAmount(amount)} sold`,
  }))
  return (
    <ChartCard
      title={inMarketWords('Volume by drink')}
      figure={best && best.volume > 0n ? best.name : 'No sale'}
      of={best && best.volume > 0n ? 'brought most' : ''}
      chart={<ShareBars tone="drink" shares={shares} />}
      table={<Table short caption="Volume by drink" columns={drinkColumns} rows={drinks} keyOf={({ type }) => type} />}
    />
  )
}

/** How long the open cases have waited. */
export function CasesChart({ now }: { now: number }) {
  const query = useQuery(openCasesQuery)
  return (
    <Shown query={query} what="The open cases">
      {({ cases, more }) => {
        const kinds = countByKind(cases)
        const counts = countByAge(cases, now)
        const shares = ages.map(({ label }, index) => ({
          key: label,
          label: `Waiting ${label}`,
          value: counts[index] ?? 0,
          text: formatAmount(counts[index] ?? 0),
        }))
        const columns: Column<(typeof kinds)[number]>[] = [
          { name: 'Kind', cell: ({ kind }) => kindWords[kind] },
          { name: 'Cases', figures: true, cell: ({ count }) => formatAmount(count) },
          { name: 'Oldest', figures: true, cell: ({ oldest }) => howLong(oldest, now) },
        ]
        const none = (
          <div className="my-auto">
            <Nothing>No case is open.</Nothing>
          </div>
        )
        return (
          <ChartCard
            title="Open cases by age"
            figure={
              <a href={placeLink('cases')} className="link">
                {formatAmount(cases.length)}
                {more && ' or more'}
              </a>
            }
            of={more ? 'of the open ones, the newest are counted' : 'wait for someone'}
            chart={cases.length ? <ShareBars tone="warn" shares={shares} /> : none}
            table={
              kinds.length ? <Table short caption="Open cases by kind" columns={columns} rows={kinds} keyOf={({ kind }) => kind} /> : none
            }
          />
        )
      }}
    </Shown>
  )
}
