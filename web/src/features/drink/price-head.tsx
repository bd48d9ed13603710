import { useQuery } from '@tanstack/react-query'
import { type ReactNode } from 'react'

import { DrinkPlate } from '../../catalogue/drink-image.tsx'
import { Change } from '../../figures/change.tsx'
import { type Drink } from '../../figures/drinks.ts'
import { type SummaryItem, summaryQuery } from '../../figures/figure-queries.ts'
import { Button } from '../../ui/button.tsx'
import { formatAmount, formatUnitPrice } from '../../ui/format.ts'

interface PriceHeadProps {
  drink: Drink
  /** The ways to trade it. */
  actions: ReactNode
}

/** A drink's name, its price now and over the last day, and the actions for it. */
export function PriceHead({ drink, actions }: PriceHeadProps) {
  const { data, isError, fetchStatus, refetch } = useQuery(summaryQuery)
  const figures = data?.find(({ tokenType }) => tokenType === drink.type)
  return (
    <section aria-labelledby="drink-title" className="card grid grid-cols-[4.5rem_1fr] overflow-hidden sm:flex" data-token={drink.type}>
      <DrinkPlate tokenType={drink.type} className="flex-none [contain:size] max-sm:rounded-br-card sm:w-44 lg:w-56" />
      <div className="contents sm:grid sm:flex-1 sm:content-between sm:gap-5 sm:p-6">
        <div className="flex flex-wrap items-start justify-between gap-x-3 gap-y-2 max-sm:p-3 sm:gap-x-6 sm:gap-y-4">
          <div className="grid gap-1.5 sm:gap-3">
            <h2 id="drink-title" className="flex items-center gap-2.5 text-title">
              <span className="dot" />
              {drink.name}
            </h2>
            <Now figures={figures} />
          </div>
          <div className="flex flex-wrap items-center gap-2 max-sm:flex-col max-sm:items-start max-sm:gap-1">{actions}</div>
        </div>
        <dl className="figures grid grid-cols-2 gap-x-5 gap-y-2 text-small max-sm:col-span-2 max-sm:p-4 sm:flex sm:gap-y-3 sm:flex-wrap sm:gap-x-10">
          <Fact name="Last sold for">{figures && (figures.last === null ? 'never sold' : `${formatUnitPrice(figures.last)} SOL`)}</Fact>
          <Fact name="24 hours">
            {figures && (figures.change24h === null ? 'not enough trades' : <Change change={figures.change24h} over="in 24 hours" />)}
          </Fact>
          <Fact name="Traded in 24 h">{figures && `${formatUnitPrice(figures.volume24h)} SOL`}</Fact>
          <Fact name="For sale">{figures && formatAmount(figures.amount)}</Fact>
        </dl>
        {(isError || fetchStatus === 'paused') && (
          <p role="status" className="flex flex-wrap items-center gap-3 text-small text-warn max-sm:col-span-2 max-sm:px-4 max-sm:pb-4">
            {fetchStatus === 'paused' ? 'You are offline: these figures may be old.' : 'These figures could not be updated.'}
            {isError && (
              <Button small onClick={() => void refetch()}>
                Try again
              </Button>
            )}
          </p>
        )}
      </div>
    </section>
  )
}

/** The cheapest price, or a note that nothing is for sale. */
function Now({ figures }: { figures: SummaryItem | undefined }) {
  if (figures?.floor === null) return <p className="min-h-12 text-lead font-semibold text-dim">None for sale</p>
  return (
    <p className="min-h-12">
      <span className="figures block text-hero font-bold tracking-tight">
        {figures ? formatUnitPrice(figures.floor ?? 0) : '…'} <span className="text-body font-semibold tracking-normal text-dim">SOL</span>
      </span>
      <span className="mt-1 block text-tiny text-dim">lowest price</span>
    </p>
  )
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div>
      <dt className="text-tiny text-dim">{name}</dt>
      <dd className="mt-0.5 font-semibold">{children ?? '…'}</dd>
    </div>
  )
}
