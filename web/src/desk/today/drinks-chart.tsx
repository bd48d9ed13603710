import { type StatsRow } from '@juicebar/contract/schemas'
import { useQuery } from '@tanstack/react-query'

import { catalogue } from '../../catalogue/catalogue.ts'
import { inMarketWords } from '../../catalogue/in-market-words.ts'
import { formatAmount, formatUnitPrice } from '../../ui/format.ts'
import { statsQuery } from '../api/desk-queries.ts'
import { ChartCard } from '../charts/chart-card.tsx'
import { ShareBars } from '../charts/share-bars.tsx'
import { type Column, Table } from '../parts/rows.tsx'
import { Shown } from '../parts/shown.tsx'
import { exactSol, roughSol } from '../parts/sol.ts'
import { drawnSol } from './figures.ts'

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
  median: number | null
}

const columns: readonly Column<Drink>[] = [
  { name: 'Drink', cell: ({ name }) => name },
  { name: 'Sales', figures: true, cell: ({ sales }) => formatAmount(sales) },
  { name: 'Volume (SOL)', figures: true, cell: ({ volume }) => exactSol(volume) },
  { name: 'Median price (SOL)', figures: true, cell: ({ median }) => (median === null ? 'no sale' : formatUnitPrice(median)) },
]

function Drinks({ stats }: { stats: readonly StatsRow[] }) {
  const brought = new Map(stats.map((row) => [row.tokenType, row]))
  const drinks = catalogue()
    .items.map(({ code: type, name }) => {
      const row = brought.get(type)
      const volume = BigInt(row?.volumeLamports ?? 0)
      return { type, name, volume, sales: row?.sales ?? 0, median: row?.medianUnitPrice ?? null }
    })
    .sort((one, other) => (one.volume < other.volume ? 1 : one.volume > other.volume ? -1 : 0))
  const best = drinks[0]
  const shares = drinks.slice(0, MOST_BARS).map(({ type, name, volume, sales }) => ({
    key: type,
    label: name,
    token: type,
    value: drawnSol(volume),
    text: `${roughSol(volume)} SOL · ${formatAmount(sales)} sold`,
  }))
  return (
    <ChartCard
      title={inMarketWords('Volume by drink')}
      figure={best && best.volume > 0n ? best.name : 'No sale'}
      of={best && best.volume > 0n ? 'brought most' : ''}
      chart={<ShareBars tone="drink" shares={shares} />}
      table={<Table short caption="Volume by drink" columns={columns} rows={drinks} keyOf={({ type }) => type} />}
    />
  )
}
