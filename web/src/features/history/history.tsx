import { type Purchase } from '@juicebar/contract/schemas'
import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { useState } from 'react'

import { configQuery, type PurchaseRole, purchasesQuery } from '../../api/queries.ts'
import { Button } from '../../ui/button.tsx'
import { Loading } from '../../ui/loading.tsx'
import { HistoryRow } from './history-row.tsx'
import { useDownloadCsv } from './use-download-csv.ts'

const roleLabels: Record<PurchaseRole, string> = { buyer: 'Purchases', seller: 'Sales' }
const roles: readonly PurchaseRole[] = ['buyer', 'seller']

/** What the wallet bought and sold, newest first. */
export function History({ walletAddress }: { walletAddress: string }) {
  const [role, setRole] = useState<PurchaseRole>('buyer')
  const { data, isError, refetch, hasNextPage, isFetchingNextPage, fetchNextPage } = useInfiniteQuery(purchasesQuery(role))
  const purchases = data?.pages.flatMap((page) => page.purchases)
  const { mutate: downloadCsv } = useDownloadCsv(walletAddress)
  return (
    <section aria-labelledby="history-title" className="grid gap-5">
      <div className="grid grid-cols-[1fr_auto] items-center gap-3 sm:grid-cols-[1fr_auto_auto]">
        <h2 id="history-title" className="text-title">
          History
        </h2>
        <RoleFilter chosen={role} onChoose={setRole} />
        <Button className="max-sm:col-start-2 max-sm:row-start-1" disabled={!purchases?.length} onClick={() => downloadCsv(role)}>
          Download CSV
        </Button>
      </div>
      {!purchases && <Loading failed={isError} what="Your history" onRetry={() => void refetch()} />}
      {purchases && <Rows purchases={purchases} soldBy={role === 'seller' ? walletAddress : undefined} />}
      {hasNextPage && (
        <Button className="justify-self-center" disabled={isFetchingNextPage} onClick={() => void fetchNextPage()}>
          Show more
        </Button>
      )}
    </section>
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

function RoleFilter({ chosen, onChoose }: { chosen: PurchaseRole; onChoose: (role: PurchaseRole) => void }) {
  return (
    <fieldset>
      <legend className="sr-only">Show</legend>
      <div className="flex gap-2">
        {roles.map((role) => (
          <label key={role} className="chip">
            <input type="radio" name="role" className="sr-only" checked={chosen === role} onChange={() => onChoose(role)} />
            {roleLabels[role]}
          </label>
        ))}
      </div>
    </fieldset>
  )
}
