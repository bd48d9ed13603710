import { type Purchase } from '@juicebar/contract/schemas'
import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { useState } from 'react'

import { configQuery, type PurchaseRole, purchasesQuery } from '../../api/queries.ts'
import { Button } from '../../ui/button.tsx'
import { Loading } from '../../ui/loading.tsx'
import { HistoryRow } from './history-row.tsx'
import { ProfitView } from './profit/profit-view.tsx'
import { useDownloadCsv } from './use-download-csv.ts'

type Part = PurchaseRole | 'profit'

const partLabels: Record<Part, string> = { buyer: 'Purchases', seller: 'Sales', profit: 'Profit' }
const parts: readonly Part[] = ['buyer', 'seller', 'profit']

/** What the wallet bought and sold, and its profit. */
export function History({ walletAddress }: { walletAddress: string }) {
  const [part, setPart] = useState<Part>('buyer')
  return (
    <section aria-labelledby="history-title" className="grid gap-5">
      <div className={`grid grid-cols-[1fr_auto] items-center gap-3 ${part === 'profit' ? '' : 'sm:grid-cols-[1fr_auto_auto]'}`}>
        <h2 id="history-title" className="text-title">
          History
        </h2>
        <PartFilter chosen={part} onChoose={setPart} />
        {part !== 'profit' && <DownloadTrades role={part} walletAddress={walletAddress} />}
      </div>
      {part === 'profit' ? <ProfitView /> : <Trades key={part} role={part} walletAddress={walletAddress} />}
    </section>
  )
}

/** What the wallet bought, or what it sold, newest first. */
function Trades({ role, walletAddress }: { role: PurchaseRole; walletAddress: string }) {
  const { data, isError, refetch, hasNextPage, isFetchingNextPage, fetchNextPage } = useInfiniteQuery(purchasesQuery(role))
  const purchases = data?.pages.flatMap((page) => page.purchases)
  return (
    <>
      {!purchases && <Loading failed={isError} what="Your history" onRetry={() => void refetch()} />}
      {purchases && <Rows purchases={purchases} soldBy={role === 'seller' ? walletAddress : undefined} />}
      {hasNextPage && (
        <Button className="justify-self-center" disabled={isFetchingNextPage} onClick={() => void fetchNextPage()}>
          Show more
        </Button>
      )}
    </>
  )
}

function DownloadTrades({ role, walletAddress }: { role: PurchaseRole; walletAddress: string }) {
  const { data } = useInfiniteQuery(purchasesQuery(role))
  const { mutate: downloadCsv } = useDownloadCsv(walletAddress)
  return (
    <Button
      className="max-sm:col-start-2 max-sm:row-start-1"
      disabled={!data?.pages[0]?.purchases.length}
      onClick={() => downloadCsv(role)}
    >
      Download CSV
    </Button>
  )
}

function Rows({ purchases, soldBy }: { purchases: readonly Purchase[]; soldBy: string | undefined }) {
  const { data: config } = useQuery(configQuery)
  if (!purchases.length)
    return <p className="card p-6 text-center text-dim">{soldBy === undefined ? 'No purchases yet.' : 'No sales yet.'}</p>
  return (
    <ul className="card grid divide-y divide-line sm:grid-cols-[minmax(0,1.4fr)_minmax(0,1fr)_minmax(0,1.6fr)_auto]">
      {purchases.map((purchase) => (
        <HistoryRow key={purchase.purchaseId} purchase={purchase} soldBy={soldBy} network={config?.network} />
      ))}
    </ul>
  )
}

function PartFilter({ chosen, onChoose }: { chosen: Part; onChoose: (part: Part) => void }) {
  return (
    <fieldset className="max-sm:col-span-full">
      <legend className="sr-only">Show</legend>
      <div className="flex gap-2">
        {parts.map((part) => (
          <label key={part} className="chip">
            <input type="radio" name="role" className="sr-only" checked={chosen === part} onChange={() => onChoose(part)} />
            {partLabels[part]}
          </label>
        ))}
      </div>
    </fieldset>
  )
}
