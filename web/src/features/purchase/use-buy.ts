import { type Listing } from '@juicebar/contract/schemas'
import { useQueryClient } from '@tanstack/react-query'
import { useCallback, useMemo } from 'react'

import { useNotices } from '../../feedback/use-notices.ts'
import { useSession } from '../../session/session-store.ts'
import { useConnect } from '../../wallet/use-connect.ts'
import { useWallet } from '../../wallet/wallet-store.ts'
import { type Order } from './order/order.ts'

interface Buy {
  /** What pressing Buy on a card does: refuse in a toast, ask for a wallet, or ask the buyer to confirm. */
  buy: (listing: Listing) => void
  /** The same for an order that the buyer has confirmed, which is paid then. */
  place: (order: Order) => void
  /** Puts a listing, or a part of it, into the basket. Without an amount, one that is there is taken out. */
  gather: (listing: Listing, amount?: number) => void
}

/** The ways to begin a purchase. */
export function useBuy(askToConfirm: (listing: Listing) => void, pay: (order: Order) => void): Buy {
  const client = useQueryClient()
  const { showToast } = useNotices()
  const { connectChosenAnd } = useConnect()
  const refuseOr = useCallback(
    (wanted: Order | Listing, walletAddress: string, proceed: () => void) =>
      void import('./flow/refusal-to-buy.ts')
        .then(({ currentRefusalToBuy }) => currentRefusalToBuy(wanted, walletAddress, client))
        // The server checks what cannot be checked here.
        .catch(() => undefined)
        .then((refusal) => (refusal ? showToast(refusal, 'bad') : proceed())),
    [client, showToast],
  )
  const check = useCallback(
    (wanted: Order | Listing, proceed: () => void) => {
      const walletAddress = useSession.getState().user?.walletAddress
      if (walletAddress !== undefined && useWallet.getState().connected) refuseOr(wanted, walletAddress, proceed)
      // After a reload, a player is signed in, and only the wallet has to be connected. Another account has to sign in first.
      else connectChosenAnd(({ account }) => account.address === walletAddress && refuseOr(wanted, account.address, proceed))
    },
    [connectChosenAnd, refuseOr],
  )
  return useMemo(
    () => ({
      buy: (listing) => {
        useWallet.setState({ wanted: listing._id })
        check(listing, () => askToConfirm(listing))
      },
      place: (order) => check(order, () => pay(order)),
      gather: (listing, amount) =>
        void import('./order/gather-listing.ts')
          .then(({ gatherListing }) => gatherListing(listing, amount))
          .then((refusal) => refusal && showToast(refusal, 'bad')),
    }),
    [check, askToConfirm, pay, showToast],
  )
}
