import { messages } from '@juicebar/contract/messages'
import { type Listing } from '@juicebar/contract/schemas'
import { useCallback } from 'react'

import { queryClient } from '../../api/query-client.ts'
import { solQuery } from '../../api/queries.ts'
import { session } from '../../session/session-store.ts'
import { showToast } from '../../feedback/notices.ts'
import { connectChosen } from '../../wallet/use-connect.ts'
import { walletState } from '../../wallet/wallet-store.ts'
import { refusalToBuy } from './purchase.ts'
import { confirming } from './purchase-store.ts'

/** What happens when Buy is pressed: a refusal, the way to a wallet, or the question whether to go on. */
export function useBuy(): (listing: Listing) => void {
  return useCallback((listing) => {
    const { user } = session.get()
    if (user && walletState.get().connected) askToBuy(listing, user.walletAddress).catch(() => undefined)
    else connectChosen()
  }, [])
}

async function askToBuy(listing: Listing, walletAddress: string): Promise<void> {
  const query = solQuery(walletAddress)
  let refusal = refusalToBuy(listing, walletAddress, queryClient.getQueryData(query.queryKey))
  // The balance on the screen may be some seconds old; nobody is refused for SOL that has arrived since.
  if (refusal === messages.insufficientSol) {
    refusal = refusalToBuy(listing, walletAddress, await queryClient.fetchQuery({ ...query, staleTime: 0 }).catch(() => undefined))
  }
  if (refusal) showToast(refusal, 'bad')
  else confirming.set(listing)
}
