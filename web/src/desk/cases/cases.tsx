import { useInfiniteQuery } from '@tanstack/react-query'
import { useState } from 'react'

import { type CaseFilter, casesQuery } from '../api/desk-queries.ts'
import { Choice } from '../parts/fields.tsx'
import { Pages } from '../parts/pages.tsx'
import { CaseList } from './case-list.tsx'
import { casesTotal } from './case-words.ts'

type Filter = NonNullable<CaseFilter['status']>

const filters: readonly { value: Filter; label: string }[] = [
  { value: 'open', label: 'Open' },
  { value: 'refunding', label: 'Being refunded' },
  { value: 'delivered', label: 'Delivered' },
  { value: 'refunded', label: 'Refunded' },
  { value: 'closed', label: 'Closed' },
  { value: 'all', label: 'All' },
]

/** Payments that did not end in a delivery. */
export function Cases() {
  const [status, setStatus] = useState<Filter>('open')
  const query = useInfiniteQuery(casesQuery({ status }))
  return (
    <div className="grid gap-5">
      <Choice legend="Show cases that are" name="status" options={filters} chosen={status} onChoose={setStatus} />
      <Pages
        query={query}
        what="The cases"
        nothing={status === 'open' ? 'No case is open: every payment ended in a delivery.' : 'There is no such case.'}
      >
        {(cases) => (
          <>
            <p className="figures text-small text-dim">{casesTotal(cases, query.hasNextPage)}</p>
            <CaseList cases={cases} />
          </>
        )}
      </Pages>
    </div>
  )
}
