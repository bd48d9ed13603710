import { useEffect, useState } from 'react'

import { keys, openPurchasesQuery, refreshMarket } from '../../../api/queries.ts'
import { queryClient } from '../../../api/query-client.ts'
import { useNotices } from '../../../feedback/notices.ts'
import { useSession } from '../../../session/session-store.ts'
import { forgetPayment, readInterrupted, type SignedPayment, submitUntilAnswered } from '../co-signed/kept-payment.ts'
import { failureText, refusedText } from '../flow/failure-text.ts'
import { takeOut } from '../order/basket-store.ts'
import { isOvertaken, overtakenText } from '../order/offer.ts'

interface Interrupted {
  /** As long as the server has not answered for it. */
  payment: SignedPayment | undefined
  /** The same payment once the server has reserved for it. */
  accepted?: SignedPayment
}

/**
 * Submits a payment again that a reload has interrupted, and forgets it when its wallet signs out.
 *
 * @param walletAddress who is signed in; undefined for nobody, or until that is known
 */
export function useInterruptedPayment(walletAddress: string | undefined): Interrupted {
  const [found, setFound] = useState(() => find(walletAddress))
  if (found.walletAddress !== walletAddress) setFound(find(walletAddress))
  const { payment } = found
  const { showBanner } = useNotices()
  useEffect(() => {
    if (walletAddress === undefined) return undefined
    return useSession.subscribe(({ user }) => user?.walletAddress !== walletAddress && forgetPayment())
  }, [walletAddress])
  useEffect(() => {
    if (!payment) return
    const { order } = payment
    // Another wallet may have signed in meanwhile.
    const change = (next: Partial<Interrupted>) =>
      setFound((current) => (current.walletAddress === payment.walletAddress ? { ...current, ...next } : current))
    submitUntilAnswered(payment, () => undefined)
      .then(
        () => {
          change({ accepted: payment })
          takeOut(order.items)
          // Whoever shows the open purchases follows it from here on.
          return Promise.all([openPurchasesQuery.queryKey, keys.checkouts].map((queryKey) => queryClient.refetchQueries({ queryKey })))
        },
        (error: unknown) => showBanner(refusedText(error, order) ?? (isOvertaken(error) ? overtakenText : failureText(error, {}))),
      )
      .finally(() => {
        change({ payment: undefined })
        refreshMarket()
      })
  }, [payment, showBanner])
  return found
}

function find(walletAddress: string | undefined): Interrupted & { walletAddress: string | undefined } {
  return { walletAddress, payment: walletAddress === undefined ? undefined : readInterrupted(walletAddress) }
}
