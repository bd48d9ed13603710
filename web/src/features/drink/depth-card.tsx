import { useQuery } from '@tanstack/react-query'

import { type DepthStep, depthSteps } from '../../figures/depth-steps.ts'
import { type Drink } from '../../figures/drinks.ts'
import { type Depth, depthQuery } from '../../figures/figure-queries.ts'
import { formatAmount, formatUnitPrice } from '../../ui/format.ts'
import { Waiting } from './waiting.tsx'

const MOST_STEPS = 7

/** How much is for sale up to each price. Old data is never shown, because nobody should decide what to pay based on it. */
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
        <Steps depth={data} />
      )}
    </section>
  )
}

function Steps({ depth }: { depth: Depth }) {
  const steps = depthSteps(depth.levels, MOST_STEPS)
  const most = steps.at(-1)?.amount ?? 0
  return (
    <>
      <ul className="grid gap-3">
        {steps.map((step) => (
          <Step key={step.price} step={step} share={step.amount / most} />
        ))}
      </ul>
      <p className="text-small text-dim">{formatAmount(depth.amount)} for sale in total</p>
    </>
  )
}

function Step({ step: { price, amount, inclusive }, share }: { step: DepthStep; share: number }) {
  return (
    <li className="grid gap-1.5">
      <p className="figures flex justify-between gap-3 text-small">
        <span className="font-semibold">{formatAmount(amount)} left</span>
        <span className="text-dim">
          {inclusive ? 'up to' : 'under'} <span className="font-semibold text-text">{formatUnitPrice(price)}</span> SOL
        </span>
      </p>
      <span className="block h-2.5 overflow-hidden rounded-round bg-well forced-colors:border" aria-hidden="true">
        <span
          className="sale-bar-sold block h-full rounded-round transition-[width] duration-400"
          style={{ width: `${Math.max(1.5, share * 100)}%` }}
        />
      </span>
    </li>
  )
}
