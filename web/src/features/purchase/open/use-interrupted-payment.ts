import { type Purchase } from '@juicebar/contract/schemas'
import { useEffect, useState } from 'react'

import { call } from '../../../api/client.ts'
import { openPurchasesQuery } from '../../../api/player-queries.ts'
import { keys, refreshMarket } from '../../../api/queries.ts'
import { queryClient } from '../../../api/query-client.ts'
import { retryPassing } from '../../../api/retry-passing.ts'
import { showBanner } from '../../../feedback/notices.ts'
import { useSession } from '../../../session/session-store.ts'
import { forgetPayment, readInterrupted, type SignedPayment, submitUntilAnswered } from '../co-signed/pay-co-signed.ts'
import { failureText, refusedText } from '../flow/failure-text.ts'
import { followPurchase, tellOutcome } from '../flow/follow-purchase.ts'
import { takeOut } from '../order/change-basket.ts'
import { isOvertaken, overtakenText } from '../order/offer.ts'
import { type Order, type PaidPurchase } from '../order/order.ts'

interface Interrupted {
  /** As long as it is not known what became of it. */
  payment: SignedPayment | undefined
  /** What the server has accepted it for. That may have ended meanwhile. */
  accepted?: { order: Order; purchase: Purchase; readAt: number }
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
  useEffect(() => {
    if (walletAddress === undefined) return undefined
    return useSession.subscribe(({ user }) => user?.walletAddress !== walletAddress && forgetPayment())
  }, [walletAddress])
  useEffect(() => {
    if (!payment) return
    // Another wallet may have signed in meanwhile.
    const change = (next: Partial<Interrupted>) =>
      setFound((current) => (current.walletAddress === payment.walletAddress ? { ...current, ...next } : current))
    void finish(payment, (purchase) => change({ accepted: { order: payment.order, purchase, readAt: Date.now() } })).finally(() => {
      change({ payment: undefined })
      refreshMarket()
    })
  }, [payment])
  return found
}

/** Never rejects. */
async function finish(payment: SignedPayment, onAccepted: (purchase: Purchase) => void): Promise<void> {
  const { order } = payment
  let sent = false
  try {
    const { purchaseId, signature } = await submitUntilAnswered(payment, () => undefined)
    sent = true
    const { purchase } = await retryPassing(() => call('myPurchase', { params: { id: purchaseId } }), Infinity)
    onAccepted(purchase)
    if (purchase.status !== 'ended') takeOut(order.items)
    await Promise.all([openPurchasesQuery.queryKey, keys.checkouts].map((queryKey) => queryClient.refetchQueries({ queryKey })))
    void tellEnd({ ...purchase, signature }, payment)
  } catch (error) {
    tellFailure(error, { payment, sent })
  }
}

/** Whoever else follows the purchase tells its end, or this does. Never rejects. */
async function tellEnd(paid: PaidPurchase, payment: SignedPayment): Promise<void> {
  try {
    const purchase = await followPurchase({ ...paid, coSigned: true, onChange: () => undefined })
    // The page of a checkout says by itself that it is delivered.
    if (purchase.status !== 'settled' || payment.order.checkout === undefined) tellOutcome(purchase)
  } catch (error) {
    tellFailure(error, { payment, sent: true })
  }
}

function tellFailure(error: unknown, { payment, sent }: { payment: SignedPayment; sent: boolean }): void {
  // Who is not signed in any more can ask nothing, and somebody else is not concerned.
  if (sent && useSession.getState().user?.walletAddress !== payment.walletAddress) return
  const refused = sent ? undefined : (refusedText(error, payment.order) ?? (isOvertaken(error) ? overtakenText : undefined))
  showBanner(refused ?? failureText(error, { sent }))
}

function find(walletAddress: string | undefined): Interrupted & { walletAddress: string | undefined } {
  return { walletAddress, payment: walletAddress === undefined ? undefined : readInterrupted(walletAddress) }
}
