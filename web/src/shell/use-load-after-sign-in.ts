import { useEffect } from 'react'

import { queryClient } from '../api/query-client.ts'
import { balancesQuery, keys, myListingsQuery } from '../api/queries.ts'

/** After a login loads balances, own listings and all listings (specification, section 4); the header loads the SOL balance. */
export function useLoadAfterSignIn(walletAddress: string | undefined): void {
  useEffect(() => {
    if (!walletAddress) return
    queryClient.prefetchQuery(balancesQuery(walletAddress)).catch(() => undefined)
    queryClient.prefetchQuery(myListingsQuery('active')).catch(() => undefined)
    queryClient.invalidateQueries({ queryKey: keys.listings }).catch(() => undefined)
  }, [walletAddress])
}
