import { messages } from '@juicebar/contract/messages'
import { type Purchase } from '@juicebar/contract/schemas'
import { useInfiniteQuery, useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'

import { call } from '../../api/client.ts'
import { configQuery, type PurchaseRole, purchasesQuery } from '../../api/queries.ts'
import { useNotices } from '../../feedback/notices.ts'
import { Button } from '../../ui/button.tsx'
import { formatAmount } from '../../ui/format.ts'
import { Loading } from '../../ui/loading.tsx'
import { saveCsv, toCsv } from './csv.ts'
import { HistoryRow } from './history-row.tsx'
import { ProfitView } from './profit/profit-view.tsx'

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

/** A file has at most this many purchases, newest first. */
const MAX_PURCHASES = 10_000
const PAGE_SIZE = 200

/** Saves everything that a wallet bought or sold as a CSV file; a failure goes to the banner. */
function useDownloadCsv(walletAddress: string) {
  const { showBanner, showToast } = useNotices()
  return useMutation({
    meta: { processing: 'Collecting your history' },
    mutationFn: loadAll,
    onSuccess: (purchases, role) => {
      const file = toCsv(purchases, role === 'seller' ? walletAddress : undefined)
      saveCsv(`juicebar-${role === 'buyer' ? 'purchases' : 'sales'}.csv`, [file])
      if (purchases.length >= MAX_PURCHASES) showToast(`The file holds the newest ${formatAmount(MAX_PURCHASES)} purchases.`)
    },
    onError: () => showBanner(messages.loadFailed),
  })
}

async function loadAll(role: PurchaseRole): Promise<Purchase[]> {
  const purchases: Purchase[] = []
  let cursor: string | null = ''
  while (cursor !== null && purchases.length < MAX_PURCHASES) {
    const query: { role: PurchaseRole; limit: number; cursor: string } = { role, limit: PAGE_SIZE, cursor }
    const page = await call('myPurchases', { query })
    purchases.push(...page.purchases)
    cursor = page.nextCursor
  }
  return purchases
}
