import { type TokenType } from '@juicebar/contract/catalogue'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'

import { balancesQuery, configQuery } from '../../api/queries.ts'
import { catalogue } from '../../catalogue/catalogue.ts'
import { type Drink, type SummaryItem, summaryQuery } from '../../figures/figure-queries.ts'
import { useLiveFigures } from '../../figures/live-figures.ts'
import { Button } from '../../ui/button.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { formatAmount, formatUnitPrice } from '../../ui/format.ts'
import { Loading } from '../../ui/loading.tsx'
import { useRetained } from '../../ui/use-retained.ts'
import { type OwnedItem, ownedItems, OwnedList } from './owned-list.tsx'
import { SellDialog } from './sell-dialog.tsx'

/** The wallet's drinks or other items, each with a way to sell it. */
export function Inventory({ walletAddress }: { walletAddress: string }) {
  const [selling, setSelling] = useState<OwnedItem>()
  // Each opening is a new dialog, with empty fields.
  const [round, setRound] = useState(0)
  const dialog = useRetained(selling)
  const { data, isError, refetch } = useQuery(balancesQuery(walletAddress))
  const { data: config } = useQuery(configQuery)
  const { data: summary } = useQuery(summaryQuery)
  useLiveFigures()
  const { owned, unknownKinds } = data ? ownedItems(data) : { owned: undefined, unknownKinds: 0 }
  const sell = (item: OwnedItem) => {
    setSelling(item)
    setRound(round + 1)
  }

  return (
    <>
      <section aria-labelledby="inventory-title" className="grid gap-5">
        <div className="grid gap-1.5">
          <h2 id="inventory-title" className="text-title">
            Your Inventory
          </h2>
          {owned && owned.length > 0 && <EstimatedWorth owned={owned} />}
        </div>
        {!owned && <Loading failed={isError} what="Your inventory" onRetry={() => void refetch()} />}
        {owned?.length === 0 && unknownKinds === 0 && (
          <EmptyState title="Your inventory is empty, Purchase items from the marketplace to see them here" />
        )}
        {owned && owned.length > 0 && (
          <OwnedList
            owned={owned}
            worth={(item) => summary && (worthOf(item, summary) ?? null)}
            paused={Boolean(config?.pause)}
            onSell={sell}
          />
        )}
        {unknownKinds > 0 && <Newer kinds={unknownKinds} />}
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

/** Items that this page cannot show, because it was loaded before the studio added them. */
function Newer({ kinds }: { kinds: number }) {
  return (
    <div className="card flex flex-wrap items-center justify-between gap-3 p-4 text-small">
      <p>
        {kinds === 1 ? 'You have one new item' : `You have ${kinds} new items`} that came to the market after this page was loaded. Load it
        again to see {kinds === 1 ? 'it' : 'them'}.
      </p>
      <Button onClick={() => location.reload()}>Load again</Button>
    </div>
  )
}

/** More names than these are too many for a sentence. */
const NAMED = 5

const names = new Intl.ListFormat('en-GB')

/** The value of all the player's drinks at the floor price, labelled as an estimate. */
function EstimatedWorth({ owned }: { owned: Parameters<typeof estimate>[0] }) {
  const { data, isError } = useQuery(summaryQuery)
  return (
    <p className="min-h-5.5 text-small text-dim">
      {data ? <Words owned={owned} summary={data} /> : isError && 'Their worth could not be loaded.'}
    </p>
  )
}

function Words({ owned, summary }: { owned: Parameters<typeof estimate>[0]; summary: readonly SummaryItem[] }) {
  const { total, unpriced } = estimate(owned, summary)
  if (total === undefined) return 'None of them is for sale right now, so there is no price to go by.'
  const left = unpriced.length > 0 && ` Without ${unpricedText(unpriced)}: none is for sale.`
  return (
    <>
      Worth about <span className="figures font-semibold text-text">{formatUnitPrice(total)} SOL</span>, an estimate at the lowest prices
      that are asked now, your own included.{left}
    </>
  )
}

function unpricedText(unpriced: readonly TokenType[]): string {
  return unpriced.length <= NAMED
    ? names.format(unpriced.map((code) => catalogue().nameOf(code)))
    : `${formatAmount(unpriced.length)} others`
}

interface Owned {
  tokenType: Drink['type']
  balance: number
}

/** The value of drinks if each were sold at the floor price, in SOL. */
interface Estimate {
  /** Undefined if none is for sale, so that there is no floor price. */
  total: number | undefined
  /** Drinks with none for sale, which are not in the total. */
  unpriced: readonly Drink['type'][]
}

/** Estimates the value of drinks. It is only an estimate: selling many at the floor price lowers it. */
export function estimate(owned: readonly Owned[], summary: readonly SummaryItem[]): Estimate {
  const worths = owned.map((drink) => ({ tokenType: drink.tokenType, worth: worthOf(drink, summary) }))
  const priced = worths.flatMap(({ worth }) => (worth === undefined ? [] : [worth]))
  return {
    total: priced.length > 0 ? priced.reduce((sum, worth) => sum + worth, 0) : undefined,
    unpriced: worths.flatMap(({ tokenType, worth }) => (worth === undefined ? [tokenType] : [])),
  }
}

/** The cost of this many of one drink at its floor price, in SOL; undefined if none is for sale. */
function worthOf({ tokenType, balance }: Owned, summary: readonly SummaryItem[]): number | undefined {
  const floor = summary.find((item) => item.tokenType === tokenType)?.floor
  return typeof floor === 'number' ? floor * balance : undefined
}
