import { useEffect, useRef } from 'react'

import { queryClient } from '../api/query-client.ts'
import { balancesQuery, keys, myListingsQuery } from '../api/queries.ts'
import { reload } from '../api/refresh-market.ts'
import { type SessionState } from '../session/session-store.ts'

/** Loads balances, own listings and all listings after a login (specification, section 4); the header loads the SOL balance. */
export function useLoadAfterSignIn({ authorization, user }: SessionState): void {
  const wasVisitor = useRef(false)
  const walletAddress = user?.walletAddress
  useEffect(() => {
    if (authorization === 'signed-out') wasVisitor.current = true
    if (!walletAddress) return
    // A prefetch never rejects.
    void queryClient.prefetchQuery(balancesQuery(walletAddress))
    void queryClient.prefetchQuery(myListingsQuery('active'))
    // A session restored after a reload has just loaded all listings.
    if (wasVisitor.current) reload(keys.listings)
    wasVisitor.current = false
  }, [authorization, walletAddress])
}
