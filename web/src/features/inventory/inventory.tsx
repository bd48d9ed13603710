import { tokenName, type TokenType, tokenTypes } from '@juicebar/contract/token-types'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'

import { balancesQuery, configQuery } from '../../api/queries.ts'
import { Button } from '../../ui/button.tsx'
import { CountingNumber } from '../../ui/counting-number.tsx'
import { DrinkImage } from '../../catalogue/drink-image.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { formatAmount } from '../../ui/format.ts'
import { Loading } from '../../ui/loading.tsx'
import { useRetained } from '../../ui/use-retained.ts'
import { SellDialog } from './sell-dialog.tsx'

interface Selling {
  tokenType: TokenType
  balance: number
}

/** The wallet's drinks, each with a way to sell it. */
export function Inventory({ walletAddress }: { walletAddress: string }) {
  const [selling, setSelling] = useState<Selling>()
  // Each opening is a new dialog, with empty fields.
  const [round, setRound] = useState(0)
  const dialog = useRetained(selling)
  const { data, isError, refetch } = useQuery(balancesQuery(walletAddress))
  const { data: config } = useQuery(configQuery)
  const owned =
    data && tokenTypes.filter((token) => data[token.balance] > 0).map(({ type, balance }) => ({ tokenType: type, balance: data[balance] }))
  const sell = (drink: Selling) => {
    setSelling(drink)
    setRound(round + 1)
  }

  return (
    <>
      <section aria-labelledby="inventory-title" className="grid gap-5">
        <h2 id="inventory-title" className="text-title">
          Your Inventory
        </h2>
        {!owned && <Loading failed={isError} what="Your inventory" onRetry={() => void refetch()} />}
        {owned?.length === 0 && <EmptyState title="Your inventory is empty, Purchase items from the marketplace to see them here" />}
        {owned && owned.length > 0 && (
          <ul className="grid gap-3 sm:grid-cols-3 sm:gap-5">
            {owned.map((drink) => (
              <li key={drink.tokenType}>
                <DrinkCard drink={drink} paused={Boolean(config?.pause)} onSell={() => sell(drink)} />
              </li>
            ))}
          </ul>
        )}
      </section>
      {dialog && (
        <SellDialog
          key={round}
          {...dialog}
          walletAddress={walletAddress}
          open={selling !== undefined}
          onClose={() => setSelling(undefined)}
        />
      )}
    </>
  )
}

function DrinkCard({ drink, paused, onSell }: { drink: Selling; paused: boolean; onSell: () => void }) {
  return (
    <article className="card drink-card max-sm:flex-row" data-token={drink.tokenType}>
      <div className="plate flex-none max-sm:w-24 sm:h-52 lg:h-68">
        <DrinkImage tokenType={drink.tokenType} />
      </div>
      <div className="flex min-w-0 flex-1 items-center justify-between gap-3 p-4 sm:flex-wrap sm:items-end md:p-5">
        <div className="min-w-0">
          <h3 className="flex items-center gap-2 text-small">
            <span className="dot" />
            {tokenName(drink.tokenType)}
          </h3>
          <p className="mt-2 truncate text-figure sm:mt-3 font-bold tracking-tight">
            <CountingNumber value={drink.balance} format={(balance) => formatAmount(Math.round(balance))} />
          </p>
        </div>
        <Button
          kind="primary"
          className="sm:max-md:w-full"
          disabled={paused}
          title={paused ? 'The line below the header says why.' : undefined}
          onClick={onSell}
        >
          {paused ? 'Paused' : 'Sell'}
        </Button>
      </div>
    </article>
  )
}
