import { type TokenType, tokenTypes } from '@juicebar/contract/token-types'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'

import { balancesQuery } from '../../api/queries.ts'
import { History } from '../history/history.tsx'
import { Button } from '../../ui/button.tsx'
import { CountingNumber } from '../../ui/counting-number.tsx'
import { DrinkImage } from '../../catalogue/drink-image.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { formatAmount } from '../../ui/format.ts'
import { Loading } from '../../ui/loading.tsx'
import { useLast } from '../../ui/use-retained.ts'
import { SellDialog } from './sell-dialog.tsx'

interface Selling {
  tokenType: TokenType
  balance: number
}

/** The wallet's drinks, to sell, and what it bought and sold so far. */
export function Inventory({ walletAddress }: { walletAddress: string }) {
  const [selling, setSelling] = useState<Selling>()
  const [round, setRound] = useState(0)
  const dialog = useLast(selling)
  const { data, isError, refetch } = useQuery(balancesQuery(walletAddress))
  const owned =
    data && tokenTypes.filter((token) => data[token.balance] > 0).map(({ type, balance }) => ({ tokenType: type, balance: data[balance] }))
  const sell = (lot: Selling) => {
    setSelling(lot)
    setRound(round + 1)
  }

  return (
    <div className="grid gap-12">
      <section aria-labelledby="inventory-title" className="grid gap-5">
        <h2 id="inventory-title" className="text-title">
          Your Inventory
        </h2>
        {!owned && <Loading failed={isError} what="Your inventory" onRetry={() => void refetch()} />}
        {owned?.length === 0 && <EmptyState title="Your inventory is empty, Purchase items from the marketplace to see them here" />}
        {owned && owned.length > 0 && (
          <ul className="grid gap-3 sm:grid-cols-3 sm:gap-5">
            {owned.map((lot) => (
              <li key={lot.tokenType}>
                <DrinkCard lot={lot} onSell={() => sell(lot)} />
              </li>
            ))}
          </ul>
        )}
      </section>
      <History />
      {dialog && <SellDialog key={round} {...dialog} open={selling !== undefined} onClose={() => setSelling(undefined)} />}
    </div>
  )
}

function DrinkCard({ lot, onSell }: { lot: Selling; onSell: () => void }) {
  const token = tokenTypes.find(({ type }) => type === lot.tokenType)
  return (
    <article className="card lot max-sm:flex-row!" data-token={lot.tokenType}>
      <div className="plate flex-none max-sm:w-24 sm:h-52 lg:h-68">
        <DrinkImage tokenType={lot.tokenType} />
      </div>
      <div className="flex min-w-0 flex-1 items-center justify-between gap-3 p-4 sm:flex-wrap sm:items-end md:p-5">
        <div className="min-w-0">
          <h3 className="flex items-center gap-2 text-small">
            <span className="dot" />
            {token?.name}
          </h3>
          <p className="mt-2 truncate text-figure sm:mt-3 font-bold tracking-tight">
            <CountingNumber value={lot.balance} format={(balance) => formatAmount(Math.round(balance))} />
          </p>
        </div>
        <Button kind="primary" className="sm:max-md:w-full" onClick={onSell}>
          Sell
        </Button>
      </div>
    </article>
  )
}
