import { type InfiniteData, type UseInfiniteQueryResult } from '@tanstack/react-query'
import { type ReactNode } from 'react'

import { inMarketWords } from '../../catalogue/catalogue.ts'
import { Button } from '../../ui/button.tsx'
import { Failed, Nothing, Shown } from './shown.tsx'

export interface Column<Row> {
  /** In Juicebar's own words, about drinks, even if other items are traded. */
  name: string
  /** Figures are right-aligned. */
  figures?: boolean
  /** A button that is named like the column. */
  action?: boolean
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

/** More columns than these are too many for a phone. */
const MOST_ON_A_PHONE = 3

/** A table. On a phone, each row of many columns stands as a list, the name of a column before what is in it. */
export function Table<Row>({ caption, columns, rows, keyOf, short = false }: TableProps<Row>) {
  const stacks = columns.length > MOST_ON_A_PHONE
  const padding = stacks ? 'max-sm:py-0.5 sm:pr-4 sm:last:pr-0 sm:py-2.5' : 'py-2.5 pr-4 last:pr-0'
  const right = stacks ? 'sm:text-right sm:whitespace-nowrap' : 'text-right whitespace-nowrap'
  return (
    // What scrolls must be reachable by keyboard.
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
    <div role="group" aria-label={inMarketWords(caption)} tabIndex={0} className={`-mx-1 overflow-auto px-1 ${short ? 'max-h-64' : ''}`}>
      <table className={`figures w-full border-collapse text-small ${stacks ? 'stacks' : ''}`}>
        <caption className="sr-only">{inMarketWords(caption)}</caption>
        <thead>
          <tr>
            {columns.map(({ name, figures, action }) => (
              <th
                key={name}
                scope="col"
                className={`sticky top-0 bg-card py-2 pr-4 text-tiny font-semibold whitespace-nowrap text-dim last:pr-0 ${figures || action ? 'text-right' : 'text-left'}`}
              >
                {inMarketWords(name)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={keyOf(row)} className="border-t border-line align-middle">
              {columns.map(({ name, figures, action, cell }) => (
                <td
                  key={name}
                  data-name={action ? undefined : inMarketWords(name)}
                  className={`${padding} ${figures || action ? right : ''}`}
                >
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

interface PagesProps<Item> {
  query: UseInfiniteQueryResult<InfiniteData<{ items: Item[] }>>
  what: string
  /** What an empty list says. */
  nothing: string
  children: (items: readonly Item[]) => ReactNode
}

/** A list that is read by cursor, page by page. A page that fails says so below those that are there. */
export function Pages<Item>({ query, what, nothing, children }: PagesProps<Item>) {
  const { data, error, isFetching, refetch, hasNextPage, isFetchingNextPage, isFetchNextPageError, fetchNextPage } = query
  const more = () => void fetchNextPage()
  const items = data?.pages.flatMap((page) => page.items)
  const whole = { data: items, error: isFetchNextPageError ? null : error, isFetching, refetch }
  return (
    <Shown query={whole} what={what}>
      {(read) => (
        <>
          {read.length === 0 ? <Nothing>{nothing}</Nothing> : children(read)}
          {isFetchNextPageError && error && <Failed what="The next page" error={error} onRetry={more} />}
          {hasNextPage && !isFetchNextPageError && (
            <Button className="justify-self-center" disabled={isFetchingNextPage} onClick={more}>
              {isFetchingNextPage ? 'Loading' : 'Show more'}
            </Button>
          )}
        </>
      )}
    </Shown>
  )
}
