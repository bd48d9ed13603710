import { useQuery } from '@tanstack/react-query'

import { formatAmount } from '../../ui/format.ts'
import { openCasesQuery } from '../api/desk-queries.ts'
import { kindWords } from '../cases/case-words.ts'
import { ChartCard } from '../charts/chart-card.tsx'
import { ShareBars } from '../charts/share-bars.tsx'
import { placeLink } from '../frame/places.ts'
import { howLong } from '../parts/moments.ts'
import { type Column, Table } from '../parts/rows.tsx'
import { Nothing, Shown } from '../parts/shown.tsx'
import { ages, countByAge, countByKind } from './figures.ts'

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
