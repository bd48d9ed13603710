import { type ReactNode, useId, useState } from 'react'

import { Button } from '../../ui/button.tsx'

interface ChartCardProps {
  title: string
  /** The figure above the chart: the total, or the value of the selected bar. */
  figure: ReactNode
  /** What the figure measures. */
  of: ReactNode
  chart: ReactNode
  /** The same as numbers. */
  table: ReactNode
}

/** A chart, with its numbers one click away. */
export function ChartCard({ title, figure, of, chart, table }: ChartCardProps) {
  const id = useId()
  const [numbers, setNumbers] = useState(false)
  return (
    <section aria-labelledby={id} className="card flex min-h-72 flex-col gap-3 p-4 sm:p-5">
      <div className="flex items-start justify-between gap-3">
        <div className="min-w-0">
          <h3 id={id} className="text-small">
            {title}
          </h3>
          <p className="mt-1.5 flex min-h-7 flex-wrap items-baseline gap-x-2">
            <span className="figures text-lead font-bold">{figure}</span> <span className="text-tiny text-dim">{of}</span>
          </p>
        </div>
        <Button
          kind="bare"
          small
          className="-mt-1.5 -mr-2"
          aria-pressed={numbers}
          aria-label={`${title} as numbers`}
          onClick={() => setNumbers(!numbers)}
        >
          {numbers ? 'Chart' : 'Numbers'}
        </Button>
      </div>
      <div className="flex min-h-0 flex-1 flex-col justify-end">{numbers ? table : chart}</div>
    </section>
  )
}
