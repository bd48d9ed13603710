import { useQuery } from '@tanstack/react-query'
import { useEffect } from 'react'

import { inMarketWords } from '../../../catalogue/in-market-words.ts'
import { eventListeners } from '../../../api/refresh-market.ts'
import { Loading } from '../../../ui/loading.tsx'
import { DownloadLedger } from './download-ledger.tsx'
import { DrinkProfitRow } from './drink-profit-row.tsx'
import { type DrinkProfit, followProfit, profitQuery } from './profit-query.ts'
import { signedSol } from './sol-text.ts'

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
