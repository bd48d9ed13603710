import { useState } from 'react'

import { Choice } from '../parts/fields.tsx'
import { useClock } from '../parts/use-clock.ts'
import { CasesChart } from './cases-chart.tsx'
import { DayCharts } from './day-charts.tsx'
import { DrinksChart } from './drinks-chart.tsx'
import { firstDay } from './figures.ts'
import { HoursChart } from './hours-chart.tsx'
import { Standing } from './standing.tsx'
import { TodayFigures } from './today-figures.tsx'

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
