import { type ReactNode } from 'react'

import { inMarketWords } from '../../catalogue/in-market-words.ts'

export interface Column<Row> {
  /** In Juicebar's own words, about drinks, even if other items are traded. */
  name: string
  /** Figures are right-aligned. */
  figures?: boolean
  cell: (row: Row) => ReactNode
}

interface TableProps<Row> {
  /** What the table shows, for those who do not see it; as Juicebar says it. */
  caption: string
  columns: readonly Column<Row>[]
  rows: readonly Row[]
  keyOf: (row: Row) => string
  /** It scrolls by itself beyond a height. */
  short?: boolean
}

/** A table that scrolls sideways where it is wider than the screen. */
export function Table<Row>({ caption, columns, rows, keyOf, short = false }: TableProps<Row>) {
  return (
    // What scrolls must be reachable by keyboard.
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
    <div role="group" aria-label={inMarketWords(caption)} tabIndex={0} className={`-mx-1 overflow-auto px-1 ${short ? 'max-h-64' : ''}`}>
      <table className="figures w-full border-collapse text-small">
        <caption className="sr-only">{inMarketWords(caption)}</caption>
        <thead>
          <tr>
            {columns.map(({ name, figures }) => (
              <th
                key={name}
                scope="col"
                className={`sticky top-0 bg-card py-2 pr-4 text-tiny font-semibold whitespace-nowrap text-dim last:pr-0 ${figures ? 'text-right' : 'text-left'}`}
              >
                {inMarketWords(name)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={keyOf(row)} className="border-t border-line align-middle">
              {columns.map(({ name, figures, cell }) => (
                <td key={name} className={`py-2.5 pr-4 last:pr-0 ${figures ? 'text-right whitespace-nowrap' : ''}`}>
                  {cell(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
