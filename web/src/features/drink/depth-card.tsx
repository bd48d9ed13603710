import { useQuery } from '@tanstack/react-query'

import { type Drink } from '../../figures/drinks.ts'
import { type Depth, depthQuery, type Level } from '../../figures/figure-queries.ts'
import { useHydrated } from '../../ui/in-browser.ts'
import { formatAmount, formatUnitPrice } from '../../ui/format.ts'
import { Waiting } from './waiting.tsx'

const MOST_PRICES = 7

/** The cheapest prices, and how much is for sale at each. Old data is never shown, because nobody should decide what to pay based on it. */
export function DepthCard({ drink }: { drink: Drink }) {
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
