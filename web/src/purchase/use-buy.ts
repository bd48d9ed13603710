import { type Listing } from '@juicebar/contract/schemas'
import { useCallback } from 'react'

import { queryClient } from '../api/query-client.ts'
import { solQuery } from '../api/queries.ts'
import { session } from '../session/session-store.ts'
import { showToast } from '../ui/notices.ts'
import { pickerOpen, walletState } from '../wallet/wallet-store.ts'
import { refusalToBuy } from './purchase.ts'
import { confirming } from './purchase-store.ts'

/** What happens when Buy is pressed: a refusal, the way to a wallet, or the question whether to go on. */
export function useBuy(): (listing: Listing) => void {
  return useCallback((listing) => {
    const { user } = session.get()
    if (!user || !walletState.get().connected) {
      pickerOpen.set(true)
      return
    }
    const sol = queryClient.getQueryData(solQuery(user.walletAddress).queryKey)
    const refusal = refusalToBuy(listing, user.walletAddress, sol)
    if (refusal) showToast(refusal, 'bad')
    else confirming.set(listing)
  }, [])
}
