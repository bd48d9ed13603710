import { type ReactNode } from 'react'

import { inMarketWords } from '../../catalogue/in-market-words.ts'
import { type Drink } from '../../figures/drinks.ts'
import { useLiveFigures } from '../../figures/use-live-figures.ts'
import { AppLink } from '../../navigation/app-link.tsx'
import { NotFound } from '../../navigation/not-found.tsx'
import { useTitle } from '../../navigation/use-title.ts'
import { useLateReplay } from '../../ui/early-events.ts'
import { ChartCard } from './chart/chart-card.tsx'
import { DepthCard } from './depth-card.tsx'
import { PriceHead } from './price-head.tsx'
import { TradesCard } from './trades-card.tsx'

interface DrinkPageProps {
  /** Undefined if the market has no drink at this address. */
  drink: Drink | undefined
  /** The ways to trade the drink, and the place where it is bought at the best price. */
  actions: ReactNode
  bestPrice: ReactNode
}

/** Everything about the price of one drink, and the ways to trade it. */
export function DrinkPage({ drink, actions, bestPrice }: DrinkPageProps) {
  return (
    <div {...useLateReplay()} className="grid gap-5 max-sm:gap-3">
      <AppLink
        href="/"
        className="-my-1 flex min-h-11 items-center gap-1.5 justify-self-start text-small font-semibold text-dim hover:text-text"
      >
        <BackIcon />
        {inMarketWords('All drinks')}
      </AppLink>
      {drink ? (
        <Known key={drink.type} drink={drink} actions={actions} bestPrice={bestPrice} />
      ) : (
        <NotFound title="There is no drink at this address" hint="The link may be wrong, or the market may not have it any more." />
      )}
    </div>
  )
}

function Known({ drink, actions, bestPrice }: { drink: Drink; actions: ReactNode; bestPrice: ReactNode }) {
  useTitle(drink.name)
  useLiveFigures()
  return (
    <>
      {/* On a phone one follows the other; beside the chart there is room to buy. */}
      <div className="drink-top grid gap-5 max-sm:gap-3">
        <PriceHead drink={drink} actions={actions} />
        {bestPrice}
        <ChartCard drink={drink} />
      </div>
      <div className="grid items-start gap-5 max-sm:gap-3 lg:grid-cols-2">
        <DepthCard drink={drink} />
        <TradesCard drink={drink} />
      </div>
    </>
  )
}

function BackIcon() {
  return (
    <svg
      className="size-5"
      viewBox="0 0 24 24"
      fill="none"
      stroke="currentColor"
      strokeWidth="2"
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
    >
      <path d="M14 6l-6 6 6 6" />
    </svg>
  )
}
