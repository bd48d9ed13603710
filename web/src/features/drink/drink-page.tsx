import { type PublicConfig } from '@juicebar/contract/schemas'
import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { type ReactNode } from 'react'

import { configQuery } from '../../api/queries.ts'
import { inMarketWords } from '../../catalogue/catalogue.ts'
import { DrinkPlate } from '../../catalogue/drink-image.tsx'
import { Change } from '../../figures/change.tsx'
import {
  type Depth,
  depthQuery,
  type Drink,
  type Level,
  type SummaryItem,
  summaryQuery,
  type Trade,
  tradesQuery,
} from '../../figures/figure-queries.ts'
import { useLiveFigures } from '../../figures/live-figures.ts'
import { isHeard, showTrade } from '../../figures/show-trade.ts'
import { AppLink } from '../../navigation/app-link.tsx'
import { NotFound } from '../../navigation/not-found.tsx'
import { useTitle } from '../../navigation/path.ts'
import { Button } from '../../ui/button.tsx'
import { formatAmount, formatSol, formatUnitPrice } from '../../ui/format.ts'
import { useHydrated } from '../../ui/in-browser.tsx'
import { SignatureLink } from '../history/signature-link.tsx'
import { ChartCard, Waiting } from './chart-card.tsx'
import { LocalTime } from './local-time.tsx'

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
    <div className="grid gap-5 max-sm:gap-3">
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
  useLiveFigures(showTrade)
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

interface PriceHeadProps {
  drink: Drink
  /** The ways to trade it. */
  actions: ReactNode
}

/** A drink's name, its price now and over the last day, and the actions for it. */
function PriceHead({ drink, actions }: PriceHeadProps) {
  const { data, isError, fetchStatus, refetch } = useQuery(summaryQuery)
  const figures = data?.find(({ tokenType }) => tokenType === drink.type)
  return (
    <section aria-labelledby="drink-title" className="card grid grid-cols-[4.5rem_1fr] overflow-hidden sm:flex" data-token={drink.type}>
      <DrinkPlate tokenType={drink.type} className="flex-none [contain:size] max-sm:rounded-br-card sm:w-44 lg:w-56" />
      <div className="contents sm:grid sm:flex-1 sm:content-between sm:gap-5 sm:p-6">
        <div className="max-sm:grid max-sm:grid-cols-[1fr_auto] max-sm:content-start max-sm:gap-x-3 max-sm:gap-y-1.5 max-sm:p-3 sm:flex sm:flex-wrap sm:items-start sm:justify-between sm:gap-x-6 sm:gap-y-4">
          <div className="max-sm:contents sm:grid sm:gap-3">
            <h2 id="drink-title" className="flex items-center gap-2.5 text-title max-sm:col-span-full">
              <span className="dot" />
              {drink.name}
            </h2>
            <Now figures={figures} />
          </div>
          {/* As high as with a player's balance below the button, so that nothing moves when it is known. */}
          <div className="flex min-h-16.5 flex-col items-end gap-1">{actions}</div>
        </div>
        <dl className="figures grid grid-cols-2 gap-x-5 gap-y-2 text-small max-sm:col-span-2 max-sm:p-4 sm:flex sm:gap-y-3 sm:flex-wrap sm:gap-x-10">
          <Fact name="Last sold for">{figures && (figures.last === null ? 'never sold' : `${formatUnitPrice(figures.last)} SOL`)}</Fact>
          <Fact name="24 hours">
            {figures && (figures.change24h === null ? 'no price a day ago' : <Change change={figures.change24h} over="in 24 hours" />)}
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

const MOST_PRICES = 7

/** The cheapest prices, and how much is for sale at each. Old data is never shown, because nobody should decide what to pay based on it. */
function DepthCard({ drink }: { drink: Drink }) {
  const { data, isError, fetchStatus, refetch } = useQuery(depthQuery(drink.type))
  const isOff = isError || fetchStatus === 'paused'
  return (
    <section aria-labelledby="depth-title" className="card grid content-start gap-4 p-4 sm:p-6" data-token={drink.type}>
      <h3 id="depth-title" className="text-lead">
        For sale
      </h3>
      {!data || isOff ? (
        <Waiting what="The offers" failed={isError} paused={fetchStatus === 'paused'} onRetry={() => void refetch()} />
      ) : data.levels.length === 0 ? (
        <p className="py-6 text-center text-dim">None for sale. New listings appear here.</p>
      ) : (
        <Prices depth={data} drink={drink} />
      )}
    </section>
  )
}

function Prices({ depth: { levels, amount }, drink }: { depth: Depth; drink: Drink }) {
  const shown = withTotals(levels.slice(0, MOST_PRICES))
  const most = shown.at(-1)?.total ?? 0
  // The content security policy lets no style be part of the HTML.
  const isAlive = useHydrated()
  return (
    <>
      <table className="figures w-full border-collapse text-small">
        <caption className="sr-only">{drink.name} for sale, the cheapest first</caption>
        <thead>
          <tr className="text-tiny text-dim">
            {['Price (SOL)', 'For sale', 'Listings', 'Total'].map((name) => (
              <th key={name} scope="col" className="py-2 pl-3 text-right font-semibold first:pl-2 first:text-left last:pr-2">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {shown.map((level) => (
            <tr
              key={level.lamports}
              className="depth-row border-t border-line *:py-2.5 *:pl-3 *:text-right *:first:pl-2 *:last:pr-2"
              style={isAlive ? { backgroundSize: `${Math.max(1.5, (level.total / most) * 100)}% 100%` } : undefined}
            >
              <th scope="row" className="text-left! font-semibold">
                {formatUnitPrice(level.unitPrice)}
              </th>
              <td>{formatAmount(level.amount)}</td>
              <td>{formatAmount(level.listings)}</td>
              <td className="text-dim">{formatAmount(level.total)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {amount > most && <p className="text-small text-dim">{formatAmount(amount - most)} more at higher prices</p>}
    </>
  )
}

/** Each with how many can be had up to its price. */
function withTotals(levels: readonly Level[]): (Level & { total: number })[] {
  let total = 0
  return levels.map((level) => ({ ...level, total: (total += level.amount) }))
}

/** The latest trades of a drink, each with its payment, which anyone can look up. */
function TradesCard({ drink }: { drink: Drink }) {
  const { data: config } = useQuery(configQuery)
  const { data, isError, fetchStatus, refetch, hasNextPage, isFetchingNextPage, fetchNextPage } = useInfiniteQuery(tradesQuery(drink.type))
  const trades = data?.pages.flatMap((page) => page.trades)
  return (
    <section aria-labelledby="trades-title" className="card grid content-start gap-3 p-4 sm:p-6">
      <h3 id="trades-title" className="text-lead">
        Last trades
      </h3>
      {!trades && <Waiting what="The trades" failed={isError} paused={fetchStatus === 'paused'} onRetry={() => void refetch()} />}
      {trades?.length === 0 && <p className="py-6 text-center text-dim">No trades yet.</p>}
      {trades && trades.length > 0 && (
        <ul className="grid divide-y divide-line">
          {trades.map((trade) => (
            <TradeRow key={trade.id} trade={trade} network={config?.network} />
          ))}
        </ul>
      )}
      {trades && isError && (
        <p role="status" className="text-small text-warn">
          The trades could not be updated. Trying again.
        </p>
      )}
      {hasNextPage && (
        <Button className="justify-self-center" disabled={isFetchingNextPage} onClick={() => void fetchNextPage()}>
          Show more
        </Button>
      )}
    </section>
  )
}

function TradeRow({ trade, network }: { trade: Trade; network: PublicConfig['network'] | undefined }) {
  return (
    <li className={`figures grid grid-cols-[1fr_auto] gap-x-4 gap-y-0.5 py-2.5 text-small ${isHeard(trade) ? 'arrive' : ''}`}>
      <p className="font-semibold">
        {formatAmount(trade.amount)} <span className="font-normal text-dim">at</span> {formatUnitPrice(trade.unitPrice)}
      </p>
      <p className="text-right font-bold">{formatSol(trade.price)} SOL</p>
      <p className="col-span-full flex flex-wrap justify-between gap-x-3 text-tiny text-dim">
        <LocalTime at={trade.settledAt} />
        {!isHeard(trade) && <SignatureLink signature={trade.signature} network={network} />}
      </p>
    </li>
  )
}
