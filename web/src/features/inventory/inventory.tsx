import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'

import { balancesQuery, configQuery } from '../../api/queries.ts'
import { summaryQuery } from '../../figures/figure-queries.ts'
import { useLiveFigures } from '../../figures/use-live-figures.ts'
import { Button } from '../../ui/button.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { Loading } from '../../ui/loading.tsx'
import { useRetained } from '../../ui/use-retained.ts'
import { worthOf } from './estimate.ts'
import { EstimatedWorth } from './estimated-worth.tsx'
import { OwnedList } from './owned-list.tsx'
import { type OwnedItem, ownedItems } from './owned-items.ts'
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
