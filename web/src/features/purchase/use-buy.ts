import { messages } from '@juicebar/contract/messages'
import { type Listing } from '@juicebar/contract/schemas'
import { useQueryClient } from '@tanstack/react-query'
import { useCallback } from 'react'

import { solQuery } from '../../api/queries.ts'
import { useNotices } from '../../feedback/use-notices.ts'
import { useSession } from '../../session/session-store.ts'
import { useConnect } from '../../wallet/use-connect.ts'
import { useWallet } from '../../wallet/wallet-store.ts'
import { refusalToBuy } from './purchase.ts'

/** What pressing Buy does: refuse in a toast, lead to a wallet, or ask the buyer to confirm. */
export function useBuy(askToConfirm: (listing: Listing) => void): (listing: Listing) => void {
  const client = useQueryClient()
  const { showToast } = useNotices()
  const { connectChosen } = useConnect()
  return useCallback(
    (listing) => {
      const { user } = useSession.getState()
      if (!user || !useWallet.getState().connected) {
        connectChosen()
        return
      }
      const { walletAddress } = user
      const query = solQuery(walletAddress)
      const check = async () => {
        const refusal = refusalToBuy(listing, walletAddress, client.getQueryData(query.queryKey))
        if (refusal !== messages.insufficientSol) return refusal
        // The balance on the screen may be some seconds old; nobody is refused for SOL that has arrived since. The server decides if
        // it cannot be read.
        const sol = await client.fetchQuery({ ...query, staleTime: 0 }).catch(() => undefined)
        return refusalToBuy(listing, walletAddress, sol)
      }
      void check().then((refusal) => (refusal ? showToast(refusal, 'bad') : askToConfirm(listing)))
    },
    [client, showToast, connectChosen, askToConfirm],
  )
}
