import { useEffect } from 'react'

import { queryClient } from '../api/query-client.ts'
import { balancesQuery, keys, myListingsQuery } from '../api/queries.ts'
import { reload } from '../api/refresh-market.ts'

/** Loads balances, own listings and all listings after a login (specification, section 4); the header loads the SOL balance. */
export function useLoadAfterSignIn(walletAddress: string | undefined): void {
  useEffect(() => {
    if (!walletAddress) return
    // A prefetch never rejects.
    void queryClient.prefetchQuery(balancesQuery(walletAddress))
    void queryClient.prefetchQuery(myListingsQuery('active'))
    reload(keys.listings)
  }, [walletAddress])
}
