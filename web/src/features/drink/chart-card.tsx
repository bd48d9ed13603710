import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'

import { type CandleSeries, candlesQuery, type Range } from '../../figures/candle-series.ts'
import { Change } from '../../figures/change.tsx'
import { type Drink, summaryQuery } from '../../figures/figure-queries.ts'
import { Button } from '../../ui/button.tsx'
import { useWidth } from '../../ui/chart/use-width.ts'
import { formatAmount, formatSol, formatUnitPrice } from '../../ui/format.ts'
import { Spinner } from '../../ui/spinner.tsx'
import { changeOver, chartData, type ChartData } from './price-chart.tsx'
import { candleTime, candleVolume, PriceChart } from './price-chart.tsx'

const sinceFirst = 'since the first trade'
const ranges: readonly { value: Range; label: string; words: string }[] = [
  { value: 'day', label: 'Day', words: 'in the last 24 hours' },
  { value: 'week', label: 'Week', words: 'in the last 7 days' },
  { value: 'month', label: 'Month', words: 'in the last 30 days' },
  { value: 'all', label: 'All', words: sinceFirst },
]
const kinds = [
  { value: 'line', label: 'Line' },
  { value: 'candles', label: 'Candles' },
] as const
type Kind = (typeof kinds)[number]['value']

/** The price of a drink over time, as a chart or as its numbers. A drink that was not traded today is shown from its first trade on. */
export function ChartCard({ drink }: { drink: Drink }) {
  const [chosen, setChosen] = useState<Range>()
  const [kind, setKind] = useState<Kind>('line')
  const [numbers, setNumbers] = useState(false)
  const { data: summary } = useQuery(summaryQuery)
  const figures = summary?.find(({ tokenType }) => tokenType === drink.type)
  const isUntraded = figures?.last === null
  const today = useQuery({ ...candlesQuery(drink.type, 'day'), enabled: !isUntraded })
  const range = chosen ?? (isUntraded || today.data?.candles.length === 0 ? 'all' : 'day')
  const { data, dataUpdatedAt, isError, fetchStatus, refetch } = useQuery(candlesQuery(drink.type, range))
  const { width, ref } = useWidth()
  // As above the chart: there is no price of a day ago until the first trade is older than that.
  const change24h = range === 'day' ? figures?.change24h : undefined
  const words = change24h === null ? sinceFirst : (ranges.find(({ value }) => value === range)?.words ?? '')
  const chart = data && width > 0 && chartData(range, data, { now: dataUpdatedAt, width })
  return (
    <section aria-labelledby="chart-title" className="card grid grid-rows-[auto_1fr] gap-4 p-4 sm:p-6" data-token={drink.type}>
      <h3 id="chart-title" className="sr-only">
        Price over time
      </h3>
      <p className="without-script-only text-dim">The chart needs JavaScript.</p>
      <div className="needs-script flex flex-wrap items-center gap-2">
        <Switch legend="How far back" name="chart-range" options={ranges} value={range} onChange={setChosen} />
        <Switch legend="Drawn as" name="chart-kind" options={kinds} value={kind} onChange={setKind} />
        <Button kind={numbers ? 'quiet' : 'bare'} small className="ml-auto" aria-pressed={numbers} onClick={() => setNumbers(!numbers)}>
          Numbers
        </Button>
      </div>
      <div ref={ref} className="chart-frame needs-script">
        {!chart ? (
          <Frame className={isUntraded ? untradedSpace : 'chart-space'}>
            <Waiting what="The prices" failed={isError} paused={fetchStatus === 'paused'} onRetry={() => void refetch()} />
          </Frame>
        ) : chart.candles.length === 0 ? (
          <Frame className={range === 'all' ? untradedSpace : 'chart-space'}>
            <Untraded range={range} words={words} onAll={() => setChosen('all')} />
          </Frame>
        ) : numbers ? (
          <CandleTable data={chart} label={`${drink.name} ${words}`} />
        ) : (
          <Pointed
            key={`${range} ${chart.frame.step}`}
            chart={chart}
            {...{ kind, width, words, now: dataUpdatedAt, change: change24h ?? changeOver(chart.candles) }}
            label={`Price of ${drink.name} ${words}`}
          />
        )}
      </div>
      {isError && data && <Stale series={data} />}
    </section>
  )
}

const untradedSpace = 'min-h-48'

/** As high as the chart and the text above it, so that nothing moves when they arrive, unless nobody has ever traded the drink. */
function Frame({ className, children }: { className: string; children: ReactNode }) {
  return <div className={`grid place-content-center justify-items-center gap-3 text-center h-full ${className}`}>{children}</div>
}

function Untraded({ range, words, onAll }: { range: Range; words: string; onAll: () => void }) {
  if (range === 'all') {
    return (
      <>
        <p className="text-lead font-semibold">Nobody has traded it yet</p>
        <p className="text-dim">The chart begins with the first trade.</p>
      </>
    )
  }
  return (
    <>
      <p className="text-dim">No trade {words}.</p>
      <Button onClick={onAll}>Show all time</Button>
    </>
  )
}

interface PointedProps {
  chart: ChartData
  kind: Kind
  width: number
  words: string
  now: number
  /** How far the price moved in all, as a fraction; undefined if that is not known. */
  change: number | undefined
  label: string
}

/** The chart, and above it a description of the selected candle, or of all. */
function Pointed({ chart, kind, width, words, now, change, label }: PointedProps) {
  const [marked, setMarked] = useState<string>()
  const { candles, frame } = chart
  const found = candles.findIndex(({ start }) => start === marked)
  const index = found < 0 ? undefined : found
  const candle = index === undefined ? undefined : candles[index]
  return (
    <>
      {/* The chart itself announces it to screen readers. */}
      <div aria-hidden="true" className="chart-readout figures mb-3 grid content-start gap-1 text-small">
        {candle ? (
          <>
            <p className="font-semibold">
              {candleTime(candle, frame.step)}
              <span className="ml-3 font-normal text-dim">{candleVolume(candle)}</span>
            </p>
            <Prices candle={candle} />
          </>
        ) : (
          <Whole candles={candles} change={change} words={words} />
        )}
      </div>
      <PriceChart
        data={chart}
        {...{ kind, width, now, label }}
        marked={index}
        onMark={(next) => setMarked(next === undefined ? undefined : candles[next]?.start)}
      />
    </>
  )
}

function Prices({ candle }: { candle: ChartData['candles'][number] }) {
  if (candle.trades === 1) return <p>{formatUnitPrice(candle.close)} SOL</p>
  const prices = { First: candle.open, High: candle.high, Low: candle.low, Last: candle.close }
  return (
    <p className="flex flex-wrap gap-x-4">
      {Object.entries(prices).map(([name, price]) => (
        <span key={name}>
          <span className="text-dim">{name}</span> {formatUnitPrice(price)}
        </span>
      ))}
    </p>
  )
}

function Whole({ candles, change, words }: { candles: ChartData['candles'] } & Pick<PointedProps, 'change' | 'words'>) {
  const sum = (field: 'sol' | 'trades' | 'amount') => candles.reduce((total, candle) => total + candle[field], 0)
  return (
    <>
      <p className="font-semibold">
        {change !== undefined && <Change change={change} over={words} />}{' '}
        <span className={change === undefined ? 'inline-block first-letter:uppercase' : 'ml-1 font-normal text-dim'}>{words}</span>
      </p>
      <p className="text-dim">
        {formatAmount(sum('amount'))} traded for {formatUnitPrice(sum('sol'))} SOL
      </p>
    </>
  )
}

function Stale({ series }: { series: CandleSeries }) {
  return (
    <p role="status" className="text-small text-warn">
      {series.candles.length > 0 ? 'These prices could not be updated. Trying again.' : 'Could not check for new trades.'}
    </p>
  )
}

const columns = ['Time', 'First', 'High', 'Low', 'Last', 'Traded', 'SOL', 'Trades'] as const

/** The numbers behind a chart, newest first. */
function CandleTable({ data: { candles, frame }, label }: { data: ChartData; label: string }) {
  return (
    // It scrolls, so keyboard users must be able to reach it.
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
    <div role="region" aria-label={label} tabIndex={0} className="max-h-110 overflow-auto rounded-field">
      <table className="figures w-full text-right text-small whitespace-nowrap">
        <caption className="sr-only">{label}: the price of one in SOL, what was traded and for how much</caption>
        <thead className="sticky top-0 bg-card text-dim">
          <tr>
            {columns.map((name) => (
              <th key={name} scope="col" className="px-3 py-2 font-semibold first:text-left">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody className="divide-y divide-line">
          {candles.toReversed().map((candle) => (
            <tr key={candle.start}>
              <th scope="row" className="px-3 py-2 text-left font-semibold">
                {candleTime(candle, frame.step)}
              </th>
              {[candle.open, candle.high, candle.low, candle.close].map((price, index) => (
                <td key={columns[index + 1]} className="px-3 py-2">
                  {formatUnitPrice(price)}
                </td>
              ))}
              <td className="px-3 py-2">{formatAmount(candle.amount)}</td>
              <td className="px-3 py-2">{formatSol(candle.sol)}</td>
              <td className="px-3 py-2">{formatAmount(candle.trades)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

interface WaitingProps {
  /** What is being loaded: the plural subject of a sentence. */
  what: string
  failed: boolean
  /** The browser is offline, and will load the figures when it is online again. */
  paused: boolean
  onRetry: () => void
}

/** Shown in place of missing figures: they are loading, the browser is offline, or they could not be loaded. */
export function Waiting({ what, failed, paused, onRetry }: WaitingProps) {
  if (failed) {
    return (
      <div role="status" className="grid justify-items-center gap-3 py-6 text-center text-small">
        {what} could not be loaded.
        <Button onClick={onRetry}>Try again</Button>
      </div>
    )
  }
  return (
    <div role="status" className="grid justify-items-center gap-3 py-6 text-center text-small text-dim">
      {paused ? (
        'You are offline. They will load when you are back online.'
      ) : (
        <>
          <Spinner className="size-7" />
          <span className="sr-only">{what} are loading</span>
        </>
      )}
    </div>
  )
}

interface SwitchProps<Value extends string> {
  /** What is chosen. */
  legend: string
  /** Of all radio buttons of the page, the name that only these have. */
  name: string
  options: readonly { value: Value; label: string }[]
  value: Value
  onChange: (value: Value) => void
}

/** One of a few, side by side. */
function Switch<Value extends string>({ legend, name, options, value, onChange }: SwitchProps<Value>) {
  return (
    <fieldset>
      <legend className="sr-only">{legend}</legend>
      <div className="flex rounded-round bg-well p-1">
        {options.map((option) => (
          <label
            key={option.value}
            className="relative grid min-h-9 cursor-pointer place-items-center rounded-round px-2.5 text-small font-semibold text-dim hover:text-text has-checked:bg-raised has-checked:text-text has-checked:shadow-card sm:px-3.5 pointer-coarse:min-h-11 forced-colors:has-checked:outline"
          >
            <input type="radio" name={name} className="sr-only" checked={value === option.value} onChange={() => onChange(option.value)} />
            {option.label}
          </label>
        ))}
      </div>
    </fieldset>
  )
}
