import { lamportsToSol } from '@juicebar/contract/money'
import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useEffect } from 'react'

import { eventListeners } from '../../../api/queries.ts'
import { catalogue, inMarketWords } from '../../../catalogue/catalogue.ts'
import { formatAmount, formatSol } from '../../../ui/format.ts'
import { Loading } from '../../../ui/loading.tsx'
import { DownloadLedger, type DrinkProfit, followProfit, profitQuery } from './download-ledger.tsx'

/** What the player has earned with each drink, and the rules of the calculation. */
export function ProfitView() {
  const { data: profit, isError, refetch } = useQuery(profitQuery)
  useEffect(() => {
    eventListeners.add(followProfit)
    return () => void eventListeners.delete(followProfit)
  }, [])
  if (!profit) return <Loading failed={isError} what="Your profit" onRetry={() => void refetch()} />
  if (profit.drinks.length === 0) {
    return (
      <p className="card p-6 text-center text-dim">Nothing yet. What you buy, sell, are credited and use in the game is counted here.</p>
    )
  }
  return (
    <div className="grid gap-3">
      {!profit.complete && (
        <p role="status" className="text-small text-warn">
          Some of your sales are still being counted. Look again in a moment.
        </p>
      )}
      {isError && (
        <p role="status" className="text-small text-warn">
          This could not be updated. Trying again.
        </p>
      )}
      <div className="card divide-y divide-line">
        <Total drinks={profit.drinks} />
        <ul className="divide-y divide-line">
          {profit.drinks.map((drink) => (
            <DrinkProfitRow key={drink.tokenType} drink={drink} />
          ))}
        </ul>
      </div>
      <DownloadLedger />
      <p className="max-w-prose text-tiny text-dim">
        {inMarketWords(
          'First in, first out: the drinks you have had longest leave first. Drinks that you bought cost what you paid, with the studio’s ' +
            'fee; drinks that were credited cost nothing. Drinks used in the game leave at their cost, as neither a gain nor a loss. The ' +
            'network’s own fees are not counted.',
        )}
      </p>
    </div>
  )
}

function Total({ drinks }: { drinks: readonly DrinkProfit[] }) {
  const total = drinks.reduce((sum, { sold }) => sum + BigInt(sold.profit), 0n)
  return (
    <p className="figures flex flex-wrap items-baseline justify-between gap-x-4 px-4 py-3 sm:px-5">
      <span className="font-semibold">Profit from sales</span>
      <span className="text-lead font-bold">{signedSol(total)}</span>
    </p>
  )
}

/** One drink: its profit, its cost, and where the rest went. */
function DrinkProfitRow({ drink }: { drink: DrinkProfit }) {
  const { tokenType, bought, credited, sold, used, lost, held } = drink
  return (
    <li className="figures grid gap-3 px-4 py-4 text-small sm:px-5" data-token={tokenType}>
      <div className="flex flex-wrap items-baseline justify-between gap-x-4">
        <h3 className="flex items-center gap-2.5 font-sans text-small font-semibold tracking-normal">
          <span className="dot" />
          {catalogue().nameOf(tokenType)}
        </h3>
        <p className="font-bold">{signedSol(BigInt(sold.profit))}</p>
      </div>
      <dl className="grid grid-cols-2 gap-x-4 gap-y-3 sm:grid-cols-3 lg:grid-cols-5">
        <Part name="Bought" amount={bought.amount}>
          for {solOf(bought.basis)}
          {bought.fee !== '0' && `, with ${solOf(bought.fee)} fees`}
        </Part>
        <Part name="Credited" amount={credited.amount}>
          cost 0 SOL
        </Part>
        <Part name="Sold" amount={sold.amount}>
          for {solOf(sold.lamports)}, cost {solOf(sold.basis)}
        </Part>
        <Part name="Used in the game" amount={used.amount}>
          cost {solOf(used.basis)}
        </Part>
        <Part name="Held" amount={held.amount}>
          cost {solOf(held.basis)}
        </Part>
        {lost.amount > 0 && (
          <Part name="Delivered unpaid" amount={lost.amount}>
            cost {solOf(lost.basis)}: the network undid the payment
          </Part>
        )}
      </dl>
    </li>
  )
}

function Part({ name, amount, children }: { name: string; amount: number; children: ReactNode }) {
  return (
    <div>
      <dt className="text-tiny text-dim">{name}</dt>
      <dd>
        <span className="font-semibold">{formatAmount(amount)}</span>
        {amount > 0 && <span className="block text-tiny text-dim">{children}</span>}
      </dd>
    </div>
  )
}

/** Lamports of a reply as SOL: "1234500000" becomes "1.2345 SOL". */
export function solOf(lamports: string): string {
  return `${formatSol(lamportsToSol(BigInt(lamports)))} SOL`
}

/** A gain or a loss as SOL with its sign: "−0.01 SOL". */
export function signedSol(lamports: bigint): string {
  const sign = lamports > 0n ? '+' : lamports < 0n ? '−' : ''
  return `${sign}${formatSol(lamportsToSol(lamports < 0n ? -lamports : lamports))} SOL`
}
