import { type Reply } from '@juicebar/contract/calls'
import { type InfiniteData, matchQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'

import { keys } from '../../../api/queries.ts'
import { markGone, useBasket } from '../order/basket-store.ts'

type Pages = InfiniteData<Reply<'listings'>, string>

/** Marks listings of the basket as soon as the market on the screen says that they are sold or removed. */
export function useMarkGone(): void {
  const client = useQueryClient()
  useEffect(
    () =>
      client.getQueryCache().subscribe(({ type, query }) => {
        const { listings } = useBasket.getState()
        if (type !== 'updated' || listings.length === 0 || !matchQuery({ queryKey: keys.listings }, query)) return
        const loaded = client.getQueriesData<Pages>({ queryKey: keys.listings }).flatMap(([, data]) => data?.pages ?? [])
        for (const { _id, status } of loaded.flatMap(({ listings }) => listings)) {
          const known = status === 'active' || listings.every(({ listingId, gone }) => listingId !== _id || gone !== undefined)
          if (!known) markGone(_id, 'This listing is no longer for sale.')
        }
      }),
    [client],
  )
}
