import { useQuery } from '@tanstack/react-query'

import { statsQuery } from '../api/desk-queries.ts'
import { formatAmount } from '../../ui/format.ts'
import { longDay } from '../parts/moments.ts'
import { Shown } from '../parts/shown.tsx'
import { exactSol, roughSol } from '../parts/sol.ts'
import { type Day, fillDays, firstDay, utcDay } from './figures.ts'

/** Today's figures so far, with yesterday's beside them. */
export function TodayFigures({ now }: { now: number }) {
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
