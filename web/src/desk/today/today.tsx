import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'

import { errorSentence } from '../../api/api-error.ts'
import { formatAmount } from '../../ui/format.ts'
import { openCasesQuery, pauseQuery, statsQuery, useMay, webhooksQuery } from '../desk-queries.ts'
import { placeLink, type SectionName } from '../frame/places.ts'
import { Choice } from '../parts/fields.tsx'
import { exactSol, howLong, longDay, roughSol, Shown, useClock } from '../parts/shown.tsx'
import { CasesChart, DayCharts, DrinksChart, HoursChart } from './charts.tsx'
import { type Day, fillDays, firstDay, isBehind, utcDay } from './figures.ts'

const spans = [
  { value: '7', label: '7 days' },
  { value: '30', label: '30 days' },
  { value: '90', label: '90 days' },
] as const

/** The front page: today's figures, the current state, and the days before. */
export function Today() {
  const now = useClock()
  const [span, setSpan] = useState<(typeof spans)[number]['value']>('30')
  const from = firstDay(now, Number(span))
  return (
    <div className="grid gap-6">
      <TodayFigures now={now} />
      <Standing now={now} />
      <div className="grid gap-4 md:grid-cols-2 sm:gap-5">
        <HoursChart now={now} />
        <CasesChart now={now} />
      </div>
      <div className="flex flex-wrap items-center justify-between gap-3">
        <h3 className="text-lead">The last {span} days</h3>
        <Choice legend="Show the last" name="span" options={spans} chosen={span} onChoose={setSpan} />
      </div>
      <div className="grid gap-4 md:grid-cols-2 sm:gap-5">
        <DayCharts from={from} now={now} />
        <DrinksChart from={from} />
      </div>
    </div>
  )
}

/** Today's figures so far, with yesterday's beside them. */
function TodayFigures({ now }: { now: number }) {
  const from = firstDay(now, 2)
  const query = useQuery(statsQuery(from, 'day'))
  return (
    <section aria-labelledby="today-figures" className="card grid gap-5 p-5 sm:p-7">
      <h3 id="today-figures" className="text-small text-dim">
        {longDay(utcDay(now))}, UTC
      </h3>
      <Shown query={query} what="Today’s figures">
        {(stats) => {
          const [before, today] = fillDays(stats, from, now)
          return before && today && <Figures today={today} before={before} />
        }}
      </Shown>
    </section>
  )
}

function Figures({ today, before }: { today: Day; before: Day }) {
  return (
    <dl className="grid grid-cols-2 gap-x-4 gap-y-6 md:grid-cols-4">
      <Figure name="Sales" value={formatAmount(today.sales)} before={formatAmount(before.sales)} />
      <Figure
        name="Volume"
        unit="SOL"
        value={roughSol(today.volumeLamports)}
        exact={exactSol(today.volumeLamports)}
        before={roughSol(before.volumeLamports)}
      />
      <Figure name="Buyers" value={formatAmount(today.buyers)} before={formatAmount(before.buyers)} />
      <Figure
        name="Fees"
        unit="SOL"
        value={roughSol(today.feesLamports)}
        exact={exactSol(today.feesLamports)}
        before={roughSol(before.feesLamports)}
      />
    </dl>
  )
}

interface FigureProps {
  name: string
  value: string
  before: string
  unit?: string
  /** All of its digits. */
  exact?: string
}

function Figure({ name, value, before, unit, exact }: FigureProps) {
  return (
    <div className="grid content-start gap-1.5">
      <dt className="text-small font-semibold">{name}</dt>
      <dd className="grid gap-1.5">
        <span className="figures font-display text-title font-semibold wrap-anywhere" title={exact && `${exact} SOL`}>
          {value}
          {unit && <span className="ml-1.5 font-sans text-small font-semibold text-dim">{unit}</span>}
        </span>
        <span className="figures text-tiny text-dim">{before} yesterday</span>
      </dd>
    </div>
  )
}

/** The current state of the market, the cases and the webhooks. Each links to its actions. */
function Standing({ now }: { now: number }) {
  const pause = useQuery(pauseQuery)
  const cases = useQuery(openCasesQuery)
  const seesWebhooks = useMay('admin')
  const waiting = cases.data?.cases.length ?? 0
  return (
    <ul className="grid gap-4 sm:gap-5 md:auto-cols-fr md:grid-flow-col" aria-label="Status">
      <Tile section="market" name="Market" query={pause} tone={pause.data ? 'warn' : 'good'} word={pause.data ? 'Paused' : 'Open'}>
        {pause.data ? `for ${howLong(pause.data.since, now)}: “${pause.data.message}”` : 'Players list and buy.'}
      </Tile>
      <Tile
        section="cases"
        name="Open cases"
        query={cases}
        tone={waiting ? 'warn' : 'good'}
        word={waiting ? `${formatAmount(waiting)}${cases.data?.more ? ' or more' : ''}` : 'None'}
      >
        {waiting ? 'Payments that did not end in a delivery.' : 'Every payment ended in a delivery.'}
      </Tile>
      {seesWebhooks && <WebhooksTile now={now} />}
    </ul>
  )
}

function WebhooksTile({ now }: { now: number }) {
  const webhooks = useQuery(webhooksQuery)
  const all = webhooks.data?.length ?? 0
  const behind = webhooks.data?.filter((webhook) => isBehind(webhook, now)).length ?? 0
  return (
    <Tile
      section="webhooks"
      name="Webhooks"
      query={webhooks}
      tone={behind ? 'warn' : 'good'}
      word={behind ? `${behind} of ${all} behind` : all ? 'Up to date' : 'None'}
    >
      {behind ? 'Messages are waiting.' : all ? `${all} in all, nothing is waiting.` : 'There is no webhook.'}
    </Tile>
  )
}

interface TileProps {
  section: SectionName
  name: string
  query: { data: unknown; error: Error | null }
  tone: 'good' | 'warn'
  word: string
  children: ReactNode
}

function Tile({ section, name, query: { data, error }, tone, word, children }: TileProps) {
  const known = data !== undefined
  return (
    <li>
      <a href={placeLink(section)} className="card tile grid h-full content-start gap-1 p-5">
        <span className="text-small text-dim">{name}</span>
        <span className="flex items-center gap-2.5 text-lead font-bold">
          <span
            className={`size-2.5 flex-none rounded-full forced-color-adjust-none ${known && !error ? (tone === 'good' ? 'bg-good' : 'bg-warn') : 'bg-edge'}`}
          />
          {known ? word : error ? 'Unknown' : '…'}
        </span>
        <span className="line-clamp-2 text-small text-dim wrap-anywhere">
          {error ? errorSentence(error, 'The reason is not known.') : known && children}
        </span>
      </a>
    </li>
  )
}
