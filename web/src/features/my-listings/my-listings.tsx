import { useQuery } from '@tanstack/react-query'
import { useRef, useState } from 'react'

import { myListingsQuery, type MyListingsStatus } from '../../api/queries.ts'
import { EmptyState } from '../../ui/empty-state.tsx'
import { Loading } from '../../ui/loading.tsx'
import { listingRows, MyListingRow } from './my-listing-row.tsx'
import { RemoveAll } from './remove-all.tsx'

const statusLabels: Record<MyListingsStatus, string> = { active: 'Active', sold: 'Sold', removed: 'Removed', all: 'All' }
const statuses: readonly MyListingsStatus[] = ['active', 'sold', 'removed', 'all']

const emptyTitles: Record<MyListingsStatus, string> = {
  active: 'You have no active listings',
  sold: 'You have sold nothing yet',
  removed: 'You have removed no listings',
  all: 'You have no listings yet',
}

/** The seller's own listings, grouped by outcome. */
export function MyListings() {
  const [status, setStatus] = useState<MyListingsStatus>('active')
  const { data, isError, refetch } = useQuery(myListingsQuery(status))
  const heading = useRef<HTMLHeadingElement>(null)
  const rows = listingRows(data ?? [])
  return (
    <section aria-labelledby="my-listings-title" className="grid gap-5">
      <div className="flex flex-wrap items-center justify-between gap-4">
        <h2 ref={heading} id="my-listings-title" tabIndex={-1} className="text-title">
          Your Listings
        </h2>
        <div className="flex flex-wrap items-center gap-3">
          {status === 'active' && <RemoveAll rows={rows} heading={heading} />}
          <StatusFilter chosen={status} onChoose={setStatus} />
        </div>
      </div>
      {!data && <Loading failed={isError} what="Your listings" onRetry={() => void refetch()} />}
      {data?.length === 0 && <EmptyState title={emptyTitles[status]} />}
      {data && data.length > 0 && (
        <ul className="grid gap-3 lg:grid-cols-2">
          {rows.map((listing) => (
            <MyListingRow key={listing._id} listing={listing} />
          ))}
        </ul>
      )}
    </section>
  )
}

function StatusFilter({ chosen, onChoose }: { chosen: MyListingsStatus; onChoose: (status: MyListingsStatus) => void }) {
  return (
    <fieldset className="min-w-0">
      <legend className="sr-only">Status</legend>
      <div className="flex flex-wrap gap-1.5 sm:gap-2">
        {statuses.map((status) => (
          <label key={status} className="chip max-[23rem]:px-3">
            <input type="radio" name="status" className="sr-only" checked={chosen === status} onChange={() => onChoose(status)} />
            {statusLabels[status]}
          </label>
        ))}
      </div>
    </fieldset>
  )
}
